"""The review loop of a team: SHIP or REVISE by weighted criteria, never without an end (B-54 to B-61, X-68)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

MOST_ITERATIONS = 10
SHIP_AT = 4.0
"""Of five, weighted (G-12)."""
LONG_ENOUGH = 200
"""Characters per item."""


class Advice(StrEnum):
    STRONGLY = "strongly recommended"
    RECOMMENDED = "recommended"
    OPTIONAL = "optional"
    NOT = "not recommended"


MATRIX = (
    ("architecture or design", Advice.STRONGLY, r"architect\w*|system design|아키텍처|설계"),
    ("quality-sensitive", Advice.STRONGLY, r"paper|production|code|coding|논문|코드|프로덕션"),
    ("bulk processing", Advice.NOT, r"crawl\w*|scrap\w*|convert\w*|batch\w*|크롤링|변환|배치|대량"),
    ("analysis or research", Advice.RECOMMENDED, r"analy\w*|research\w*|분석|리서치|조사"),
    ("creative", Advice.OPTIONAL, r"creative|writing|story|글쓰기|창의|디자인"),
    ("simple CRUD", Advice.NOT, r"crud|simple form|단순"),
)
"""B-54. Where several fit, the one whose words occur most often; the first of equals."""


def suitability(text: str) -> tuple[str, Advice] | None:
    """What kind of work a text speaks of, and whether the loop is worth it. None: it does not say."""
    counted = [
        (len(re.findall(rf"(?<!\w)(?:{words})", text, re.IGNORECASE)), -place)
        for place, (_, _, words) in enumerate(MATRIX)
    ]
    count, place = max(counted)
    return (MATRIX[-place][0], MATRIX[-place][1]) if count else None


class Criterion(StrEnum):
    COMPLETENESS = "completeness"
    ACCURACY = "accuracy"
    COVERAGE = "coverage"
    FORMAT = "format"


WEIGHTS = {Criterion.COMPLETENESS: 1.5, Criterion.ACCURACY: 1.0, Criterion.COVERAGE: 1.0, Criterion.FORMAT: 0.5}


class ExitOn(StrEnum):
    SHIP = "SHIP"
    ALL_DONE = "all_done"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Settings:
    """B-55."""

    enabled: bool = False
    max_iterations: int = 5
    review_criteria: tuple[Criterion, ...] = (Criterion.COMPLETENESS, Criterion.ACCURACY)
    exit_on: ExitOn = ExitOn.SHIP

    @property
    def problem(self) -> str:
        if not 1 <= self.max_iterations <= MOST_ITERATIONS:
            return f"max_iterations is {self.max_iterations}: it goes from 1 to {MOST_ITERATIONS}"
        return "" if self.review_criteria else "review_criteria names none"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a program can see of a worker's result."""

    assigned: int = 0
    missing: int = 0
    citations: int = 0
    found: int = 0
    """Citations whose file exists."""
    lengths: Sequence[int] = field(default_factory=tuple[int, ...])
    """Of the analysis of each item, in characters."""
    lines: int = 0
    conforming: int = 0


def scores(measured: Measured) -> Mapping[Criterion, float | None]:
    """From 0 to 5 (B-56). None: there is nothing to measure it by, which is not the same as good."""
    lengths = measured.lengths
    average = sum(lengths) / len(lengths) if lengths else None
    return {
        Criterion.COMPLETENESS: _share(measured.assigned - measured.missing, measured.assigned),
        Criterion.ACCURACY: _share(measured.found, measured.citations),
        Criterion.COVERAGE: None if average is None else 5.0 * min(1.0, average / LONG_ENOUGH),
        Criterion.FORMAT: _share(measured.conforming, measured.lines),
    }


def _share(good: int, of: int) -> float | None:
    return 5.0 * good / of if of else None


def weighted(found: Mapping[Criterion, float | None], criteria: Sequence[Criterion]) -> float | None:
    """The mean over what was measured of the criteria. None: nothing was."""
    rows = [(WEIGHTS[each], score) for each in criteria if (score := found.get(each)) is not None]
    return sum(weight * score for weight, score in rows) / sum(weight for weight, _ in rows) if rows else None


class Verdict(StrEnum):
    SHIP = "SHIP"
    REVISE = "REVISE"


def verdict(mean: float | None, reviewer: Verdict) -> Verdict:
    """What is measured can refuse what the reviewer would ship; it cannot ship what the reviewer refuses."""
    if mean is not None and mean < SHIP_AT:
        return Verdict.REVISE
    return reviewer


class Exit(StrEnum):
    """Why the loop ended, in the order in which they count (B-60). A person who stops it stops the run."""

    SHIP = "ship"
    ALL_DONE = "all_done"
    LIMIT = "limit"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Round:
    iteration: int
    """From 1."""
    verdict: Verdict
    all_done: bool = False
    blocked: str = ""
    """What the worker cannot solve by itself."""


def exit_of(settings: Settings, now: Round) -> Exit | None:
    """Whether the loop ends here. None: once more."""
    if now.verdict is Verdict.SHIP and settings.exit_on is not ExitOn.MAX:
        return Exit.SHIP
    if now.all_done and settings.exit_on is ExitOn.ALL_DONE:
        return Exit.ALL_DONE
    if now.iteration >= settings.max_iterations:
        return Exit.SHIP if now.verdict is Verdict.SHIP else Exit.LIMIT
    return Exit.BLOCKED if now.blocked else None
