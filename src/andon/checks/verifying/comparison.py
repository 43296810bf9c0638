"""The table of answers: what the four results of each test say. Pure; whoever has them measured is elsewhere.

A test has a version on the base and one on the new tree, and each of them a result on the base's product and on the new
one. Nothing here knows how a test is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from andon.domain.testing import Outcome, TestReport

_STEPS = ("::", " › ")


class Standing(StrEnum):
    GOOD = "good"
    RED = "red"
    SKIPPED = "skipped"
    GONE = "gone"


_STANDINGS = {
    Outcome.PASSED: Standing.GOOD,
    Outcome.UNEXPECTED_PASS: Standing.GOOD,
    Outcome.FAILED: Standing.RED,
    Outcome.SKIPPED: Standing.SKIPPED,
    Outcome.EXPECTED_FAILURE: Standing.SKIPPED,
}


@dataclass(frozen=True, slots=True)
class Results:
    """Of one run: how each test stands, also those of files that could not be loaded."""

    report: TestReport
    _broken: frozenset[str] = field(init=False)
    _collected: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_collected", frozenset(self.report.collected))
        broken = frozenset(file_of(problem.partition(": ")[0]) for problem in self.report.problems)
        object.__setattr__(self, "_broken", broken)

    def of(self, id: str) -> Standing:
        outcome = self.report.outcomes.get(id)
        if outcome is not None:
            return _STANDINGS[outcome]
        # Collected and without a result: whatever ran it ended before it. Not collected: taken away, or not loaded.
        red = id in self._collected or file_of(id) in self._broken
        return Standing.RED if red else Standing.GONE


def file_of(id: str) -> str:
    for step in _STEPS:
        id = id.partition(step)[0]
    return id


@dataclass(frozen=True, slots=True)
class Four:
    """The base's tests on both products, and the new tests on the new one."""

    base: Results
    restored: Results
    head: Results
    touched: Callable[[str], bool]
    """Whether a change may have made a test of this file another one."""


@dataclass(slots=True)
class Sorted:
    """Ids of tests, by what their results say."""

    fails: list[str] = field(default_factory=list[str])
    """Passed on the base, and fails."""
    lost: list[str] = field(default_factory=list[str])
    """Passed on the base, nobody touched its file, and it was not run."""
    skips: list[str] = field(default_factory=list[str])
    """Passed on the base and is skipped."""
    rewritten: list[str] = field(default_factory=list[str])
    """Failed, and fails on the new code as it was; as it is now, or without it, nothing fails."""
    changed: list[str] = field(default_factory=list[str])
    """As it was it fails on the new code; as it is now it passes there."""
    removed: list[str] = field(default_factory=list[str])
    """As it was it fails on the new code, and it is gone."""
    kept: list[str] = field(default_factory=list[str])
    """Touched or gone, and passes on the new code as it was: what it refused must still be refused."""
    added: list[str] = field(default_factory=list[str])
    """Not on the base, and passes."""
    red: list[str] = field(default_factory=list[str])
    """Failed, and fails."""


def sort_tests(four: Four) -> Sorted:
    told = Sorted()
    for id in four.base.report.collected:
        _sort(id, four, told)
    known = {*four.base.report.collected}
    for id in four.head.report.collected:
        # A whole file that a runner takes for one test may as well be support for others.
        fresh = id not in known and file_of(id) != id
        if fresh and four.touched(file_of(id)) and four.head.of(id) is Standing.GOOD:
            told.added.append(id)
    return told


def _sort(id: str, four: Four, told: Sorted) -> None:
    before, now = four.base.of(id), four.head.of(id)
    if not four.touched(file_of(id)):
        match before, now:
            case Standing.GOOD, Standing.RED:
                told.fails.append(id)
            case Standing.GOOD, Standing.SKIPPED:
                told.skips.append(id)
            case Standing.GOOD, Standing.GONE:
                told.lost.append(id)
            case Standing.RED, Standing.RED:
                told.red.append(id)
            case _:
                pass
        return
    as_it_was = four.restored.of(id)
    match before, as_it_was, now:
        case (Standing.GOOD, _, Standing.RED):
            told.fails.append(id)
        case (Standing.GOOD, Standing.GOOD, Standing.SKIPPED) | (Standing.GOOD, Standing.RED, Standing.SKIPPED):
            told.skips.append(id)
        case (Standing.GOOD | Standing.RED, Standing.GOOD, _):
            told.kept.append(id)
        case (Standing.GOOD, Standing.SKIPPED, _):
            told.skips.append(id)
        case (Standing.GOOD, _, Standing.GOOD):
            told.changed.append(id)
        case (Standing.GOOD, _, Standing.GONE):
            told.removed.append(id)
        case (Standing.RED, Standing.RED, Standing.RED):
            told.red.append(id)
        case (Standing.RED, Standing.RED, _):
            told.rewritten.append(id)
        case _:
            pass
