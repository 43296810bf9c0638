"""Placeholders left in a document, by the form of a marker alone: a text about todo apps is none (D-10, X-41)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from andon.domain.auto.outline import Kind, read_outline


@dataclass(frozen=True, slots=True)
class Placeholder:
    text: str
    line: int


_BRACKETED = re.compile(r"\[(?:(?:TODO|TBD)\b[^\]\n]{0,80}|(?i:insert)\s[^\]\n]{1,80})\](?!\()")
_PHRASE = re.compile(r"\b(?:coming soon|to be defined)\b", re.IGNORECASE)
_LEAD = r"^[\s>#*+•|_-]*+(?:\d{1,4}[.)]\s++)?(?:\[[ xX]\]\s++)?[*_]*+"
_MARKER = re.compile(
    r"\b(?:TODO|TBD)\b(?=\s?[:：])"
    rf"|{_LEAD}(?P<first>\b(?:TODO|TBD)\b)(?!-|\s*(?:(?i:apps?|applications?|lists?|items?|tasks?|managers?"
    rf"|boards?)\b|앱|목록|리스트|항목))"
)
"""At the start of a line `TODO app` is a name, `TODO write this` is a marker."""
_CODE = re.compile(r"`[^`]*`")


def placeholders(text: str) -> tuple[Placeholder, ...]:
    """Every placeholder with its line (D-10). Inline code quotes; in fences only what stands in brackets counts."""
    found: list[Placeholder] = []
    for line in read_outline(text):
        plain = _CODE.sub(lambda match: " " * len(match.group()), line.text)
        patterns = (_BRACKETED,) if line.kind is Kind.CODE else (_BRACKETED, _PHRASE, _MARKER)
        hits = [match for pattern in patterns for match in pattern.finditer(plain)]
        for match in sorted(hits, key=lambda each: each.start()):
            told = match.groupdict().get("first") or match.group()
            if not any(told in each.text for each in found if each.line == line.number):
                found.append(Placeholder(told, line.number))
    return tuple(found)
