"""Leaves open findings in the journal when a run ends, so that a person can accept them one by one."""

from __future__ import annotations

from collections.abc import Iterable

from andon.domain.auto.findings import FindingKind, OpenFinding
from andon.domain.verdict import CheckResult
from andon.pipelines.auto.cycle import Cycle


async def leave_open(cycle: Cycle, findings: Iterable[OpenFinding]) -> None:
    for finding in findings:
        await cycle.run.say("open_finding", **finding.as_data())


def of_checks(results: Iterable[CheckResult]) -> tuple[OpenFinding, ...]:
    """One for each failure of each goal that does not hold; one for a goal that names none."""
    found: list[OpenFinding] = []
    for result in results:
        if result.verdict.blocks:
            unnamed = f"{result.goal}: {str(result.verdict).replace('_', ' ')}"
            found += [OpenFinding(FindingKind.CHECK, each, each) for each in result.signatures or (unnamed,)]
    return tuple(found)
