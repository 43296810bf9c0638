"""Whether a document draws something: mermaid, or arrows and boxes as text (D-16, D-43)."""

from __future__ import annotations

import re

from andon.domain.auto.outline import Kind, read_outline
from andon.domain.tasks.criteria import Criterion

ARROWS_NEEDED = 2
_DRAWN = re.compile(r" {0,3}(?:```|~~~)\s*(?:mermaid|plantuml|puml|dot|graphviz|d2)\b", re.IGNORECASE)
_ARROW = re.compile(r"→|⇒|⟶|─>|─▶|└→|├→|-{1,3}>|={1,2}>|▼|↓|\|--")
_BOX = re.compile(r"[┌┐└┘├┤│─╭╮╰╯]{2,}|\+-{3,}\+")


def has_diagram(text: str) -> bool:
    """A fence of a language for diagrams, or two arrows or boxes in a fence or in the same paragraph (D-16, D-43)."""
    drawn = 0
    for line in read_outline(text):
        if _DRAWN.match(line.text):
            return True
        if line.kind is Kind.BLANK:
            drawn = 0
        elif line.kind in (Kind.CODE, Kind.PROSE, Kind.ITEM):
            drawn += len(_ARROW.findall(line.text)) + len(_BOX.findall(line.text))
        if drawn >= ARROWS_NEEDED:
            return True
    return False


def diagram(text: str) -> Criterion:
    """As a criterion (D-43)."""
    return Criterion.of("diagram", [] if has_diagram(text) else ["no diagram, as text or mermaid"])
