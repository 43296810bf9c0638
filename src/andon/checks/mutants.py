"""Mutants: a product with one small mistake in it. A test is worth what it refuses, and these are what it is offered.

A mutant is one piece of one file, written otherwise. Languages make them (`languages/*/mutants.py`); this knows what
they are made of, which are tried first, and how a person is shown one.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

SHOWN_LINES = 1


class Kind(StrEnum):
    """In the order in which they are tried."""

    HOLLOW = "hollow"
    """A function that returns at once."""
    RESULT = "result"
    """What is returned is nothing."""
    CONDITION = "condition"
    COMPARISON = "comparison"
    OPERATOR = "operator"
    CONSTANT = "constant"
    CALL = "call"
    """A statement that is left out."""
    RAISING = "raising"
    """A function that fails at once: shows who reaches it, not who looks at it."""


ORDER = {kind: number for number, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True)
class Mutant:
    path: str
    function: str
    """Its name as a reader says it: `Cart.total`."""
    line: int
    """Where the function begins, its decorators included."""
    start: int
    end: int
    """In bytes of the file."""
    new: str
    kind: Kind

    @property
    def id(self) -> str:
        return f"{self.path}:{self.start}-{self.end}:{self.kind}"

    def mutate(self, text: str) -> str:
        data = text.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()

    def show(self, text: str) -> str:
        """What was made otherwise, as the lines of a diff."""
        old, new = text.splitlines(), self.mutate(text).splitlines()
        told = difflib.unified_diff(old, new, lineterm="", n=0)
        return "\n".join(line for line in told if not line.startswith(("---", "+++", "@@")))

    def tell(self, text: str) -> str:
        """One line for people."""
        if self.kind in (Kind.HOLLOW, Kind.RAISING):
            return f"`{self.function}` {'returned at once' if self.kind is Kind.HOLLOW else 'failed at once'}"
        old = " ".join(text.encode()[self.start : self.end].decode("utf-8", "replace").split())
        if self.kind is Kind.CALL:
            return f"`{_brief(old)}` was left out of `{self.function}`"
        return f"`{_brief(old)}` became `{_brief(' '.join(self.new.split()))}` in `{self.function}`"


def _brief(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def choose(mutants: Iterable[Mutant], most: int, seed: str) -> list[Mutant]:
    """The hollow bodies of all functions first, then one more of each, and so on: the same for the same seed."""
    chance = random.Random(seed)
    by_function: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in mutants:
        by_function.setdefault((mutant.path, mutant.line), []).append(mutant)
    rounds = zip_longest(*(_varied(group, chance) for group in by_function.values()))
    return [mutant for row in rounds for mutant in row if mutant is not None][:most]


def _varied(group: Sequence[Mutant], chance: random.Random) -> list[Mutant]:
    """One of each kind, then the second of each kind …, each kind in an order of its own."""
    kinds: dict[Kind, list[Mutant]] = {}
    for mutant in group:
        kinds.setdefault(mutant.kind, []).append(mutant)
    for of_kind in kinds.values():
        chance.shuffle(of_kind)
    ordered = [kinds[kind] for kind in Kind if kind in kinds]
    return [mutant for row in zip_longest(*ordered) for mutant in row if mutant is not None]
