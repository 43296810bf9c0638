"""A question to the memory of a project, what it found and where, and who was asked (B-40)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from andon.domain.learning import words_of
from andon.domain.teams.layers import Kind, Layer, route


@dataclass(frozen=True, slots=True)
class Query:
    words: str = ""
    """None: everything."""
    kind: Kind | None = None
    """None: of every layer that is there."""
    tag: str = ""
    most: int = 20

    @property
    def loose(self) -> bool:
        """Whether it is enough to be about the same: of state and structured questions every word counts."""
        return bool(self.words) and self.kind not in (Kind.STATE, Kind.STRUCTURED)


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that is remembered, and where it comes from."""

    text: str
    layer: Layer
    place: str
    """The file, the table or the server it stands in."""
    id: str = ""
    by: str = ""
    """An agent, a role or a person."""
    run: str = ""
    at: str = ""
    """A date, as the layer has it."""
    verdict: str = ""
    """Of the run; nothing where no run stands behind it."""
    tags: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"layer": self.layer.value, "tags": list(self.tags)}


@dataclass(frozen=True, slots=True)
class Asked:
    """A layer that was asked: how much it knew, or why it said nothing."""

    layer: Layer
    name: str
    count: int = 0
    problem: str = ""
    hint: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "layer": self.layer.value,
            "name": self.name,
            "hits": self.count,
            "problem": self.problem,
            "hint": self.hint,
        }


@dataclass(frozen=True, slots=True)
class Recalled:
    hits: tuple[Hit, ...]
    asked: tuple[Asked, ...]

    @property
    def answered(self) -> tuple[Layer, ...]:
        """Who knew something."""
        return tuple(dict.fromkeys(each.layer for each in self.asked if each.count))

    def as_json(self) -> dict[str, Any]:
        return {
            "hits": [each.as_json() for each in self.hits],
            "asked": [each.as_json() for each in self.asked],
            "answered": [each.value for each in self.answered],
        }


def order(query: Query, present: Sequence[Layer], only: Layer | None = None) -> tuple[Layer, ...]:
    """Whom to ask, the highest first."""
    if only is not None:
        return (only,)
    if query.kind is not None:
        return route(query.kind, present)
    return tuple(layer for layer in reversed(tuple(Layer)) if layer in present)


def goes_on(query: Query, found: int) -> bool:
    """Whether the next lower layer is asked too: of a kind of question only while nobody knows anything."""
    return query.kind is None or not found


def has_words(text: str, words: str) -> bool:
    """All of them, as they stand there."""
    held = text.casefold()
    return all(word in held for word in words.casefold().split())


def is_about(text: str, words: str) -> bool:
    """One of them at least, apart from those that every text has."""
    return bool(words_of(text).keys() & words_of(words).keys())
