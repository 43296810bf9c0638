"""How a design splits the work among parallel implementers: areas with file scopes that do not meet (A-75, G-27).

A split that does not hold is not used, and `Split.problem` says why; the work is then one implementer's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from andon.domain.auto.outline import Kind, read_outline
from andon.domain.auto.paths import affected_files, as_path
from andon.domain.language import Section

MOST_AREAS = 4
"""Implementers that work at the same time; more would only wait for one another's checks."""
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+[*_`]*(?P<name>[A-Za-z][A-Za-z0-9-]{0,30})[*_`]*\s*[:：](?P<scope>.+)")
_NAME = re.compile(r"[a-z][a-z0-9-]*")
RESERVED = frozenset({"main", "manager", "verifier"})
"""Names that belong to the run's own worktree and to other teammates."""
_WORDS = re.compile(r"[^\s,;`\"'()]+")


@dataclass(frozen=True, slots=True)
class Area:
    name: str
    """`api` is worked on by `impl-api`."""
    scope: tuple[str, ...]
    """Files, and folders with a slash at their end."""

    @property
    def teammate(self) -> str:
        return f"impl-{self.name}"


@dataclass(frozen=True, slots=True)
class Split:
    areas: tuple[Area, ...] = ()
    problem: str = ""
    """Why a declared split is not used; empty when there is none, or it holds."""


def split_of(design: str) -> Split:
    """The areas of a design's section of work items, if there are two or more and each has files of its own."""
    areas = _declared(design)
    if len(areas) < 2:
        return Split()
    names = [area.name for area in areas]
    if len(set(names)) < len(names):
        return Split(problem="two work items have the same name")
    if len(areas) > MOST_AREAS:
        return Split(problem=f"{len(areas)} work items; at most {MOST_AREAS} are worked on at the same time")
    if odd := next((name for name in names if not _NAME.fullmatch(name) or name in RESERVED), None):
        return Split(problem=f"{odd or 'nothing'} cannot be the name of a work item")
    if empty := next((area.name for area in areas if not area.scope), ""):
        return Split(problem=f"{empty} names no files")
    if shared := _shared(areas):
        return Split(problem=f"more than one work item may change {shared}")
    if left := [path for path in affected_files(design) if not any(within(path, area.scope) for area in areas)]:
        return Split(problem=f"no work item may change {left[0]}")
    return Split(areas)


def within(path: str, scope: Sequence[str]) -> bool:
    """A folder's files are within it, whether or not its name ends with a slash."""
    return any(path.rstrip("/") == each.rstrip("/") or path.startswith(f"{each.rstrip('/')}/") for each in scope)


def _declared(design: str) -> tuple[Area, ...]:
    areas: list[Area] = []
    for line in read_outline(design):
        item = _ITEM.match(line.text) if line.kind is Kind.ITEM and Section.WORK_ITEMS in line.sections else None
        if item:
            areas.append(Area(item["name"].lower().removeprefix("impl-"), _scope(item["scope"])))
    return tuple(areas)


def _scope(text: str) -> tuple[str, ...]:
    paths = (as_path(word) for word in _WORDS.findall(text))
    return tuple(dict.fromkeys(path for path in paths if path and not path.startswith("/") and ".." not in path))


def _shared(areas: Sequence[Area]) -> str:
    """A path that two areas may change."""
    for index, area in enumerate(areas):
        for other in areas[index + 1 :]:
            for path in area.scope:
                if within(path, other.scope):
                    return path
            for path in other.scope:
                if within(path, area.scope):
                    return path
    return ""
