"""The verbs of a run: all a pipeline can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from andon.domain.assignment import Assignment, TeamRecord
from andon.domain.files import Change, Merged, Part
from andon.domain.goal import Goal
from andon.domain.learning import Learning, Lesson
from andon.domain.order import Question
from andon.domain.run import BudgetSpent, Ending, TeammateFailed
from andon.domain.tasks.reviews import Presented, Review
from andon.domain.teams.deciding import Decision
from andon.domain.teams.shared import Shared
from andon.domain.verdict import CheckResult, Finding
from andon.domain.verification import Verification
from andon.ports.agents import Contract

T = TypeVar("T")


class Run(Protocol):
    """All a pipeline can do. Every verb is durable: finished ones are never repeated after a crash."""

    @property
    def id(self) -> str: ...
    @property
    def base(self) -> str: ...
    @property
    def team(self) -> tuple[TeamRecord, ...]: ...
    @property
    def moved_at(self) -> float: ...  # when the last step was recorded, or the leg began

    @property
    def folder(self) -> str:
        """Where its files lie."""
        ...

    @property
    def tree(self) -> str:
        """The tree after the last step that changed it."""
        ...

    @property
    def name(self) -> str:
        """Of a branch; nothing for the run itself."""
        ...

    @property
    def began(self) -> str:
        """Of a branch: the run's tree when it began."""
        ...

    async def ask(self, assignment: Assignment, contract: Contract[T]) -> T:
        """One order to a fresh agent instance; its reply in the form of the contract. Raises TeammateFailed."""
        ...

    async def ask_all(self, works: Sequence[tuple[Run, Assignment, Contract[T]]]) -> tuple[T, ...]:
        """One order to each at the same time, on branches if they write, with equal parts of the budget that is left.
        Who needs more is asked again, alone. What fails is raised when all have ended."""
        ...

    def lanes(self, width: int) -> AbstractAsyncContextManager[Lanes]:
        """So many chains of work at once. What still works when they are left comes to an end first."""
        ...

    def branch(self, name: str, tree: str = "", began: str = "") -> Run:
        """The same run on files of its own, which are as in the present tree unless told. `began` is the tree that an
        earlier leg began the branch with. Verbs of several branches may be gathered, one of each at a time."""
        ...

    async def merge(self, branches: Sequence[Run], made_of: Sequence[Run] = ()) -> Merged:
        """Bring the work of branches into the present tree, in order. A branch that does not fit stays as it is.
        `made_of` are others whose work is in them: their folders go too."""
        ...

    async def goals(
        self, custom: str | None, interactive: bool, frozen: tuple[Goal, ...] = (), *, at_base: bool = False
    ) -> tuple[Goal, ...]:
        """What there is to measure on the present tree, or was on the base. Frozen goals keep their commands."""
        ...

    async def traits(self) -> frozenset[str]:
        """What the present tree is made with: `react`, `next` …"""
        ...

    async def further_goals(self, frozen: tuple[Goal, ...] = (), *, at_base: bool = False) -> tuple[Goal, ...]:
        """End-to-end tests, the same with details, and coverage; `frozen` and `at_base` as in `goals`."""
        ...

    async def prepare(self, *, at_base: bool = False) -> None:
        """Build, freeze and remember the environment checks run in: what the present tree asks for, or the base."""
        ...

    async def check(self, goal: Goal, *, at_base: bool = False) -> CheckResult:
        """andon measures the goal on a clean copy of the present tree, or the base; evidence goes into the ledger."""
        ...

    async def compare(self, goal: Goal, before: CheckResult, now: CheckResult) -> CheckResult:
        """A failure as far as the base, measured as `before`, does not have it too; evidence goes into the ledger."""
        ...

    async def verify(
        self, goals: tuple[Goal, ...], plan: str, accepted: Mapping[str, str], known: tuple[CheckResult, ...]
    ) -> Verification:
        """andon says whether the present tree may pass, less what the plan declares and a person accepts. `known` was
        measured of this tree already. Without a good verdict nothing is committed and no run is done."""
        ...

    async def check_all(self, goals: Sequence[Goal]) -> tuple[CheckResult, ...]:
        """Several goals side by side."""
        ...

    async def hold(self, question: Question) -> str: ...

    async def review(self, shown: Presented) -> Review:
        """Wait until a person has decided about a phase."""
        ...

    async def accept(self, finding: str, text: str, reason: str) -> None:
        """Record in the ledger that whoever answered last accepts a finding on the present tree."""
        ...

    async def say(self, kind: str, /, **data: Any) -> None: ...

    async def say_each(self, kind: str, told: Sequence[dict[str, Any]]) -> None:
        """Several of one kind, at the cost of one."""
        ...

    async def checkpoint(self, reason: str, place: Mapping[str, Any]) -> None:
        """Keep where the run stands, with its sessions, its tree and what it has used."""
        ...

    async def mark(self, *, mode: str) -> None:
        """Show the mode wherever runs are listed."""
        ...

    def phase(self, name: str) -> AbstractAsyncContextManager[None]: ...

    async def read(self, path: str, *, last: int = 0) -> str | None:
        """A file as it is now; with `last`, so many characters of its end: what is read is kept with the run."""
        ...

    async def write(self, path: str, text: str, *, state: bool = False) -> None:
        """An artefact, atomically. A state file is mirrored to the person's checkout."""
        ...

    async def amend(self, path: str, change: Callable[[str | None], str | None]) -> str | None:
        """A state file that people edit too, as it is now and changed: read and written within one step, so that what
        they wrote a moment ago is not lost. `change` may be called twice; None leaves the file alone. Returns what
        stands there now."""
        ...

    async def append(self, path: str, text: str) -> None:
        """At the end of a state file to which others may append too: whole, and once, also after a crash."""
        ...

    async def drop(self, paths: Sequence[str]) -> None:
        """The present tree without these files; those that are gone already do not matter."""
        ...

    async def changes(self, since: str = "") -> tuple[Change, ...]:
        """What differs between the base, or another tree of the run, and the present tree."""
        ...

    async def changes_of(self, branches: Sequence[Run]) -> tuple[tuple[Change, ...], ...]:
        """Of each branch, since it began."""
        ...

    async def files(self) -> tuple[str, ...]:
        """Every file of the present tree."""
        ...

    async def contents(self, paths: Sequence[str]) -> dict[str, str]:
        """The text of those of the paths that the present tree has."""
        ...

    async def existing(self, patterns: Sequence[str]) -> frozenset[str]:
        """Those of the given paths, folders and globs that the present tree has something for."""
        ...

    async def findings(
        self, rule: Callable[[str], Sequence[Finding]], whole: Sequence[str] = ()
    ) -> tuple[Finding, ...]:
        """What a pure rule finds in the diff between the base and the present tree, which is not kept: in all of it, or
        in the files named, which it then shows from their first line to their last."""
        ...

    async def commit(self, message: str) -> str:
        """Publish the present tree as one commit on the run's branch."""
        ...

    async def commit_parts(self, parts: Sequence[Part]) -> tuple[str, ...]:
        """So many more commits of a series, which andon keeps until `publish`."""
        ...

    async def publish(self) -> str:
        """The series of commits as the run's branch. It must end with the present tree, which needs a verdict."""
        ...

    async def call(self, connector: str, *words: str) -> CallResult:
        """Something outside: gh, notifications."""
        ...

    async def recall(self, about: str) -> tuple[Learning, ...]:
        """What earlier runs on this repository taught about something: the few that are to the point, best first."""
        ...

    async def remember(self, lessons: Sequence[Lesson], ending: Ending) -> None:
        """Keep for later runs what this one learned, and how it ends."""
        ...

    async def share(self, left: Sequence[Shared]) -> None:
        """For the members of a team and whoever asks later, in the layers of its memory above the files."""
        ...

    async def decisions(self) -> tuple[Decision, ...]:
        """What a team has decided and what is proposed, as its memory above the files has it."""
        ...

    async def remove_workspace(self) -> None: ...


