"""What members leave in their team's memory above the files: states, discoveries, decisions (B-45, B-46)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from andon.domain.teams.deciding import Decision
from andon.domain.teams.results import Result
from andon.domain.teams.team import Work


class Sort(StrEnum):
    STATE = "state"
    DISCOVERY = "discovery"
    DECISION = "decision"
    """That the plan should be otherwise, with the votes on it."""


@dataclass(frozen=True, slots=True)
class Shared:
    sort: Sort
    by: str
    """The member."""
    text: str
    tags: tuple[str, ...] = ()
    key: str = ""
    """Of a state: its name."""
    ttl: int = 0
    """Of a state: the seconds after which it is not true any more. 0: it stays."""
    decision: Decision | None = None
    """Of a decision: all of it."""


def discoveries(work: Work, result: Result) -> list[Shared]:
    """What a result holds that others may look for."""
    tags = (work.id, work.category)
    return [Shared(Sort.DISCOVERY, work.member, f"{item.item}: {item.analysis}", tags) for item in result.items]


def state_of(work: Work, state: str, ttl: float = 0) -> Shared:
    return Shared(Sort.STATE, work.member, state, key=f"unit/{work.id}", ttl=int(ttl))


def decision_row(each: Decision) -> Shared:
    return Shared(Sort.DECISION, each.by, each.text, decision=each)
