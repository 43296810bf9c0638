"""TODOs on their way through a sprint: who has each, how far it is, and what of it a later leg has to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from andon.domain.uam import agents
from andon.domain.uam.plan import Todo
from andon.domain.uam.state import listing, mapping
from andon.domain.verdict import CheckResult
from andon.pipelines.uam.course import Course, LaneState
from andon.pipelines.uam.planfile import count
from andon.ports import Lanes, Run
from andon.roles.uam_contracts import Commit

WORKING, HANDED, WORDED, READY, CHECKED = "work", "handed", "commits", "ready", "check"
"""What becomes of a TODO, in this order: a worker has it, has handed it in, the git-master words its commits where
there are several, and it waits to come into the run's files, measured together with others. By itself it is measured
only where that tells whose fault it is."""
SHOWN_OUTPUT = 2_000


@dataclass
class Work:
    """One TODO on its way."""

    todo: Todo
    run: Run
    attempt: int = 0
    """Reconciliations so far (C-37)."""
    stage: str = WORKING
    reply: dict[str, Any] = field(default_factory=dict[str, Any])
    commits: tuple[Commit, ...] = ()
    feedback: str = ""
    """What andon measured, for the next worker."""
    files: tuple[str, ...] = ()
    alone: bool = False
    """It failed together with others and passed by itself: nobody else comes in with it."""

    @property
    def agent(self) -> str:
        return agents.worker_for(f"{self.todo.title} {self.todo.description}")

    @property
    def name(self) -> str:
        """Of the worker that has it now."""
        again = f"-r{self.attempt}" if self.attempt else ""
        return f"{self.agent.removeprefix('uam-')}-{self.todo.number}{again}"

    @property
    def claims(self) -> bool:
        """Whether its worker says that it is done. andon decides."""
        return str(self.reply.get("status", "PASS")) == "PASS"

    @property
    def is_worded(self) -> bool:
        """Commits were worded for an earlier attempt, and it is the same files still."""
        return sorted(path for each in self.commits for path in each.files) == sorted(self.files)

    @property
    def summary(self) -> str:
        return str(mapping(self.reply.get("outputs")).get("summary", ""))

    @property
    def lane(self) -> str:
        return f"todo-{self.todo.number}"


@dataclass
class Sprint:
    course: Course
    lanes: Lanes
    kept: dict[str, LaneState]
    """What an earlier leg left of a TODO."""
    works: dict[str, Work] = field(default_factory=dict[str, Work])
    together: Run | None = None
    """Of a round: the run's files with the work of all who want to come in."""
    coming: str = ""
    """How far the round is."""
    round: tuple[Work, ...] = ()
    """Who is measured together now."""

    @property
    def free(self) -> int:
        """How many workers may begin. Only agents count: while what they handed in is measured, others can work."""
        agents_at_work = sum(work.stage in (WORKING, WORDED) for work in self.works.values())
        return self.course.settings.parallel - agents_at_work

    async def record(self) -> None:
        """Where the sprint stands, if that is not what the file says already: every write is a step of its own, and
        while it is made no lane goes on."""
        self.remember()
        count(self.course, len(self.works))
        if self.course.standing != self.course.recorded:
            await self.course.record()

    def remember(self) -> None:
        """Where workers stand whose work is not in the run's files yet."""
        self.course.lanes = tuple(
            LaneState(work.lane, work.run.began, work.run.tree, work.attempt, work.stage != WORKING)
            for work in self.works.values()
        )


def feedback_of(failing: list[CheckResult], reply: dict[str, Any]) -> str:
    parts = [f"$ {result.goal}\n{result.reason}\n{result.shown(SHOWN_OUTPUT)}".strip() for result in failing]
    if not failing:
        left = "; ".join(map(str, listing(reply.get("issues")))) or "it did not say what is left"
        parts.append(f"The worker before you said {reply.get('status')}: {left}")
    return "\n\n".join(parts)
