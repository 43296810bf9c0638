"""The five parts of a completion report, and which of them a document lacks (A-125)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from andon.domain.auto.outline import Kind, read_outline
from andon.domain.language import announces


class Part(StrEnum):
    """In the order they are reported."""

    PLAN = "plan"
    DESIGN = "design"
    IMPLEMENTATION = "implementation"
    CHECK = "check"
    LESSONS = "lessons"


NAMES: Mapping[Part, tuple[str, ...]] = MappingProxyType(
    {
        Part.PLAN: ("plan", "계획"),
        Part.DESIGN: ("design", "설계"),
        Part.IMPLEMENTATION: ("implementation", "구현"),
        Part.CHECK: ("check", "checks", "verification", "검사", "검증"),
        Part.LESSONS: ("lessons", "lesson", "교훈", "배운 점"),
    }
)
_TITLE = re.compile(r" {0,3}#\s")
"""The document's own name announces no part of it."""


def missing_parts(report: str) -> tuple[Part, ...]:
    lines = [line.text for line in read_outline(report) if line.kind is Kind.HEADING]
    headings = [text.strip().strip("#") for text in lines if not _TITLE.match(text)]
    return tuple(part for part, names in NAMES.items() if not any(announces(each, names) for each in headings))
