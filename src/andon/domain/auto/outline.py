"""A Markdown document as the gates see it: lines that know their kind and the sections they stand in.

Line by line on purpose: agents write imperfect Markdown, and a gate must not fail on it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.language import Section, sections_of


class Kind(StrEnum):
    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    PROSE = "prose"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str
    kind: Kind
    sections: frozenset[Section]
    """Sections announced by the headings above it, its own included when it is one."""


_HEADING = re.compile(r" {0,3}(#{1,6})\s+(\S.*)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+\S")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")


def read_outline(text: str) -> tuple[Line, ...]:
    lines: list[Line] = []
    stack: list[tuple[int, frozenset[Section]]] = []
    fence = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        opening = _FENCE.match(raw)
        heading = None if fence else _HEADING.match(raw)
        if fence or opening:
            kind = Kind.CODE
            if opening and (not fence or raw.strip().startswith(fence)):
                fence = "" if fence else opening.group(1)
        elif heading:
            kind, level = Kind.HEADING, len(heading.group(1))
            stack = [entry for entry in stack if entry[0] < level]
            stack.append((level, sections_of(heading.group(2).rstrip(" \t#"))))
        else:
            kind = _kind(raw)
        active = frozenset[Section]().union(*(sections for _, sections in stack))
        lines.append(Line(number, raw, kind, active))
    return tuple(lines)


def _kind(raw: str) -> Kind:
    if not raw.strip():
        return Kind.BLANK
    if raw.lstrip().startswith("|"):
        return Kind.ROW
    return Kind.ITEM if _ITEM.match(raw) else Kind.PROSE
