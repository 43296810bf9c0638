"""What a test runner told andon, test by test, over a channel that only andon's own reporter can write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    """Its checks, its setup or its teardown."""
    SKIPPED = "skipped"
    EXPECTED_FAILURE = "xfailed"
    UNEXPECTED_PASS = "xpassed"


@dataclass(frozen=True, slots=True)
class Met:
    """What came of one mutant."""

    state: str
    """refused, survived, unreached (no test calls it), unfit (it cannot be made here), untried (no time was left)."""
    by: tuple[str, ...] = ()
    """Tests that refused it, the first of them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of one wrong answer: a call that a test makes, and that was answered otherwise."""

    path: str
    line: int
    name: str
    given: str
    """What the function was given, in words."""
    kind: str
    """wrong (another value), silent (nothing raised), stranger (something else raised), wordless (with other words),
    literal:… (a value that stands in the new tests)."""
    shown: str = ""
    """What it truly answers."""
    met: Met = field(default_factory=lambda: Met(""))

    @property
    def case(self) -> tuple[str, int, str, str]:
        return (self.path, self.line, self.name, self.given)

    @property
    def function(self) -> tuple[str, int, str]:
        return (self.path, self.line, self.name)

    def tell(self) -> str:
        given = self.given.removeprefix("self=") if self.given.count("=") == 1 else self.given
        call = f"`{self.name}({_brief(given)})`"
        match self.kind:
            case "silent":
                return f"{call} no longer raised {_brief(self.shown)}"
            case "stranger":
                return f"{call} raised something else than {_brief(self.shown)}"
            case "wordless":
                return f"{call} raised {self.shown.partition('(')[0]} with other words"
            case str() if self.kind.startswith("literal:"):
                return f"{call} gave {_brief(self.kind.partition(':')[2])} instead of {_brief(self.shown)}"
            case _:
                return f"{call} gave something else than {_brief(self.shown)}"


def _brief(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass(frozen=True, slots=True)
class TestReport:
    __test__: ClassVar[bool] = False
    """For pytest: no test, whatever its name begins with."""
    runner: str
    outcomes: Mapping[str, Outcome] = field(default_factory=dict[str, Outcome])
    collected: tuple[str, ...] = ()
    """Every test that was found, also those that were never run."""
    finished: bool = False
    """The runner told its end. Without it, whatever comes after the last outcome is missing."""
    status: int | None = None
    """The exit status the runner meant to end with."""
    problems: tuple[str, ...] = ()
    """Files that could not be collected, in the runner's words."""
    forged: str = ""
    """Why the channel cannot be believed, if so."""
    mutants: Mapping[str, Met] = field(default_factory=dict[str, Met])
    """By id, where mutants were met."""
    proved: frozenset[str] = frozenset()
    """Tests that were to be seen failing with some mutant, and were."""
    answers: tuple[Asked, ...] = ()
    """Wrong answers that were given."""
    seen: tuple[Asked, ...] = ()
    """Cases that the tests ask, each once."""
    idle: frozenset[str] = frozenset()
    """Tests that were to be, met mutants of what they reach, and were not."""

    @property
    def unfinished(self) -> tuple[str, ...]:
        return tuple(each for each in self.collected if each not in self.outcomes)

    def ids(self, *outcomes: Outcome) -> tuple[str, ...]:
        return tuple(each for each, outcome in self.outcomes.items() if outcome in outcomes)

    @property
    def passed(self) -> tuple[str, ...]:
        return self.ids(Outcome.PASSED, Outcome.UNEXPECTED_PASS)

    @property
    def failed(self) -> tuple[str, ...]:
        return self.ids(Outcome.FAILED)

    @property
    def counts(self) -> dict[str, int]:
        found = {str(outcome): len(self.ids(outcome)) for outcome in Outcome}
        return {name: number for name, number in found.items() if number}
