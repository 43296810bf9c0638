"""What members leave in their team's memory above the files: states, discoveries, decisions (B-45, B-46)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from andon.domain.teams.results import Result
from andon.domain.teams.team import LEAD, Work


class Sort(StrEnum):
    STATE = "state"
    DISCOVERY = "discovery"
    DECISION = "decision"
    """That the plan should be otherwise: proposed, until somebody approves or rejects it."""


@dataclass(frozen=True, slots=True)
class Shared:
    sort: Sort
    by: str
    """The member."""
    text: str
    tags: tuple[str, ...] = ()
    key: str = ""
    """Of a state: its name."""


def discoveries(work: Work, result: Result) -> list[Shared]:
    """What a result holds that others may look for."""
    tags = (work.id, work.category)
    items = [Shared(Sort.DISCOVERY, work.member, f"{item.item}: {item.analysis}", tags) for item in result.items]
    wishes = [Shared(Sort.DECISION, work.member, each.text) for each in result.messages if each.to == LEAD]
    return items + wishes


def state_of(work: Work, state: str) -> Shared:
    return Shared(Sort.STATE, work.member, state, key=f"unit/{work.id}")
