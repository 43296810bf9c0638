"""A run and how it can stand: the nouns of the run table, shared by the engine, the app and the screens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast

from andon.domain.language import Language
from andon.domain.tasks.phases import TaskType

TASK = "task"
"""The pipeline of create_app, modify_app, workflow and custom."""
TEAM = "team"
"""The pipeline of `andon team run`."""
VERIFY = "verify"
"""The pipeline of a row that is a verification, not a run: it has evidence, and nothing to go on with."""


class Status(StrEnum):
    RUNNING = "running"
    WAITING = "waiting"
    """Parked at a hold: a person is asked."""
    INTERRUPTED = "interrupted"
    """Derived, never stored: says running, but no process executes it. `andon resume` goes on."""
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"
    NEEDS_PERSON = "needs_user"
    CLOSED = "closed"
    """A person does not want it to go on. `andon reopen` undoes it."""

    @property
    def ended(self) -> bool:
        return self in (Status.STOPPED, Status.DONE, Status.FAILED, Status.NEEDS_PERSON, Status.CLOSED)


GOING = (str(Status.RUNNING), str(Status.WAITING), str(Status.INTERRUPTED))
"""What stands in the rows of runs that have not ended."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs: of these statuses, repositories, this pipeline. Empty: any."""

    statuses: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    pipeline: str = ""


ANY = Wanted()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a pipeline ended, and why (E-18)."""

    status: Status
    reason: str
    """A short machine word: goal_met, same_failure, environment, limit, budget, no_progress, stopped …"""
    message: str = ""
    """One line for people."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One execution of a pipeline for a task, as the run table has it."""

    id: str
    pipeline: str
    task: str
    feature: str
    repository: str
    branch: str
    status: Status
    phase: str
    mode: str
    reason: str
    leg: int
    """How many workflows this run has had: 1, and one more for every resume."""
    created_at: float
    updated_at: float
    ended_at: float | None = None
    forked_from: str | None = None
    spec: Mapping[str, Any] = field(default_factory=dict[str, Any])
    problem: str = ""
    """Why its row cannot be read: written by another version, or edited by hand. Such a run is shown, and no more."""

    @property
    def workflow(self) -> str:
        return f"{self.id}.{self.leg}"


_KINDS: Mapping[str, type] = {
    "request": Mapping,
    "budget": Mapping,
    "base": str,
    "base_tree": str,
    "worktree": str,
    "runtime": str,
    "language": str,
}
"""What every run was started with."""


def spec_problem(pipeline: str, spec: Mapping[str, Any]) -> str:
    """What a run's frozen input lacks, in words; "" where nothing does."""
    for name, kind in _KINDS.items():
        if name not in spec:
            return f"it has no `{name}`"
        if not isinstance(spec[name], kind):
            return f"its `{name}` is {_kind(spec[name])}"
    if spec["language"] not in list(Language):
        return f"its `language` is {spec['language']}, which this version does not know"
    options = spec["request"].get("options")
    if not isinstance(options, Mapping):
        return "its `request` has no `options`"
    if pipeline == TASK and (type := cast("Mapping[str, Any]", options).get("type")) not in list(TaskType):
        return f"its type is {type}, which this version does not know"
    return ""


def _kind(value: object) -> str:
    return "empty" if value is None else f"of the wrong kind ({value.__class__.__name__})"


class Stopped(Exception):
    """A person stopped the run. Raised by a verb, caught where the run is closed."""


class BudgetSpent(Exception):
    """The run's own budget is used up: a hard stop."""


class TeammateFailed(Exception):
    """A teammate crashed, hung or could not be understood, twice (A-156)."""

    def __init__(self, name: str, outcome: str, detail: str) -> None:
        super().__init__(f"{name}: {outcome}" + (f" ({detail})" if detail else ""))
        self.name = name
        self.outcome = outcome
        self.detail = detail


class Blocked(Exception):
    """A person has to put something right before the run can go on, such as a link where a file belongs."""


class Bug(Exception):
    """andon itself failed inside a step. Its message names the error, `traceback` says where."""

    def __init__(self, message: str, traceback: str) -> None:
        super().__init__(message)
        self.traceback = traceback
