"""Rules that hold for whoever writes code, found by andon in the diff: no test is lost, no flag is left (A-84, A-85).

What they find is open until it is mended, declared in the plan, or accepted by a person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import replace
from functools import partial

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.conditions import speaks_of_linters
from andon.domain.auto.findings import FindingKind, OpenFinding, check_findings, verification_findings
from andon.domain.auto.implementation import Change as Deletion
from andon.domain.auto.implementation import ChangeKind, deleted_tests
from andon.domain.auto.linter_settings import changed_settings, hides_files, is_shared, names_linter, sets_linters
from andon.domain.auto.mode import Mode
from andon.domain.auto.paths import affected_files, named_paths
from andon.domain.auto.red_flags import Flag, in_diff
from andon.domain.promises import unkept
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.domain.verification import finding_id
from andon.domain.verification import found as found_by
from andon.pipelines.auto.cycle import Cycle
from andon.ports import Change, Run

UNVERIFIED_GOALS = ("custom", "interactive")
"""A person's own wishes: measured in QA, and no part of what verification asks."""
_JUDGED = tuple(flag for flag in Flag if flag not in (Flag.SUPPRESSION, Flag.UNREADABLE))
"""Verification finds the others itself."""


def lost_tests(cycle: Cycle, changes: tuple[Change, ...]) -> tuple[OpenFinding, ...]:
    """Tests of the base that are gone, unless the plan or the design names them."""
    declared = {*affected_files(cycle.plan), *affected_files(cycle.design)}
    deleted = [Deletion(ChangeKind.DELETED, change.path) for change in changes if change.kind == "deleted"]
    gone = (path for path in deleted_tests(deleted) if path not in declared)
    return tuple(
        OpenFinding(FindingKind.DELETED_TEST, path, f"test deletion: {path}", _id("test_deleted", path, path))
        for path in gone
    )


def _id(rule: str, path: str, subject: str) -> str:
    """The id under which verification finds the same again, so that who accepts the one accepts the other."""
    return finding_id(found_by(rule, "", path, subject=subject))


async def eased_settings(cycle: Cycle, run: Run, changes: tuple[Change, ...]) -> tuple[OpenFinding, ...]:
    """Settings of linters and type checkers that were changed, unless the plan or the design declares it."""
    hiding = await _hiding_stubs(run, changes)
    suspects = [
        each.path
        for each in changes
        if (sets_linters(each.path) or each.path in hiding) and not _declared(cycle, each, changes)
    ]
    present = [each.path for each in changes if each.kind != "deleted"]
    rule = partial(changed_settings, suspects=suspects, changed=present)
    found = await run.findings(rule, suspects) if suspects else ()
    return tuple(
        OpenFinding(
            FindingKind.SETTINGS,
            f"{each.path} {each.message}",
            f"{each.path}: {each.message}",
            _id("linter_settings", each.path, each.message),
        )
        for each in found
    )


async def _hiding_stubs(run: Run, changes: tuple[Change, ...]) -> frozenset[str]:
    """Added stubs of modules that are there: type checkers read the stub, and never again the module."""
    stubs = [each.path for each in changes if each.kind == "added" and each.path.endswith(".pyi")]
    modules = await run.existing([path.removesuffix("i") for path in stubs]) if stubs else ()
    return frozenset(path for path in stubs if path.removesuffix("i") in modules)


def _declared(cycle: Cycle, change: Change, changes: tuple[Change, ...]) -> bool:
    """A file that is not about linters alone is declared where it is said that it is about them.

    A folder that is to be made brings its settings along, as far as it really was made.
    """
    path = change.path
    documents = (cycle.plan, cycle.design)
    about_linters = speaks_of_linters(cycle.request.task) or any(names_linter(text, path) for text in documents)
    if any(path in affected_files(text) for text in documents) and (about_linters or not is_shared(path)):
        return True
    made = {each.path for text in documents for each in named_paths(text) if each.new and not each.file}
    older = [each.path for each in changes if each.kind != "added"]
    within_new = any(path.startswith(each) and not any(old.startswith(each) for old in older) for each in made)
    return within_new and change.kind == "added" and not hides_files(path)


async def flags(run: Run, only: Collection[Flag] = tuple(Flag)) -> tuple[OpenFinding, ...]:
    """Red flags on added lines."""
    return tuple(
        OpenFinding(
            FindingKind.RED_FLAG,
            f"{each.path} {each.message}",
            f"{each.path}:{each.line}: {each.message}",
            _id(each.rule, each.path, each.subject) if each.rule else "",
        )
        for each in await run.findings(partial(_red_flags, only=only))
    )


def _red_flags(diff: str, only: Collection[Flag]) -> list[Finding]:
    return [
        Finding(
            f"{str(each.flag.value).replace('_', ' ')}: {each.text}",
            each.path,
            each.line,
            "suppression_added" if each.flag is Flag.SUPPRESSION else "",
            each.text if each.flag is Flag.SUPPRESSION else "",
        )
        for each in in_diff(diff)
        if each.flag in only and not each.path.startswith(DOCUMENT_FOLDERS)
    ]


async def verified(cycle: Cycle) -> tuple[OpenFinding, ...]:
    """What andon's verification holds against the work: the last word on whether it may be done."""
    goals = tuple(goal for goal in cycle.present_goals if goal.name not in UNVERIFIED_GOALS)
    told = await cycle.run.verify(goals, _declarations(cycle), cycle.accepted, _sound(cycle))
    return verification_findings(told)


def _declarations(cycle: Cycle) -> str:
    """Plan and design; of a task that is about linters, all the files they name may set one."""
    documents = f"{cycle.plan}\n\n{cycle.design}"
    if not speaks_of_linters(cycle.request.task):
        return documents
    return "\n".join([documents, *(f"- `{path}`: linter settings" for path in affected_files(documents))])


def _sound(cycle: Cycle) -> tuple[CheckResult, ...]:
    """What QA measured of this tree, as far as it holds or a person accepts it."""
    return tuple(
        replace(result, verdict=Verdict.NOT_NEEDED) if cycle.accepts(*check_findings(result)) else result
        for result in cycle.known_now
    )


async def unkept_promises(cycle: Cycle) -> tuple[OpenFinding, ...]:
    """What was to be changed and is not: nobody may have begun it, or somebody undid it since Phase 3."""
    if 3 in cycle.skipped:  # a person wants it so
        return ()
    promised = () if cycle.mode is Mode.LIGHT else affected_files(cycle.declared)
    return unkept(promised, [change.path for change in await cycle.run.changes()])


async def broken_rules(cycle: Cycle) -> tuple[OpenFinding, ...]:
    """What stands against the work before anybody judges it. The executor of LIGHT was not told of the other flags."""
    found = (*await unkept_promises(cycle), *await verified(cycle))
    if cycle.mode is not Mode.LIGHT:
        known = {finding.id for finding in found}
        found += tuple(each for each in await flags(cycle.run, _JUDGED) if each.id not in known)
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
