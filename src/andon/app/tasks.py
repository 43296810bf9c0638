"""`andon task`: start a task of one of the four types, look at it, and decide the reviews of its phases."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from andon.app.home import Home
from andon.app.hosting import wake
from andon.app.legs import refuse_unreadable
from andon.app.new_repository import new_repository, taken_back
from andon.app.outcome import Finished
from andon.app.queries import open_holds
from andon.app.starting import Commission, Show, StartOptions, begin, user_name
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.domain.feature import feature_name
from andon.domain.run import TASK, RunRow, Status, Wanted
from andon.domain.tasks import choice
from andon.domain.tasks.conversation import ANSWERED
from andon.domain.tasks.inputs import FIELDS, wanted
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.progress import task_progress
from andon.domain.tasks.protocol import DEPENDENCY, SECRET
from andon.domain.tasks.reviews import Comment, Decision, Review, change_requests
from andon.domain.tasks.states import WAITING_FOR, AgentState, ReviewState, TaskState
from andon.domain.tasks.workflows import workflow_of
from andon.domain.unreadable import Sifted, sift
from andon.engine.holds import Hold
from andon.engine.runs import new_run_id
from andon.workspace.repository import Repository

REVIEW = "review"
BLANK = (TaskType.CREATE_APP, TaskType.WORKFLOW)
"""Begin with nothing but what they are to do."""


@dataclass(frozen=True, slots=True)
class Wish:
    text: str
    type: TaskType | None = None
    """None: what the text speaks for."""
    inputs: Mapping[str, str] | None = None
    into: Path | None = None
    """The folder of a new project; made if it is not there."""
    anywhere: bool = False
    """A conversation needs no repository: where there is none, it has an empty folder."""


def start_task(options: StartOptions, wish: Wish, environment: Mapping[str, str], show: Show) -> Finished:
    options, commission = _commissioned(options, wish, environment)
    return begin(options, environment, show, commission)


def host_task(options: StartOptions, wish: Wish, environment: Mapping[str, str]) -> RunRow:
    """Start a task that goes on in the background."""
    return start_task(replace(options, background=True), wish, environment, lambda entry: None).run


def _commissioned(options: StartOptions, wish: Wish, environment: Mapping[str, str]) -> tuple[StartOptions, Commission]:
    type = chosen(wish)
    inputs = {key: text for key, text in (wish.inputs or {}).items() if text.strip()}
    _refuse_unknown(type, inputs)
    if type in BLANK:
        folder = (wish.into or options.repository / feature_name(wish.text)).absolute()
        options = _in_new(options, folder)
    elif wish.into is not None:
        raise UserError(f"A {type.value} task works on code that is there", "Leave out --into; --repo names the code.")
    talks = type is TaskType.CUSTOM
    if talks:
        options = _ground(options, wish, environment)
    chosen_options = {"type": type.value, "inputs": inputs, "worktree": False, "dry_run": False}
    request = {"task": wish.text, "options": chosen_options}
    first = {"message": {"text": wanted(type, wish.text, inputs), "by": user_name(environment)}} if talks else {}
    return options, Commission(TASK, wish.text, wish.text, request, reads=talks, first=first)


def _ground(options: StartOptions, wish: Wish, environment: Mapping[str, str]) -> StartOptions:
    """Where a conversation reads: the repository, or an empty one of its own where there is none."""
    try:
        return replace(options, repository=Repository.open(options.repository.absolute()).root, allow_dirty=True)
    except UserError:
        if not wish.anywhere:
            raise
        return _in_new(options, Home.of(environment).root / "conversations" / new_run_id())


def _in_new(options: StartOptions, folder: Path) -> StartOptions:
    """In a repository that is made with the run, and gone again where that does not come about."""

    @contextmanager
    def making() -> Generator[None]:
        with taken_back(folder):
            new_repository(folder)
            yield

    return replace(options, repository=folder, allow_dirty=True, making=making)


def chosen(wish: Wish) -> TaskType:
    """What a person chose, else what their text speaks for (D-06)."""
    if not wish.text.strip():
        raise UserError("Say what is to be done", 'For example: andon task create "Add a CSV export to the report"')
    if type := choice.choose(wish.type, wish.text):
        return type
    suggestion = choice.suggest(wish.text)
    names = ", ".join(each.value for each in suggestion.possible)
    raise UserError(
        f"The text does not say which type of task this is: {suggestion.reason}", f"--type, one of {names}."
    )


def _refuse_unknown(type: TaskType, inputs: Mapping[str, str]) -> None:
    known = {each.name for each in FIELDS[type]}
    if strange := sorted(set(inputs) - known):
        raise UserError(f"A {type.value} task has no field {strange[0]}", f"Fields: {', '.join(sorted(known))}.")


# --- looking --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Task:
    """A task as people see it: its run, and where in its workflow it stands."""

    run: RunRow
    type: TaskType
    state: TaskState
    phase: int
    progress: float | None
    reviews: tuple[Review, ...] = ()
    agent: AgentState = AgentState.IDLE
    asks: Hold | None = None
    """What its agent asks a person; None while it asks nothing, and in a review."""
    step: int = 0
    """How many steps of the present phase are done."""

    @property
    def inputs(self) -> Mapping[str, str]:
        """What a person said about it field by field, when they started it."""
        return self.run.spec["request"]["options"].get("inputs") or {}

    @property
    def steps(self) -> int:
        """How many the present phase has; none where andon cannot tell them apart."""
        return len(workflow_of(self.type).phase(self.phase).steps) if self.phase else 0

    @property
    def pending(self) -> Review | None:
        return next((each for each in self.reviews if each.awaited(self.run.leg)), None)

    @property
    def change_requests(self) -> int:
        """How often a person wanted the present phase otherwise (G-44)."""
        return change_requests(self.reviews, self.run.id, self.phase)

    def as_json(self) -> dict[str, Any]:
        review = self.pending
        return {
            "id": self.run.id,
            "type": self.type.value,
            "task": self.run.task,
            "inputs": dict(self.inputs),
            "state": self.state.value,
            "agent": self.agent.value,
            "phase": self.phase,
            "phase_name": self.run.phase,
            "phases": [phase.name for phase in workflow_of(self.type).phases],
            "progress": self.progress,
            "steps_done": self.step,
            "steps": self.steps,
            "change_requests": self.change_requests,
            "repository": self.run.repository,
            "branch": self.run.branch,
            "reason": self.run.reason,
            "review": review and {"id": review.id, "version": review.version, "tree": review.tree},
            "question": self.asks and _question(self.asks),
        }


def tasks(store: Store, count: int = 50) -> Sifted[Task]:
    """Newest first; those that cannot be read beside the others."""
    rows = store.runs.page(count, wanted=Wanted(pipeline=TASK))
    return sift(rows, lambda row: row.id, lambda row: task_of(store, row))


def task_of(store: Store, run: RunRow) -> Task:
    if run.pipeline != TASK:
        raise UserError(f"Run {run.id} is no task but `andon {run.pipeline}`", f"`andon status {run.id}` shows it.")
    refuse_unreadable(run)
    type = TaskType(run.spec["request"]["options"]["type"])
    reviews = tuple(store.reviews.of_run(run.id))
    phase = next((each.number for each in workflow_of(type).phases if each.name == run.phase), 0)
    waits = type is TaskType.CUSTOM and run.status is Status.DONE and run.reason == ANSWERED
    state = TaskState.IN_PROGRESS if waits else _state(store.status(run), run.leg, reviews)
    done = len(workflow_of(type).phases) if state is TaskState.COMPLETED else max(0, phase - 1)
    step = _steps_done(store, run, state, len(workflow_of(type).phase(phase).steps) if phase else 0)
    holds = open_holds(store, run)
    asks = next((each for each in holds if each.question.category != REVIEW), None)
    agent = agent_state(store, run, holds)
    return Task(run, type, state, phase, task_progress(type, done, step), reviews, agent, asks, step)


def _question(hold: Hold) -> dict[str, Any]:
    asked = hold.question
    return {"id": hold.id, "text": asked.text, "options": list(asked.options), "category": asked.category}


def agent_state(store: Store, run: RunRow, holds: Sequence[Hold]) -> AgentState:
    """What the task's agent does or waits for (D-126)."""
    status = store.status(run)
    if status is Status.WAITING and holds:
        kind = {SECRET: DEPENDENCY, DEPENDENCY: DEPENDENCY, REVIEW: REVIEW}.get(holds[0].question.category, "question")
        return WAITING_FOR[kind]
    if status is Status.RUNNING:
        resting = store.journal.last(run.id, ("rate_limited", "spawn", "result", "run_started"))
        return AgentState.WAITING_RATE_LIMIT if resting == "rate_limited" else AgentState.RUNNING
    if status is Status.DONE:
        return AgentState.IDLE if run.reason == ANSWERED else AgentState.COMPLETED
    return AgentState.FAILED if status in (Status.FAILED, Status.NEEDS_PERSON) else AgentState.PAUSED


