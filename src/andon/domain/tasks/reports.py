"""Reports of a last phase that an agent carries out: complete, and every failure explained (D-37, D-50, D-51).

A report is a claim. That the tests pass is measured; this only says whether the report can be reviewed.
"""

from __future__ import annotations

import re

from andon.domain.auto.outline import Kind, Line, read_outline
from andon.domain.tasks.automation import GROUPS
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.markdown import lacking, mentioned
from andon.domain.tasks.modify_app import CHECKLIST

_FAILED = re.compile(r"❌|✗|✘|\bFAIL(?:ED|URE|S)?\b|\bfail(?:ed|s|ing)\b|실패(?! ?(?:시|하면|할))", re.IGNORECASE)
_NO_FAILURE = re.compile(
    r"\b(?:0|no|none|never|zero|without)\b[^.;,]{0,30}\bfail|fail\w*\s*[:=|]?\s*(?:0|none)\b|실패\s*[:：]?\s*(?:0"
    r"|없)|when .{0,40}fail"
    r"|\bfail\w*\b.{0,40}\b(?:triggers?|retried|is handled|are handled)",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\s*[-*+]\s+\[ \]\s+\S")
_EXPLAINED = re.compile(
    r"\b(?:because|since|due to|reason|cause[ds]?|expected|known|explanation|flaky|unrelated|environment)\b"
    r"|때문|원인|이유|사유|설명|알려진|무관",
    re.IGNORECASE,
)


def modification_report(text: str) -> Criterion:
    """Everything of the checklist is spoken of, manual tests included (D-37)."""
    return Criterion.of("report", [f"no word about {each.name}" for each in CHECKLIST if not mentioned(text, each)])


def workflow_report(text: str) -> Criterion:
    """All six groups have results of their own (D-50, D-51)."""
    return Criterion.of("report", [f"no results of {name}" for name in lacking(text, GROUPS)])


def failures(text: str) -> tuple[tuple[int, str], ...]:
    """Lines that tell a failure, or an item that was left open, without an explanation on it or right below (D-51)."""
    lines = [line for line in read_outline(text) if line.kind is not Kind.HEADING]
    return tuple(
        (line.number, line.text.strip())
        for index, line in enumerate(lines)
        if _fails(line) and not _is_explained(line, lines[index + 1 : index + 3])
    )


def _fails(line: Line) -> bool:
    if line.kind is Kind.CODE:
        return False
    return _OPEN.match(line.text) is not None or (
        _FAILED.search(line.text) is not None and _NO_FAILURE.search(line.text) is None
    )


def _is_explained(line: Line, below: list[Line]) -> bool:
    if _EXPLAINED.search(line.text):
        return True
    indent = len(line.text) - len(line.text.lstrip())
    for each in below:
        deeper = len(each.text) - len(each.text.lstrip()) > indent
        if each.kind is Kind.BLANK or not (deeper or each.kind is Kind.PROSE):
            return False
        if _EXPLAINED.search(each.text):
            return True
    return False


def failures_explained(text: str) -> Criterion:
    """Every failure in the report is explained (D-37, D-51)."""
    return Criterion.of(
        "failures_explained", [f"line {number} is not explained: {told}" for number, told in failures(text)]
    )
