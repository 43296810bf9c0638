"""Units on their way: who has each, in which round of reviews it is, and what of it a later leg has to know."""

from __future__ import annotations

from dataclasses import dataclass, field

from andon.domain.patterns import overlap
from andon.domain.teams.ralph import Criterion
from andon.domain.teams.results import Message, Result
from andon.domain.teams.standing import Lane
from andon.domain.teams.team import Work
from andon.domain.verdict import CheckResult
from andon.pipelines.team.course import Course
from andon.pipelines.team.sharing import record
from andon.ports import Lanes, Run

WORKING, CHECKING, REVIEWING = "work", "check", "review"


@dataclass
class Job:
    """One unit that somebody has."""

    work: Work
    lane: str
    run: Run
    iteration: int = 1
    stage: str = WORKING
    result: Result | None = None
    failing: tuple[CheckResult, ...] = ()
    """Of its own commands."""
    missing: tuple[str, ...] = ()
    scores: dict[Criterion, float | None] = field(default_factory=dict[Criterion, "float | None"])
    feedback: str = ""
    """What the next attempt is told."""
    agreed: bool = False
    """The last round would have shipped it."""
    mail: tuple[Message, ...] = ()
    """What its order says of messages."""

    def left(self) -> Lane:
        """What a later leg has to know."""
        tree = self.run.tree
        return Lane(self.lane, self.run.began, tree, self.iteration, self.stage != WORKING, self.result, self.feedback)


@dataclass
class Floor:
    """All that is under way at once."""

    course: Course
    lanes: Lanes
    kept: dict[str, Lane]
    """What an earlier leg left of a unit, or a later one has to go on with."""
    jobs: dict[str, Job] = field(default_factory=dict[str, Job])

    def may_begin(self, work: Work) -> bool:
        """A member does one thing at a time, and nobody writes where another one writes (G-43)."""
        return not any(
            job.work.member == work.member or any(overlap(a, b) for a in job.work.writes for b in work.writes)
            for job in self.jobs.values()
        )

    def remember(self) -> None:
        """Work that is not in the run's files yet."""
        self.course.lanes = (*self.kept.values(), *(job.left() for job in self.jobs.values()))

    async def record(self) -> None:
        self.remember()
        await record(self.course)