@dataclass(frozen=True, slots=True)
class CallResult:
    available: bool
    code: int = 0
    output: str = ""


@dataclass(frozen=True, slots=True)
class Landed:
    """One verb of a lane has ended."""

    lane: str
    value: Any = None
    """The reply as its contract reads it, the results of checks, what came of a merge, or commits."""
    failure: TeammateFailed | BudgetSpent | None = None


class Lanes(Protocol):
    """Chains of work side by side, each on a branch of its own: one verb of a lane at a time, and what comes next is
    begun when `ended` has told its end. The run's own verbs may be used in between."""

    @property
    def busy(self) -> tuple[str, ...]: ...
    @property
    def free(self) -> int: ...

    def ask(self, lane: str, run: Run, assignment: Assignment, contract: Contract[Any]) -> None:
        """Begin an order, with an equal part of the budget that is left. Who uses that up begins again with what the
        others leave."""
        ...

    def merge(self, lane: str, run: Run, branches: Sequence[Run], made_of: Sequence[Run] = ()) -> None:
        """Begin to bring branches together on another one, or on the run itself."""
        ...

    def commit(self, lane: str, run: Run, parts: Sequence[Part]) -> None:
        """Begin to make commits, as `commit_parts` does."""
        ...

    def check(self, lane: str, run: Run, goals: Sequence[Goal]) -> None:
        """Begin to measure goals, side by side."""
        ...

    async def ended(self) -> tuple[Landed, ...]:
        """The lanes that have ended by now, one at least. What a person stopped, and what andon itself failed, is
        raised."""
        ...
