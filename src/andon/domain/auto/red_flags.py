"""Red flags in an implementer's diff and coverage (A-85). Finds them; fixing them is an agent's work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.limits import AutoLimits


class Flag(StrEnum):
    MARKER = "todo_comment"
    BARE_EXCEPT = "bare_except"
    EMPTY_CATCH = "empty_catch"
    SUPPRESSION = "suppressed_finding"
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


@dataclass(frozen=True, slots=True)
class _Written:
    path: str
    line: int
    text: str
    mark: str

    @property
    def added(self) -> bool:
        return self.mark == "+"


_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
LONGEST_LINE = 2000
"""Characters read of one line: minified files have lines of megabytes."""
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc")


def in_diff(diff: str) -> tuple[RedFlag, ...]:
    """Flags on lines that a unified diff adds, with file and line of the new version."""
    shown = [*_written(diff)]
    lines = [line for line in shown if line.mark != "-"]
    found: list[RedFlag] = []
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) and lines[index + 1].path == line.path else None
        flag = _flag(line, following)
        if flag and (line.added or (following is not None and following.added)) and not line.path.endswith(_PROSE):
            found.append(RedFlag(flag, line.text.strip()[:200], line.path, line.line))
    return tuple(found) + tuple(_suppressions(shown))


_SUPPRESSION = re.compile(
    r"#\s*(?:ruff:\s*|flake8:\s*)?noqa\b|#\s*type:\s*ignore\b|#\s*(?:mypy|pyright|pylint):\s*(?:ignore|disable)"
    r"|\beslint-disable|@ts-(?:ignore|nocheck|expect-error)\b|//\s*nolint\b|#!?\[allow\(|@SuppressWarnings\b"
    r"|CHECKSTYLE:OFF",
    re.IGNORECASE,
)


def _suppressions(lines: list[_Written]) -> Iterator[RedFlag]:
    """Orders to a linter to look away, as far as a file has more of them than before: one that moved is none."""
    gone = Counter(line.path for line in lines if line.mark == "-" and _SUPPRESSION.search(line.text))
    for line in lines:
        if line.added and _SUPPRESSION.search(line.text) and not line.path.endswith(_PROSE):
            gone[line.path] -= 1
            if gone[line.path] < 0:
                yield RedFlag(Flag.SUPPRESSION, line.text.strip()[:200], line.path, line.line)


_MARKER = re.compile(r"(?:#|//|/\*|^\s*\*|<!--|--|;|%).*\b(?:TODO|FIXME|HACK)\b")
_BARE = re.compile(r"\s*except\s*:")
_SWALLOW = re.compile(r"\s*except\s+(?:Base)?Exception(?:\s+as\s+\w+)?\s*:\s*(?:pass|\.\.\.)?\s*(?:#.*)?$")
_CATCH_EMPTY = re.compile(r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*(?://.*|/\*.*\*/\s*)?\}")
_CATCH_OPEN = re.compile(r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*$")


def _flag(line: _Written, following: _Written | None) -> Flag | None:
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


def _written(diff: str) -> Iterator[_Written]:
    """The lines that the diff shows. Hunks are counted out, so that no content looks like a header."""
    path, number, old_left, new_left = "", 0, 0, 0
    for raw in diff.split("\n"):
        if old_left > 0 or new_left > 0:
            mark, text = raw[:1], raw[1:LONGEST_LINE].rstrip("\r")
            if mark == "\\":
                continue
            if mark == "-":
                old_left -= 1
                yield _Written(path, number, text, mark)
                continue
            yield _Written(path, number, text, mark)
            number, new_left = number + 1, new_left - 1
            old_left -= mark != "+"
        elif raw.startswith("+++ "):
            path = _path(raw[4:])
        elif hunk := _HUNK.match(raw):
            old_left, number, new_left = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)


def _path(name: str) -> str:
    name = name.rstrip("\r").split("\t")[0].strip()
    if name.startswith('"') and name.endswith('"'):
        # Git quotes names outside ASCII as octal bytes.
        quoted = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8) & 255), name[1:-1])
        name = quoted.encode("latin-1", "replace").decode("utf-8", "replace")
    return name.removeprefix("b/")


def in_coverage(percent: float | None, limits: AutoLimits) -> tuple[RedFlag, ...]:
    """A coverage below the mark. None, not measured, is no flag here; the check itself says so."""
    if percent is None or percent >= limits.coverage_warning:
        return ()
    return (RedFlag(Flag.LOW_COVERAGE, f"{percent:g}% is below {limits.coverage_warning}%"),)
