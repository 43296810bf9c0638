"""Phase 5 ACT: report when everything is met; improve and check again when not; end when a guard says so."""

from __future__ import annotations

from andon.domain.auto.act import CheckOutcome, Move, Reason, Step, improvement_guard, next_step
from andon.domain.auto.findings import FindingKind, OpenFinding
from andon.domain.auto.mode import Mode
from andon.domain.run import Ending, Status
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.ending import done_message
from andon.pipelines.auto.reporting import report
from andon.pipelines.auto.rules import fingerprint
from andon.roles.contracts import REPETITIONS, TEXT


async def act(cycle: Cycle) -> Ending | None:
    """How the run ends, or None when Phase 4 runs again on improved work."""
    cycle.open_findings = await open_verdicts(cycle)
    outcome = _outcome(cycle)
    step = next_step(cycle.mode or Mode.LIGHT, outcome, cycle.counters, cycle.limits)
    match step.move:
        case Move.REPORT:
            cycle.open_findings = ()
            await report(cycle)
            return Ending(Status.DONE, str(step.reason), done_message(cycle))
        case Move.STOP:
            return await _give_up(cycle, step)
        case Move.FIX:
            await _fix(cycle)
        case Move.ITERATE:
            await _iterate(cycle)
    if guard := improvement_guard(cycle.counters, cycle.limits):
        return await _give_up(cycle, guard)
    cycle.count(cycle.counters.reentered())
    return None


async def open_verdicts(cycle: Cycle) -> tuple[OpenFinding, ...]:
    """What stands against the work, as findings a person can accept. A verdict is named by its judge and by the work,
    not by its words: asked again about the same work a judge words it otherwise, and other work needs its own."""
    said = _said(cycle)
    if not said:
        return cycle.judged.broken
    work = await fingerprint(cycle)
    found = [OpenFinding(kind, f"{kind} {work}", text) for kind, text in said]
    return (*cycle.judged.broken, *(each for each in found if not cycle.accepts(each)))


def _said(cycle: Cycle) -> list[tuple[FindingKind, str]]:
    judged, found = cycle.judged, list[tuple[FindingKind, str]]()
    if judged.verifier != "APPROVE":
        found.append((FindingKind.VERDICT, f"the verifier rejects: {judged.reason}"))
    if judged.critical:
        found.append((FindingKind.QUALITY, "\n".join(judged.quality[: judged.critical])))
    if cycle.mode is not Mode.LIGHT and (judged.gap is None or judged.gap < cycle.limits.gap_threshold):
        rate = "unknown" if judged.gap is None else f"{judged.gap:g} %"
        needed = cycle.limits.gap_threshold
        found.append((FindingKind.GAP, f"the work matches the design by {rate}, {needed} % are needed"))
    return found


def _outcome(cycle: Cycle) -> CheckOutcome:
    """What Phase 4 found out, less what a person accepts."""
    kinds = {finding.kind for finding in cycle.open_findings}
    gap = cycle.judged.gap if FindingKind.GAP in kinds else float(cycle.limits.gap_threshold)
    critical = cycle.judged.critical if FindingKind.QUALITY in kinds else 0
    return CheckOutcome(not kinds - {FindingKind.GAP, FindingKind.QUALITY}, gap, critical)


async def _fix(cycle: Cycle) -> None:
    """Case 3: broken rules, the verifier's reasons, critical findings of the quality-checker (A-126, G-07)."""
    reason = "\n\n".join(finding.text for finding in cycle.open_findings if finding.kind is not FindingKind.GAP)
    await cycle.run.ask(cycle.assignment("fixer", "fixer", plan=cycle.plan, reason=reason), TEXT)
    cycle.count(cycle.counters.improved())


async def _iterate(cycle: Cycle) -> None:
    """Case 1: close the gap; its inner repetitions count (A-124, A-128)."""
    judged, limits = cycle.judged, cycle.limits
    asked = cycle.assignment(
        "iterator",
        "iterator",
        gap="an unknown rate" if judged.gap is None else f"{judged.gap:g} %",
        gap_report=judged.gap_report,
        threshold=str(limits.gap_threshold),
        repetitions=str(cycle.counters.iterator_limit(limits)),
    )
    repetitions = await cycle.run.ask(asked, REPETITIONS)
    cycle.count(cycle.counters.improved(repetitions))


async def _give_up(cycle: Cycle, step: Step) -> Ending:
    """A guard ends the loop: what is open is told, and reported."""
    text = step.message(cycle.language)
    told = "\n".join(finding.text for finding in cycle.open_findings)
    await cycle.notify(f"{text}\n{told}".strip())
    await report(cycle)
    assert step.reason in (Reason.REENTRIES, Reason.IMPROVEMENTS)
    return Ending(Status.NEEDS_PERSON, str(step.reason), text)
