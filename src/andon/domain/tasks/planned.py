"""What a modification plan says is created, modified and deleted, against what was changed (D-31, D-34, D-35)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.auto.paths import named_paths
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.markdown import mentioned, part_of, passages
from andon.domain.tasks.modify_app import CREATE, DELETE, MODIFY, PLAN_PARTS, RISKS, TESTS

_PARTS = {part.name: part for part in PLAN_PARTS}
_MITIGATION = re.compile(r"mitigat|avoid|prevent|fall ?back|roll ?back|완화|대응|방지|예방|롤백", re.IGNORECASE)
_NONE = re.compile(r"\b(?:none|nothing|no files?|n/a)\b|없음|없다|해당 없", re.IGNORECASE)


class Change(StrEnum):
    CREATE = "create"
    MODIFY = "modify"
    DELETE = "delete"


_SECTIONS = {Change.CREATE: CREATE, Change.MODIFY: MODIFY, Change.DELETE: DELETE}


@dataclass(frozen=True, slots=True)
class Planned:
    path: str
    change: Change
    told: str = ""
    """Purpose, changes or reason, as its line has it."""


def planned_files(plan: str) -> tuple[Planned, ...]:
    """Every file of the plan's three lists (D-31)."""
    found: list[Planned] = []
    for change, name in _SECTIONS.items():
        passage = part_of(plan, _PARTS[name])
        if passage is None:
            continue
        lines = passage.text.splitlines()
        for each in named_paths(passage.text):
            told = lines[each.line - 1].replace(each.path, "").strip(" -*+`:|–—()")
            found.append(Planned(each.path, change, told))
    return tuple(found)


def file_plan(plan: str) -> Criterion:
    """The plan goes down to files, and says of each what for (D-31, D-32)."""
    files = planned_files(plan)
    if not files:
        return Criterion("file_plan", passed=False, detail="the plan names no file to create, modify or delete")
    wanted = {Change.CREATE: "purpose", Change.MODIFY: "changes", Change.DELETE: "reason"}
    problems = [f"{each.path}: no {wanted[each.change]}" for each in files if not _explained(plan, each)]
    for name in _SECTIONS.values():
        passage = part_of(plan, _PARTS[name])
        if passage is not None and not named_paths(passage.text) and not _NONE.search(passage.text):
            problems.append(f"{name}: neither a file nor `none`")
    return Criterion.of("file_plan", problems)


def _explained(plan: str, file: Planned) -> bool:
    """On its line, or below a heading of its own."""
    if re.search(r"\w", file.told):
        return True
    return any(file.path in each.title and each.filled for each in passages(plan))


def risks(plan: str) -> Criterion:
    """The four kinds of risk, and how they are mitigated (D-31, D-32)."""
    passage = part_of(plan, _PARTS["risks"])
    if passage is None:
        return Criterion("risks", passed=False, detail="no risk section")
    problems = [f"no word about {each.name}" for each in RISKS if not mentioned(passage.text, each)]
    if not _MITIGATION.search(passage.text):
        problems.append("no mitigation")
    return Criterion.of("risks", problems)


def strategy(plan: str) -> Criterion:
    """Existing tests, new tests, manual scenarios (D-31, D-32)."""
    told = "\n".join(
        each.text for each in passages(plan) if any(n in each.title.casefold() for n in ("test", "테스트"))
    )
    lacking = [each.name for each in TESTS if not mentioned(told, each)]
    return Criterion.of("test_strategy", [f"no word about {name}" for name in lacking])


def planned_changes(plan: str, changed: Mapping[str, Change]) -> Criterion:
    """Every planned file is changed, in the way the plan says (D-34)."""
    problems: list[str] = []
    for each in planned_files(plan):
        done = changed.get(each.path)
        if each.path.endswith("/"):
            done = next((change for path, change in changed.items() if path.startswith(each.path)), None)
        if done is None or (each.change is Change.DELETE) != (done is Change.DELETE):
            problems.append(f"planned change missing: {each.change.value} {each.path}")
    return Criterion.of("planned_changes", problems)


def unplanned_changes(plan: str, changed: Mapping[str, Change]) -> Criterion:
    """No file is changed that the plan does not name; the task's own documents are not counted (D-35)."""
    files = {each.path for each in planned_files(plan)}
    folders = tuple(each for each in files if each.endswith("/"))
    own = ("docs/analysis/", "docs/planning/", "docs/verification/")
    return Criterion.of(
        "unplanned_changes",
        [
            f"unplanned change: {change.value} {path}"
            for path, change in changed.items()
            if path not in files and not path.startswith(own) and not (folders and path.startswith(folders))
        ],
    )
