"""Rules that hold for whoever writes code, found by andon in the diff: no test is lost, no flag is left (A-84, A-85).

What they find is open until it is mended, declared in the plan, or accepted by a person.
"""

from __future__ import annotations

import hashlib

from andon.domain.auto.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.findings import FindingKind, OpenFinding
from andon.domain.auto.implementation import Change as Deletion
from andon.domain.auto.implementation import ChangeKind, deleted_tests
from andon.domain.auto.linter_settings import changed_settings, sets_linters
from andon.domain.auto.mode import Mode
from andon.domain.auto.paths import affected_files
from andon.domain.auto.red_flags import in_diff
from andon.domain.verdict import Finding
from andon.pipelines.auto.cycle import Cycle
from andon.ports import Change, Run


def lost_tests(cycle: Cycle, changes: tuple[Change, ...]) -> tuple[OpenFinding, ...]:
    """Tests of the base that are gone, unless the plan or the design names them."""
    declared = {*affected_files(cycle.plan), *affected_files(cycle.design)}
    deleted = [Deletion(ChangeKind.DELETED, change.path) for change in changes if change.kind == "deleted"]
    gone = (path for path in deleted_tests(deleted) if path not in declared)
    return tuple(OpenFinding(FindingKind.DELETED_TEST, path, f"test deletion: {path}") for path in gone)


async def eased_settings(cycle: Cycle, run: Run, changes: tuple[Change, ...]) -> tuple[OpenFinding, ...]:
    """Settings of linters and type checkers that were changed, unless the plan or the design names the file."""
    declared = {*affected_files(cycle.plan), *affected_files(cycle.design)}
    suspects = [each.path for each in changes if sets_linters(each.path) and each.path not in declared]
    found = await run.findings(changed_settings, suspects) if suspects else ()
    return tuple(
        OpenFinding(FindingKind.SETTINGS, f"{each.path} {each.message}", f"{each.path}: {each.message}")
        for each in found
    )


async def flags(run: Run) -> tuple[OpenFinding, ...]:
    """Red flags on added lines."""
    return tuple(
        OpenFinding(FindingKind.RED_FLAG, f"{each.path} {each.message}", f"{each.path}:{each.line}: {each.message}")
        for each in await run.findings(_red_flags)
    )


def _red_flags(diff: str) -> list[Finding]:
    return [
        Finding(f"{str(each.flag.value).replace('_', ' ')}: {each.text}", each.path, each.line)
        for each in in_diff(diff)
        if not each.path.startswith(DOCUMENT_FOLDERS)
    ]


async def broken_rules(cycle: Cycle, changes: tuple[Change, ...]) -> tuple[OpenFinding, ...]:
    """What stands against the work before anybody judges it; in LIGHT, where nobody was told of flags, without them."""
    found = lost_tests(cycle, changes) + await eased_settings(cycle, cycle.run, changes)
    if cycle.mode is not Mode.LIGHT:
        found += await flags(cycle.run)
    return tuple(finding for finding in found if not cycle.accepts(finding))


async def fingerprint(cycle: Cycle) -> str:
    """The work as it is, without andon's own documents: what a judge said of other work does not hold for this."""
    [found] = await cycle.run.findings(_digest)
    return found.message


def _digest(diff: str) -> list[Finding]:
    parts = [
        part for part in diff.split("diff --git ") if not part.startswith(tuple(f"a/{f}" for f in DOCUMENT_FOLDERS))
    ]
    return [Finding(hashlib.sha256("".join(parts).encode("utf-8", "replace")).hexdigest()[:16])]
