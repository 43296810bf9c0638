"""What the quality-checker found: by severity, with place and remedy. Critical ones count as a rejection (G-07)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from andon.domain.grammar import Unreadable, read_object


class Severity(StrEnum):
    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


@dataclass(frozen=True, slots=True)
class QualityFinding:
    severity: Severity
    problem: str
    file: str = ""
    line: int = 0
    fix: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        remedy = f" Fix: {self.fix}" if self.fix else ""
        return f"{self.severity}: {place}{self.problem}{remedy}"


@dataclass(frozen=True, slots=True)
class Quality:
    findings: tuple[QualityFinding, ...] = ()

    @property
    def critical(self) -> tuple[QualityFinding, ...]:
        return tuple(each for each in self.findings if each.severity is Severity.CRITICAL)


def read_quality(text: str) -> Quality | Unreadable:
    """The list in a reply. No list is not an empty list: then nothing was judged."""
    found = read_object(text)
    if isinstance(found, Unreadable):
        return found
    entries = found.get("findings")
    if not isinstance(entries, list):
        return Unreadable("`findings` must be a list, empty when there is nothing")
    try:
        return Quality(tuple(_finding(each) for each in cast("list[object]", entries)))
    except ValueError as problem:
        return Unreadable(str(problem))


def _finding(value: object) -> QualityFinding:
    entry: Mapping[str, Any] = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    severity, problem = str(entry.get("severity", "")).casefold(), str(entry.get("problem", "")).strip()
    if severity not in tuple(Severity) or not problem:
        raise ValueError("a finding needs `severity` critical, major or minor, and `problem`")
    line = entry.get("line")
    return QualityFinding(
        Severity(severity),
        problem,
        str(entry.get("file") or ""),
        line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else 0,
        str(entry.get("fix") or ""),
    )
