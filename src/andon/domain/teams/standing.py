"""How far a team is: what stands in its state file, as data and back, whoever edited it meanwhile."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from andon.domain.grammar import Unreadable
from andon.domain.teams.deciding import Decision, read_decision
from andon.domain.teams.results import Message, Result, result_of

STATE = "team_state.json"
OPEN, DONE, FAILED = "open", "done", "failed"
STATES = (OPEN, DONE, FAILED)
_TREE = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class UnitState:
    """What became of a unit."""

    state: str = OPEN
    iterations: int = 0
    forced: bool = False
    """Shipped because the reviews were used up, not because anybody agreed."""
    result: Result | None = None
    why: str = ""
    """Why it failed."""

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"state": self.state, "iterations": self.iterations, "forced": self.forced}
        return told | {"result": self.result.as_json() if self.result else None, "why": self.why}


@dataclass(frozen=True, slots=True)
class Lane:
    """Work of a unit that is not in the run's files yet."""

    name: str
    base: str
    tree: str
    attempt: int = 1
    done: bool = False
    """It is handed in; what is left is to judge it."""
    result: Result | None = None
    feedback: str = ""
    """What the attempt was told."""

    def as_json(self) -> dict[str, Any]:
        told = {"name": self.name, "base": self.base, "tree": self.tree, "attempt": self.attempt, "done": self.done}
        return told | {"result": self.result.as_json() if self.result else None, "feedback": self.feedback}


@dataclass(frozen=True, slots=True)
class Standing:
    units: Mapping[str, UnitState] = field(default_factory=dict[str, UnitState])
    lanes: tuple[Lane, ...] = ()
    messages: tuple[Message, ...] = ()
    """Not delivered yet."""
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a person said, by unit."""
    decisions: tuple[Decision, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "units": {id: each.as_json() for id, each in self.units.items()},
            "lanes": [each.as_json() for each in self.lanes],
            "messages": [{"to": each.to, "text": each.text, "by": each.by} for each in self.messages],
            "answers": dict(self.answers),
            "decisions": [each.as_json() for each in self.decisions],
        }


def read_standing(told: Mapping[str, Any]) -> Standing:
    """From the state file. Whatever cannot be is left out: that unit is done once more."""
    units = {id: unit for id, row in _mapping(told.get("units")).items() if (unit := _unit(_mapping(row)))}
    lanes = tuple(lane for row in _listing(told.get("lanes")) if (lane := _lane(_mapping(row))))
    messages = tuple(
        Message(str(row["to"]), str(row["text"]), str(row.get("by", "")))
        for each in _listing(told.get("messages"))
        if (row := _mapping(each)).get("to") and row.get("text")
    )
    answers = {id: text for id, text in _mapping(told.get("answers")).items() if isinstance(text, str)}
    rows = [_mapping(each) for each in _listing(told.get("decisions"))]
    decisions = tuple(found for row in rows if (found := read_decision(row)))
    return Standing(units, lanes, messages, answers, decisions)


def read_state(text: str) -> dict[str, Any]:
    """Nothing, where it is no object."""
    try:
        return dict(_mapping(json.loads(text)))
    except ValueError:
        return {}


def _unit(row: Mapping[str, Any]) -> UnitState | None:
    state, count = row.get("state"), row.get("iterations")
    result = _result(row.get("result"))
    if state not in STATES or (state == DONE and result is None):
        return None
    count = count if isinstance(count, int) and count >= 0 else 0
    return UnitState(str(state), count, row.get("forced") is True, result, str(row.get("why") or ""))


def _lane(row: Mapping[str, Any]) -> Lane | None:
    name, base, tree, attempt = (row.get(key) for key in ("name", "base", "tree", "attempt"))
    if not isinstance(name, str) or not all(isinstance(each, str) and _TREE.fullmatch(each) for each in (base, tree)):
        return None
    count = attempt if isinstance(attempt, int) and attempt > 0 else 1
    feedback = row.get("feedback")
    said = feedback if isinstance(feedback, str) else ""
    return Lane(name, str(base), str(tree), count, row.get("done") is True, _result(row.get("result")), said)


def _result(told: object) -> Result | None:
    found = result_of(cast("Mapping[str, Any]", told)) if isinstance(told, Mapping) else None
    return None if isinstance(found, Unreadable) else found


def _mapping(told: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", told) if isinstance(told, Mapping) else {}


def _listing(told: object) -> Sequence[Any]:
    return cast("Sequence[Any]", told) if isinstance(told, list) else ()