def _steps_done(store: Store, run: RunRow, state: TaskState, steps: int) -> int:
    """Of the present phase: all when it is verified; before that those that lie there to be seen (D-120)."""
    if state in (TaskState.REVIEW, TaskState.COMPLETED) or not steps:
        return steps
    last = store.journal.last_entry(run.id, ("phase_entered", "step_started", "step_ended"))
    return min(steps, int(last.data.get("done", 0))) if last else 0


def _state(status: Status, leg: int, reviews: Sequence[Review]) -> TaskState:
    if status in (Status.RUNNING, Status.WAITING, Status.INTERRUPTED) and any(each.awaited(leg) for each in reviews):
        return TaskState.REVIEW
    return {
        Status.DONE: TaskState.COMPLETED,
        Status.FAILED: TaskState.FAILED,
        Status.NEEDS_PERSON: TaskState.FAILED,
        Status.STOPPED: TaskState.PAUSED,
        Status.CLOSED: TaskState.CANCELLED,
    }.get(status, TaskState.IN_PROGRESS)


# --- deciding -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person decides about the review of a task that is open."""

    approve: bool
    by: str
    comment: str = ""
    comments: tuple[Comment, ...] = ()
    version: int | None = None
    """None: whatever it is now."""
    tree: str | None = None


def decide(store: Store, task: Task, verdict: Verdict) -> Review:
    review = task.pending
    if review is None:
        raise UserError(
            f"Task {task.run.id} waits for no review", f"`andon task show {task.run.id}` tells how it stands."
        )
    if store.status(task.run).ended:
        closed = store.status(task.run) is Status.CLOSED
        stands, way = ("closed", "reopen") if closed else ("stopped", "resume")
        told = f"Task {task.run.id} is {stands}: nobody would act on the decision"
        raise UserError(told, f"`andon {way} {task.run.id}` {'opens it again' if closed else 'presents it again'}.")
    if verdict.approve and not review.verified and not verdict.comment.strip():
        told = "Approving what did not pass its verification needs a reason"
        raise UserError(told, '--comment "why it is good enough"')
    if not verdict.approve and not verdict.comment.strip() and not verdict.comments:
        raise UserError("Say what is to be changed", '--comment "…", or --on PATH:LINE "…"')
    version = review.version if verdict.version is None else verdict.version
    decision = Decision(
        verdict.by,
        datetime.now(UTC),
        version,
        review.tree if verdict.tree is None else verdict.tree,
        verdict.comment,
        verdict.comments,
    )
    wanted = ReviewState.APPROVED if verdict.approve else ReviewState.CHANGES_REQUESTED
    decided = store.reviews.decide(review.id, wanted, decision)
    wake(store, store.runs.get(review.task))
    return decided


def decide_typed(store: Store, run: str, text: str, by: str) -> Review:
    """The same in a person's words at the screen that shows it: `1` or `approve`; anything else is what they want
    otherwise."""
    approves = text.strip().casefold() in ("1", "approve", "approved", "승인")
    return decide(store, task_of(store, store.runs.get(run)), Verdict(approves, by, "" if approves else text))
