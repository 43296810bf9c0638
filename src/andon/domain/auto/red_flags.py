"""Red flags in an implementer's diff and coverage (A-85). Finds them; fixing them is an agent's work."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from andon.domain.auto import suppressions
from andon.domain.auto.diffs import BINARY, Written, is_source, written
from andon.domain.limits import AutoLimits


class Flag(StrEnum):
    MARKER = "todo_comment"
    BARE_EXCEPT = "bare_except"
    EMPTY_CATCH = "empty_catch"
    SUPPRESSION = "suppressed_finding"
    UNREADABLE = "unreadable_source"
    LOW_COVERAGE = "low_coverage"


@dataclass(frozen=True, slots=True)
class RedFlag:
    flag: Flag
    text: str
    path: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}: " if self.path else ""
        return f"{place}{self.flag.value}: {self.text}"


LONGEST_LINE = 2000
"""Characters read of one line: minified files have lines of megabytes."""
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc")


def in_diff(diff: str) -> tuple[RedFlag, ...]:
    """Flags on lines that a unified diff adds, with file and line of the new version."""
    shown = [line for line in written(diff) if not line.path.endswith(_PROSE)]
    lines = [_cut(line) for line in shown if line.mark not in ("-", BINARY)]
    found: list[RedFlag] = []
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) and lines[index + 1].path == line.path else None
        flag = _flag(line, following)
        if flag and (line.added or (following is not None and following.added)):
            found.append(RedFlag(flag, line.text.strip()[:200], line.path, line.line))
    found += [RedFlag(Flag.SUPPRESSION, each.shown, line.path, line.line) for line, each in suppressions.added(shown)]
    found += [_unreadable(line) for line in shown if line.mark == BINARY and is_source(line.path)]
    return tuple(found)


def _cut(line: Written) -> Written:
    return replace(line, text=line.text[:LONGEST_LINE].rstrip("\r"))


def _unreadable(line: Written) -> RedFlag:
    return RedFlag(Flag.UNREADABLE, f"git takes this source for a binary file ({line.text[:12]})", line.path)


_MARKER = re.compile(r"(?:#|//|/\*|^\s*\*|<!--|--|;|%).*\b(?:TODO|FIXME|HACK)\b")
_BARE = re.compile(r"\s*except\s*:")
_SWALLOW = re.compile(r"\s*except\s+(?:Base)?Exception(?:\s+as\s+\w+)?\s*:\s*(?:pass|\.\.\.)?\s*(?:#.*)?$")
_CATCH_EMPTY = re.compile(r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*(?://.*|/\*.*\*/\s*)?\}")
_CATCH_OPEN = re.compile(r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*$")


def _flag(line: Written, following: Written | None) -> Flag | None:
    text, after = line.text, following.text.strip() if following else ""
    if line.added and _MARKER.search(text):
        return Flag.MARKER
    if line.added and _BARE.match(text):
        return Flag.BARE_EXCEPT
    if line.added and _CATCH_EMPTY.search(text):
        return Flag.EMPTY_CATCH
    if _CATCH_OPEN.search(text) and after.startswith("}"):
        return Flag.EMPTY_CATCH
    if _SWALLOW.match(text) and (text.rstrip().endswith(("pass", "...")) or after in ("pass", "...")):
        return Flag.BARE_EXCEPT
    return None


def in_coverage(percent: float | None, limits: AutoLimits) -> tuple[RedFlag, ...]:
    """A coverage below the mark. None, not measured, is no flag here; the check itself says so."""
    if percent is None or percent >= limits.coverage_warning:
        return ()
    return (RedFlag(Flag.LOW_COVERAGE, f"{percent:g}% is below {limits.coverage_warning}%"),)
