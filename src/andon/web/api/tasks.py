"""/api/tasks: work in phases: start one, and see how it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import AfterValidator, Field

from andon.app.overview import Overview
from andon.app.starting import StartOptions
from andon.app.tasks import Task, Wish, host_task, task_of
from andon.domain.errors import UserError
from andon.domain.run import TASK, RunRow, Wanted
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.states import TaskState
from andon.domain.unreadable import Unreadable, read
from andon.web.api.common import (
    CHANGING,
    EVERYWHERE,
    MISSING,
    Asked,
    Decider,
    Here,
    Short,
    Text,
    Told,
    answers,
)
from andon.web.api.reviews import Review
from andon.web.api.runs import Before, Limits, pages
from andon.web.security import Visitor
from andon.web.site import NotFound, Site, place

router = APIRouter(prefix="/tasks", tags=["tasks"])


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError("should be an absolute path on the server's machine")
    return path


Folder = Annotated[Short, AfterValidator(_absolute)]


class Pending(Told):
    id: str
    version: int
    tree: str


class TaskTold(Told):
    id: str = Field(description="Also the id of its run.")
    type: TaskType | None = Field(description="None: it cannot be read.")
    task: str
    inputs: dict[str, str] = Field(description="More about it, field by field.")
    state: TaskState
    phase: int
    phase_name: str
    phases: list[str]
    progress: float | None = Field(description="From 0 to 1. A conversation has none.")
    steps_done: int = Field(description="Of the present phase, as far as its documents show it.")
    steps: int
    change_requests: int = Field(description="How often a person wanted the present phase otherwise.")
    repository: str
    branch: str
    reason: str
    review: Pending | None = Field(description="What waits for a person.")
    problem: str = Field("", description="Why it cannot be read: another version wrote it, or a person edited it.")


class TaskDetail(TaskTold):
    reviews: list[Review]


class Tasks(Told):
    tasks: list[TaskTold]
    before: str | None = Field(description="For the next page. None: this was the last.")


class NewTask(Asked):
    text: Annotated[Text, Field(min_length=1)] = Field(description="What is wanted, in words.")
    type: TaskType | None = Field(None, description="Without it, what the text speaks for.")
    inputs: dict[Short, Text] = Field({}, max_length=50, description="More about it, field by field.")
    repository: Folder | None = Field(
        None,
        description="The repository to change; of a new project the folder it is made in. A conversation needs none.",
    )
    into: Folder | None = Field(None, description="The folder of a new project; made if it is not there.")
    allow_dirty: bool = Field(False, description="Start from HEAD although there are changes.")
    runtime: Short | None = Field(None, description="Who works: claude, codex, gemini, scripted …")
    language: Short | None = Field(None, description="Of the documents: auto, en or ko.")
    budget: Limits | None = None


@router.get("", summary="List tasks, newest first", responses=answers(EVERYWHERE, MISSING))
def list_tasks(
    site: Here,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    state: Annotated[TaskState | None, Query(description="Only those that stand so.")] = None,
    before: Before = "",
) -> Tasks:
    """All there are, page by page."""

    def keep(each: Overview) -> bool:
        return state in (None, _told(site, each.run).state)

    found, last = pages(site, limit, before, Wanted(pipeline=TASK), keep)
    return Tasks(tasks=[_told(site, each.run) for each in found], before=last)


@router.post("", status_code=201, summary="Start a task", responses=answers(EVERYWHERE, CHANGING))
def start_task(site: Here, visitor: Decider, asked: NewTask, response: Response) -> TaskDetail:
    """It goes on in the background, and waits for a review after every phase."""
    given: dict[str, Any] = {"runtime": asked.runtime, "language": asked.language}
    if asked.repository is None and asked.into is None and asked.type is not TaskType.CUSTOM:
        raise UserError("Say where: `repository` is needed", "An absolute path on the server's machine.")
    anywhere = asked.repository is None and asked.type is TaskType.CUSTOM
    into = place(site, visitor, asked.into) if asked.into else None
    options = StartOptions(
        words=("task", "--", asked.text),
        repository=_ground(site, visitor, asked),
        allow_dirty=asked.allow_dirty,
        settings=given | {"budget": asked.budget.given() if asked.budget else {}},
    )
    wish = Wish(asked.text, asked.type, dict(asked.inputs), into, anywhere)
    run = host_task(options, wish, {**site.environment, "USER": visitor.name})
    response.headers["location"] = f"/api/tasks/{run.id}"
    return _detail(site, task_of(site.store, run))


def _ground(site: Site, visitor: Visitor, asked: NewTask) -> Path:
    """Where it is started: in the folder that was named, if whoever asks may work there."""
    return place(site, visitor, asked.repository) if asked.repository else site.store.home.root


@router.get("/{id}", summary="How a task stands", responses=answers(EVERYWHERE, MISSING))
def get_task(site: Here, id: str) -> TaskDetail:
    return _detail(site, found(site, id))


def found(site: Site, id: str) -> Task:
    run = site.exact(id)
    if run.pipeline != TASK:
        raise NotFound("There is no such task", f"It is a run of `andon {run.pipeline}`: GET /api/runs/{run.id}.")
    return task_of(site.store, run)


def _told(site: Site, run: RunRow) -> TaskTold:
    found = read(run.id, lambda: TaskTold(**task_of(site.store, run).as_json()))
    if not isinstance(found, Unreadable):
        return found
    return TaskTold(
        id=run.id,
        type=None,
        task=run.task,
        inputs={},
        state=TaskState.FAILED,
        phase=0,
        phase_name=run.phase,
        phases=[],
        progress=None,
        steps_done=0,
        steps=0,
        change_requests=0,
        repository=run.repository,
        branch=run.branch,
        reason=run.reason,
        review=None,
        problem=run.problem or found.problem,
    )


def _detail(site: Site, task: Task) -> TaskDetail:
    return TaskDetail(**task.as_json(), reviews=[Review.model_validate(each) for each in task.reviews])
