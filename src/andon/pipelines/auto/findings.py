"""Leaves open findings in the journal when a run ends, so that a person can accept them one by one."""

from __future__ import annotations

from collections.abc import Iterable

from andon.domain.auto.findings import FindingKind, OpenFinding
from andon.domain.auto.messages import GoalStatus, QaReport
from andon.pipelines.auto.cycle import Cycle


async def leave_open(cycle: Cycle, findings: Iterable[OpenFinding]) -> None:
    for finding in findings:
        await cycle.run.say("open_finding", **finding.as_data())


def of_qa(report: QaReport) -> tuple[OpenFinding, ...]:
    """One for each goal that does not hold."""
    named = [(f"{goal.goal}:{goal.signature or goal.status}", goal) for goal in report.failures]
    return tuple(
        OpenFinding(FindingKind.CHECK, name, f"{goal.goal}: {goal.signature or _words(goal.status)}")
        for name, goal in named
    )


def _words(status: GoalStatus) -> str:
    return str(status).lower().replace("_", " ")
