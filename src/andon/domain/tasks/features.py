"""Features that a document lists, and whether other documents know them (D-12, D-16, D-18)."""

from __future__ import annotations

import re

from andon.domain.auto.outline import Kind, read_outline
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.markdown import passages, rows
from andon.domain.tasks.quality import keywords

KNOWN = 0.5
"""Of a feature's words, the share that another text must have."""
_FEATURES = re.compile(r"features?(?: list| name)?|name|기능(?: ?이름| ?목록)?|이름", re.IGNORECASE)
_NO_FEATURE = re.compile(
    r"^(?:priorit(?:y|ies)|feature (?:list|details?)|features?$|traceability|기능 목록|기능 상세|추적표|must|should"
    r"|could|won'?t|overview|summary|introduction|description|notes?|out of scope"
    r"|non-goals"
    r"|p\d|high|medium|low|mvp|later|우선순위|개요|요약|설명|높음|중간|낮음|제외)\b",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^(?:[a-z]{0,3}-?\d+(?:\.\d+)*[.):]?\s+)+", re.IGNORECASE)
_LETTERED = re.compile(r"F-?\d+(?:\.\d+)*[.):]?\s+\S")
_FEATURE_LABEL = re.compile(r"^(?:feature|기능)\s*\d*\s*[:：.-]\s*", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<bold>\*\*|__)?(?P<rest>\S.*)")


def features_of(text: str) -> tuple[str, ...]:
    """Names of features: `F1 Name` in headings and tables, else numbered headings, else bold items (D-16)."""
    titles = [each.title for each in passages(text)]
    found = [title for title in titles if _LETTERED.match(title) or _FEATURE_LABEL.match(title)] + _in_tables(text)
    found = found or [title for title in titles if _NUMBERING.match(title)]
    found = found or [name for line in read_outline(text) if line.kind is Kind.ITEM and (name := _bold(line.text))]
    return tuple(dict.fromkeys(name for each in found if (name := _name(each))))


def _in_tables(text: str) -> list[str]:
    """The column of names of every table below a heading about features."""
    found: list[str] = []
    for each in passages(text):
        cells = rows(each.lines)
        if not cells or any(line.kind is Kind.HEADING for line in each.lines):
            continue
        heads = [bool(_FEATURES.fullmatch(cell)) for cell in cells[0]]
        if not any(heads) or not (_FEATURES.search(each.title) or _FEATURES.fullmatch(cells[0][0])):
            continue
        column = heads.index(True)
        found += [row[column] for row in cells[1:] if len(row) > column]
    return found


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
    """What of these features `where` does not know, by their words alone: a hint for who judges it (D-12, D-16)."""
    return Criterion.of(id, [f"{where} does not know the feature {each}" for each in unknown_features(text, others)])
