"""Phase 5 ACT, LIGHT: report when everything is met; fix and check again when rejected; end when a guard says so."""

from __future__ import annotations

from andon.domain.assignment import TeamRecord
from andon.domain.auto.act import CheckOutcome, Move, next_step
from andon.domain.auto.mode import Mode
from andon.domain.grammar import VerifierReply
from andon.domain.run import Ending, Status, TeammateFailed
from andon.pipelines.auto.checking import checks_in_words
from andon.pipelines.auto.cycle import Cycle
from andon.roles.contracts import TEXT


async def light_act(cycle: Cycle, plan: str, verdict: VerifierReply) -> Ending | None:
    """How the run ends, or None when Phase 4 runs again on a fixed tree."""
    step = next_step(cycle.mode or Mode.LIGHT, CheckOutcome(verdict.approved), cycle.counters, cycle.limits)
    match step.move:
        case Move.REPORT:
            await _report(cycle, plan)
            return Ending(Status.DONE, str(step.reason), cycle.word("ended.done", feature=cycle.feature))
        case Move.STOP:
            text = step.message(cycle.language)
            await cycle.notify(f"{text}\n{verdict.reason}".strip())
            await _report(cycle, plan)
            return Ending(Status.NEEDS_PERSON, str(step.reason), text)
        case Move.FIX | Move.ITERATE:
            await cycle.run.ask(cycle.assignment("fixer", "fixer", plan=plan, reason=verdict.reason), TEXT)
            cycle.count(cycle.counters.improved().reentered())
            return None


async def _report(cycle: Cycle, plan: str) -> None:
    """The reporter's text, followed by andon's own record of what was measured and used (A-28, A-125)."""
    facts = "\n".join(
        [
            f"Task: {cycle.request.task}",
            f"Mode: {cycle.mode}; no design document in LIGHT.",
            f"Verifier: {cycle.verdict or 'not asked'}",
            f"Checks:\n{checks_in_words(cycle.results)}",
            f"Warnings: {'; '.join(cycle.warnings) or 'none'}",
        ]
    )
    asked = cycle.assignment("reporter", "reporter", document=cycle.report_path, plan=plan, facts=facts)
    try:
        await cycle.run.ask(asked, TEXT)
    except TeammateFailed as failure:
        # The work is measured and judged; a missing summary must not undo it.
        await cycle.warn(cycle.word("report.by_andon", failure=failure))
    text = (await cycle.run.read(cycle.report_path) or "").strip() or f"# {cycle.feature}\n\n{facts}"
    await cycle.run.write(cycle.report_path, f"{text}\n\n{record_section(cycle)}\n")


def record_section(cycle: Cycle) -> str:
    """What andon itself knows: checks with their verdicts, tokens by teammate and by phase."""
    lines = [cycle.word("record.heading"), "", cycle.word("record.checks"), "|---|---|---|"]
    for result in cycle.results:
        how = f"`{' '.join(result.command)}`" if result.command else result.reason
        lines.append(f"| {result.goal} | {cycle.word(f'verdict.{result.verdict}')} | {how} |")
    lines += ["", cycle.word("record.team"), "|---|---|---|---|---|"]
    for mate in cycle.run.team:
        lines.append(f"| {mate.name} | {mate.phase} | {mate.tier} | {mate.tokens} | {mate.money:.2f} |")
    totals = ", ".join(f"{phase} {tokens}" for phase, tokens in tokens_by_phase(cycle.run.team).items())
    return "\n".join([*lines, "", cycle.word("record.totals", totals=totals, run=cycle.run.id)])


def tokens_by_phase(team: tuple[TeamRecord, ...]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for mate in team:
        totals[mate.phase] = totals.get(mate.phase, 0) + mate.tokens
    return totals
