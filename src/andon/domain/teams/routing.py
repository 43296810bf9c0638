"""Which model does what: by the kind of work, and by the place in a team (B-27, B-28)."""

from __future__ import annotations

import re
from enum import StrEnum

from andon.domain.teams.units import AgentType


class Place(StrEnum):
    """In a team."""

    LEAD = "lead"
    CATEGORY_LEAD = "category_lead"
    WORKER = "worker"


OPUS, SONNET, HAIKU = "opus", "sonnet", "haiku"
LEAD_MODEL, LONG = "opus[1m]", "sonnet[1m]"
LONG_CONTEXT = 400_000
"""Characters that a unit reads, from which on it gets a model with a large context."""

ROUTES = (
    (OPUS, r"architect\w*|integrat\w*|high[- ]risk|consensus|아키텍처|통합|고위험|합의"),
    (SONNET, r"implement\w*|refactor\w*|tests?\b|testing|scripts?\b|구현|리팩토링|테스트|스크립트"),
    (HAIKU, r"label\w*|classif\w*|triage\w*|convert\w*|transform\w*|라벨|분류|트리아지|변환"),
)
_PATTERNS = tuple((model, re.compile(rf"(?<!\w)(?:{words})", re.IGNORECASE)) for model, words in ROUTES)


def routed(text: str) -> str | None:
    """The model that the kind of work asks for; the stronger one where two do. None: the text does not say."""
    return next((model for model, pattern in _PATTERNS if pattern.search(text)), None)


def model_for(place: Place, type: AgentType = AgentType.EXPLORE, *, long: bool = False, risky: bool = False) -> str:
    """The default of a place (B-28). The lead's is fixed; whoever plans gets more than who only reads (B-27)."""
    match place:
        case Place.LEAD:
            return LEAD_MODEL
        case Place.CATEGORY_LEAD:
            return LONG if long else SONNET
        case Place.WORKER if risky:
            return OPUS
        case Place.WORKER if long:
            return LONG
        case _:
            return HAIKU if type is AgentType.EXPLORE else SONNET


def worker_model(text: str, type: AgentType, *, long: bool) -> str:
    """What a unit's worker gets: what the work asks for, but never less than its place needs (B-27, B-28)."""
    asked = routed(text)
    needed = model_for(Place.WORKER, type, long=long, risky=asked == OPUS)
    return asked if asked and needed == HAIKU else needed
