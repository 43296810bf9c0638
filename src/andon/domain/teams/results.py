"""What a member hands in, and what a reviewer says of it, read from their replies (B-43, B-57, E-06)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, cast

from andon.domain.grammar import Unreadable, read_number, read_object
from andon.domain.teams.deciding import NO, YES, Ballot
from andon.domain.teams.ralph import Criterion, Verdict

MOST_ITEMS, MOST_MESSAGES, MOST_VOTES = 200, 20, 100
LONGEST = 20_000
"""Characters of a text that is kept."""
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
"""What no file and no commit can hold: a reply must not be able to end a run."""
_VERDICT = re.compile(r"^\W*VERDICT\W*:\W*(SHIP|REVISE)\b", re.IGNORECASE)


class Said(StrEnum):
    """What a member says of its own work. andon measures, others review."""

    DONE = "DONE"
    PARTIAL = "PARTIAL"
    BLOCKED = "BLOCKED"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was asked for, and what came of it."""

    item: str
    analysis: str
    sources: tuple[str, ...] = ()
    """Files that it rests on, each perhaps with a line: `src/a.py:12`."""


@dataclass(frozen=True, slots=True)
class Message:
    """From one member to another."""

    to: str
    text: str
    by: str = ""
    """As andon knows; a reply does not say who it is."""


@dataclass(frozen=True, slots=True)
class Result:
    status: Said
    summary: str
    items: tuple[Item, ...] = ()
    links: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    blocked: str = ""
    """What it cannot solve by itself."""
    votes: tuple[Ballot, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"status": self.status.value}

    def text(self) -> str:
        """As those read it who go on with it."""
        parts = [self.summary, *(_told(item) for item in self.items)]
        return "\n\n".join(part for part in parts if part)


def _told(item: Item) -> str:
    rests = f"\nSources: {', '.join(item.sources)}" if item.sources else ""
    return f"{item.item}: {item.analysis}{rests}".strip(": \n")


def read_result(text: str) -> Result | Unreadable:
    """From a reply that ends with the object."""
    found = read_object(text)
    return found if isinstance(found, Unreadable) else result_of(found)


def result_of(found: Mapping[str, Any]) -> Result | Unreadable:
    status = str(found.get("status", "")).upper()
    if status not in list(Said):
        return Unreadable(f"`status` is one of {', '.join(Said)}")
    summary, blocked = _text(found.get("summary")), _text(found.get("blocked"))
    if not summary:
        return Unreadable("`summary` says nothing")
    if status == Said.BLOCKED and not blocked:
        return Unreadable("`blocked` does not say what is in the way")
    items = _items(found.get("items"))
    if isinstance(items, Unreadable):
        return items
    if status != Said.BLOCKED and not items:
        return Unreadable("`items` is empty: one for each thing that was asked for")
    messages = tuple(
        Message(_text(each.get("to")), _text(each.get("text")))
        for each in _objects(found.get("messages"))[:MOST_MESSAGES]
        if _text(each.get("to")) and _text(each.get("text"))
    )
    votes = _votes(found.get("votes"))
    return Result(Said(status), summary, items, _texts(found.get("links")), messages, blocked, votes)


def _votes(told: object) -> tuple[Ballot, ...]:
    """What is no vote is none: it holds up nobody's work."""
    rows = [(str(row.get("decision")), str(row.get("vote")).strip().lower()) for row in _objects(told)[:MOST_VOTES]]
    numbered = ((read_number(decision), vote) for decision, vote in rows if vote in (YES, NO))
    return tuple(Ballot(number, vote) for number, vote in numbered if number is not None)


def _items(told: object) -> tuple[Item, ...] | Unreadable:
    rows = _objects(told)
    if not isinstance(told, list | tuple) or len(rows) != len(cast("Sequence[object]", told)):
        return Unreadable("`items` is a list of objects with item, analysis and sources")
    if len(rows) > MOST_ITEMS:
        return Unreadable(f"`items` has more than {MOST_ITEMS}")
    return tuple(Item(_text(row.get("item")), _text(row.get("analysis")), _texts(row.get("sources"))) for row in rows)


def _objects(told: object) -> list[Mapping[str, Any]]:
    rows = cast("Sequence[object]", told) if isinstance(told, list | tuple) else ()
    return [cast("Mapping[str, Any]", row) for row in rows if isinstance(row, Mapping)]


def _texts(told: object) -> tuple[str, ...]:
    rows = cast("Sequence[object]", told) if isinstance(told, list | tuple) else ()
    return tuple(text for row in rows if (text := _text(row)))


def _text(told: object) -> str:
    return _writable(told.strip()[:LONGEST]) if isinstance(told, str) else ""


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)


# --- reviews --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a reviewer says of a result."""

    verdict: Verdict
    feedback: str = ""
    scores: Mapping[Criterion, float] = field(default_factory=dict[Criterion, float])
    """Of those criteria that nothing measures, from 0 to 5."""


def read_opinion(text: str) -> Opinion:
    """Whatever cannot be read is a REVISE (E-06)."""
    lines = [line for line in text.splitlines() if line.strip()]
    said = _VERDICT.match(lines[0]) if lines else None
    found = read_object(text)
    told: Mapping[str, Any] = {} if isinstance(found, Unreadable) else found
    if said is None:
        return Opinion(Verdict.REVISE, "The review has no line `VERDICT: SHIP` or `VERDICT: REVISE`.", {})
    return Opinion(Verdict(said[1].upper()), _feedback(lines[1:], told), _scores(told.get("scores")))


def _feedback(lines: Sequence[str], told: Mapping[str, Any]) -> str:
    return _text(told.get("feedback")) or _text("\n".join(lines).partition("```")[0])


def _scores(told: object) -> dict[Criterion, float]:
    rows: Mapping[str, object] = cast("Mapping[str, object]", told) if isinstance(told, Mapping) else {}
    return {
        Criterion(name): float(min(5, max(0, score)))
        for name, score in rows.items()
        if name in list(Criterion) and isinstance(score, int | float) and not isinstance(score, bool)
    }
