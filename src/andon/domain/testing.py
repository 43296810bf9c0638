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
