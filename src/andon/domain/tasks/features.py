"""Features that a document lists, and whether other documents know them (D-12, D-16, D-18)."""

from __future__ import annotations

import re

from andon.domain.auto.outline import Kind, read_outline
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.markdown import passages, rows
from andon.domain.tasks.quality import keywords

KNOWN = 0.5
"""Of a feature's words, the share that another text must have."""
_FEATURES = re.compile(r"feature|기능", re.IGNORECASE)
_NO_FEATURE = re.compile(
    r"^(?:priorit(?:y|ies)|must|should|could|won'?t|overview|summary|introduction|description|notes?|out of scope"
    r"|non-goals"
    r"|p\d|high|medium|low|mvp|later|우선순위|개요|요약|설명|높음|중간|낮음|제외)\b",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^(?:[a-z]{0,3}-?\d+(?:\.\d+)*[.):]?\s+)+", re.IGNORECASE)
_FEATURE_LABEL = re.compile(r"^(?:feature|기능)\s*\d*\s*[:：.-]\s*", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<bold>\*\*|__)?(?P<rest>\S.*)")


def features_of(text: str) -> tuple[str, ...]:
    """Names of features: numbered headings, bold beginnings of items, the first column of a table (D-16)."""
    found: list[str] = []
    for each in passages(text):
        if _FEATURE_LABEL.match(each.title) or _NUMBERING.match(each.title):
            found.append(each.title)
    tables = [each for each in passages(text) if any(line.kind is Kind.ROW for line in each.lines)]
    for table in tables[:1] if tables and tables[0].level == 1 else tables:
        cells = rows(table.lines)
        if cells and _FEATURES.search(cells[0][0]):
            found += [row[0] for row in cells[1:]]
    if not found:
        found = [name for line in read_outline(text) if line.kind is Kind.ITEM and (name := _bold(line.text))]
    return tuple(dict.fromkeys(name for each in found if (name := _name(each))))


def _bold(text: str) -> str:
    """The bold beginning of an item at the margin."""
    match = _ITEM.match(text)
    if not match or not match["bold"]:
        return ""
    return match["rest"].partition(match["bold"])[0]


def _name(title: str) -> str:
    plain = _FEATURE_LABEL.sub("", _NUMBERING.sub("", title.strip(" *_`:："))).strip(" *_`:：")
    return "" if _NO_FEATURE.match(plain) else plain


def unknown_features(text: str, others: str) -> tuple[str, ...]:
    """Features of which fewer than half of the words stand in the other texts (D-12, D-16)."""
    known = set(keywords(others))
    plain = others.casefold()
    return tuple(
        feature
        for feature in features_of(text)
        if (words := keywords(feature)) and sum(word in known or word in plain for word in words) / len(words) < KNOWN
    )


def features_known(id: str, text: str, others: str, where: str) -> Criterion:
    """As a criterion: what of these features `where` does not know (D-12, D-16)."""
    return Criterion.of(id, [f"{where} does not know the feature {each}" for each in unknown_features(text, others)])
