"""/api/tasks: work in phases: start one, and see how it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import AfterValidator, Field

from andon.app.starting import StartOptions
from andon.app.tasks import Task, Wish, host_task, task_of, tasks
from andon.domain.errors import UserError
from andon.domain.run import TASK
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.states import TaskState
from andon.web.api.common import CHANGING, EVERYWHERE, MISSING, Asked, Decider, Here, Short, Text, Told, answers
from andon.web.api.reviews import Review
from andon.web.api.runs import Limits
from andon.web.site import NotFound, Site

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
    type: TaskType
    task: str
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


class TaskDetail(TaskTold):
    reviews: list[Review]


class Tasks(Told):
    tasks: list[TaskTold]


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


@router.get("", summary="List tasks, newest first", responses=answers(EVERYWHERE))
def list_tasks(
    site: Here,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    state: Annotated[TaskState | None, Query(description="Only those that stand so.")] = None,
) -> Tasks:
    found = [each for each in tasks(site.store, 500) if state in (None, each.state)]
    return Tasks(tasks=[TaskTold(**each.as_json()) for each in found[:limit]])


@router.post("", status_code=201, summary="Start a task", responses=answers(EVERYWHERE, CHANGING))
def start_task(site: Here, visitor: Decider, asked: NewTask, response: Response) -> TaskDetail:
    """It goes on in the background, and waits for a review after every phase."""
    given: dict[str, Any] = {"runtime": asked.runtime, "language": asked.language}
    if asked.repository is None and asked.into is None and asked.type is not TaskType.CUSTOM:
        raise UserError("Say where: `repository` is needed", "An absolute path on the server's machine.")
    anywhere = asked.repository is None and asked.type is TaskType.CUSTOM
    options = StartOptions(
        words=("task", "--", asked.text),
        repository=Path(asked.repository) if asked.repository else site.store.home.root,
        allow_dirty=asked.allow_dirty,
        settings=given | {"budget": asked.budget.given() if asked.budget else {}},
    )
    wish = Wish(asked.text, asked.type, dict(asked.inputs), Path(asked.into) if asked.into else None, anywhere)
    run = host_task(options, wish, {**site.environment, "USER": visitor.name})
    response.headers["location"] = f"/api/tasks/{run.id}"
    return _detail(site, task_of(site.store, run))


@router.get("/{id}", summary="How a task stands", responses=answers(EVERYWHERE, MISSING))
def get_task(site: Here, id: str) -> TaskDetail:
    return _detail(site, found(site, id))


def found(site: Site, id: str) -> Task:
    run = site.exact(id)
    if run.pipeline != TASK:
        raise NotFound("There is no such task", f"It is a run of `andon {run.pipeline}`: GET /api/runs/{run.id}.")
    return task_of(site.store, run)


def _detail(site: Site, task: Task) -> TaskDetail:
    return TaskDetail(**task.as_json(), reviews=[Review.model_validate(each) for each in task.reviews])
