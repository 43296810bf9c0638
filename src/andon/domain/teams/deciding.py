"""What members want otherwise, and how a team settles it: by votes of its members, or by a person (B-43, B-46).

Whoever proposes has voted for it. More than half of the votes there can be approve; as soon as that cannot be reached
any more, it is rejected. What nobody settles stays proposed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, cast

YES, NO = "yes", "no"
MOST = 30
"""Decisions that members are told of."""
LONGEST, LONGEST_NAME = 1_000, 80
"""Characters of one, and of whoever proposed it, as they are told."""


class Stand(StrEnum):
    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Ballot:
    """What a member says to a proposal, by the number that the proposal has in its order."""

    decision: int
    vote: str


@dataclass(frozen=True, slots=True)
class Decision:
    text: str
    by: str
    at: int
    """When it was proposed, in seconds since 1970."""
    votes: Mapping[str, str] = field(default_factory=dict[str, str])
    """By member, or by person."""
    stand: Stand = Stand.PROPOSED
    id: int | None = None
    """In the team's database, where it was there before the run."""

    @property
    def open(self) -> bool:
        return self.stand is Stand.PROPOSED

    @property
    def count(self) -> str:
        said = list(self.votes.values())
        return f"{said.count(YES)} yes, {said.count(NO)} no"

    def voted(self, by: str, vote: str, voters: Collection[str]) -> Decision:
        """With this vote, and settled where that settles it. What is settled takes no votes."""
        if not self.open or by not in voters:
            return self
        votes = {**self.votes, by: vote}
        return replace(self, votes=votes, stand=_settled(votes, voters))

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"votes": dict(self.votes), "stand": self.stand.value}


def _settled(votes: Mapping[str, str], voters: Collection[str]) -> Stand:
    """Only votes of those who have one count, however the others came in."""
    said = [vote for name, vote in votes.items() if name in voters]
    if 2 * said.count(YES) > len(voters):
        return Stand.APPROVED
    return Stand.REJECTED if 2 * said.count(NO) >= len(voters) else Stand.PROPOSED


def proposed(text: str, by: str, at: float, voters: Collection[str]) -> Decision:
    return Decision(text, by, int(at)).voted(by, YES, voters)


def read_decision(told: Mapping[str, Any]) -> Decision | None:
    """From data that anybody may have edited. None: it is no decision."""
    text, by, at, id = (told.get(key) for key in ("text", "by", "at", "id"))
    if not isinstance(text, str) or not text or told.get("stand") not in list(Stand):
        return None
    votes: object = told.get("votes")
    said = cast("Mapping[object, object]", votes).items() if isinstance(votes, Mapping) else ()
    kept = {str(name): str(vote) for name, vote in said if vote in (YES, NO)}
    when = at if isinstance(at, int) else 0
    return Decision(text, str(by or ""), when, kept, Stand(told["stand"]), id if isinstance(id, int) else None)


def joined(ours: Sequence[Decision], theirs: Sequence[Decision]) -> list[Decision]:
    """What the run knows, with what its database has: there a person may have settled it meanwhile, or otherwise."""
    there = {_key(each): each for each in theirs}
    known = {_key(each) for each in ours}
    return [*(there.get(_key(each), each) for each in ours), *(each for each in theirs if _key(each) not in known)]


def _key(each: Decision) -> tuple[str, str, int]:
    return each.text, each.by, each.at


def told(decisions: Sequence[Decision]) -> str:
    """As an order has them: the newest, each by its number."""
    rows = list(enumerate(decisions, start=1))[-MOST:]
    return "\n".join(
        f"{number}. {each.stand} ({each.count}), from {_line(each.by, LONGEST_NAME)}: {_line(each.text, LONGEST)}"
        for number, each in rows
    )


def _line(text: str, most: int) -> str:
    return " ".join(text.split())[:most]
