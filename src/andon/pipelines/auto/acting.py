"""Phase 5 ACT, LIGHT: report when everything is met; fix and check again when rejected; end when a guard says so."""

from __future__ import annotations

from andon.domain.auto.act import CheckOutcome, Move, next_step
from andon.domain.auto.findings import FindingKind, OpenFinding
from andon.domain.auto.mode import Mode
from andon.domain.grammar import VerifierReply
from andon.domain.run import Ending, Status
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.findings import leave_open
from andon.pipelines.auto.reporting import report
from andon.roles.contracts import TEXT


async def light_act(cycle: Cycle, plan: str, verdict: VerifierReply) -> Ending | None:
    """How the run ends, or None when Phase 4 runs again on a fixed tree."""
    step = next_step(cycle.mode or Mode.LIGHT, CheckOutcome(verdict.approved), cycle.counters, cycle.limits)
    match step.move:
        case Move.REPORT:
            await report(cycle, plan)
            return Ending(Status.DONE, str(step.reason), cycle.word("ended.done", feature=cycle.feature))
        case Move.STOP:
            text = step.message(cycle.language)
            await leave_open(cycle, (OpenFinding(FindingKind.VERDICT, verdict.reason, verdict.reason),))
            await cycle.notify(f"{text}\n{verdict.reason}".strip())
            await report(cycle, plan)
            return Ending(Status.NEEDS_PERSON, str(step.reason), text)
        case Move.FIX | Move.ITERATE:
            await cycle.run.ask(cycle.assignment("fixer", "fixer", plan=plan, reason=verdict.reason), TEXT)
            cycle.count(cycle.counters.improved().reentered())
            return None
