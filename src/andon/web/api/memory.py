"""/api/memory: what a project remembers, and what its teams proposed and decided."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from andon.app.memory import memory_of
from andon.app.team_decisions import decisions_of, known_decisions
from andon.domain.teams.deciding import Stand
from andon.domain.teams.layers import Kind, Layer
from andon.domain.teams.recalling import Query as Question
from andon.web.api.common import (
    CHANGING,
    EVERYWHERE,
    MISSING,
    Asked,
    Decider,
    Here,
    OfProject,
    Project,
    Short,
    Told,
    answers,
    project_to_change,
)
from andon.web.api.runs import LARGEST

router = APIRouter(prefix="/memory", tags=["memory"])
Number = Annotated[int, Path(ge=1, le=LARGEST, description="As the list has it.")]
Most = Annotated[int, Query(ge=1, le=1000, description="Entries at most.")]


class Hit(Told):
    text: str
    layer: Layer
    place: str = Field(description="The file or the table it stands in.")
    id: str = Field(description="Of a learning.")
    by: str
    run: str
    at: str
    verdict: str = Field(description="Of the run it comes from.")
    tags: list[str]


class Answered(Told):
    layer: Layer
    name: str
    hits: int
    problem: str
    hint: str


class Recalled(Told):
    hits: list[Hit]
    asked: list[Answered] = Field(description="Who was asked, and why one said nothing.")
    answered: list[Layer]


class Learning(Told):
    id: int
    text: str
    at: float
    tags: list[str]
    by: str
    run: str
    pipeline: str
    task: str
    verdict: str


class Decision(Told):
    id: int | None
    text: str
    by: str
    at: int
    votes: dict[str, str]
    stand: Stand


class Decisions(Told):
    decisions: list[Decision] = Field(description="The oldest first.")


class NewLearning(Asked):
    text: Annotated[Short, Field(min_length=1)]
    tags: Annotated[list[Short], Field(max_length=20)] = Field([], description="To find it by.")
    project: OfProject = ""


class Settled(Asked):
    stand: Stand = Field(description="`proposed` opens it again.")
    project: OfProject = ""


@router.get("", summary="What a project remembers", responses=answers(EVERYWHERE, MISSING))
def get_memory(
    site: Here,
    q: Annotated[str, Query(max_length=1000, description="Words; without them, everything.")] = "",
    kind: Annotated[Kind | None, Query(description="Ask the layer made for it, then the lower ones.")] = None,
    tag: Annotated[str, Query(max_length=100, description="Only what has this tag.")] = "",
    most: Most = 20,
    project: Project = "",
) -> Recalled:
    """Learnings of runs, files and tables of a team. No server is started for it."""
    kept = memory_of(site.inventories.project(project), site.environment, server=False)
    return Recalled.model_validate(kept.search(Question(q, kind, tag, most)).as_json())


@router.post("", status_code=201, summary="Remember something", responses=answers(EVERYWHERE, MISSING, CHANGING))
def add_learning(site: Here, visitor: Decider, asked: NewLearning) -> Learning:
    """Planners of later runs are told what is to the point."""
    kept = memory_of(project_to_change(site, visitor, asked.project), site.environment, server=False)
    return Learning.model_validate(kept.add(asked.text, asked.tags, visitor.name).as_json())


@router.delete("/{id}", summary="Forget a learning", responses=answers(EVERYWHERE, MISSING, CHANGING))
def forget_learning(site: Here, visitor: Decider, id: Number, project: Project = "") -> Learning:
    """It is kept, and brought back by `andon memory forget ID --undo`."""
    kept = memory_of(project_to_change(site, visitor, project), site.environment, server=False)
    return Learning.model_validate(kept.forget(id).as_json())


@router.get("/decisions", summary="What a team proposed and decided", responses=answers(EVERYWHERE, MISSING))
def get_decisions(site: Here, most: Most = 50, project: Project = "") -> Decisions:
    found = known_decisions(site.inventories.project(project), most)
    return Decisions(decisions=[Decision.model_validate(each.as_json()) for each in found])


@router.patch("/decisions/{id}", summary="Settle a proposal", responses=answers(EVERYWHERE, MISSING, CHANGING))
def settle(site: Here, visitor: Decider, id: Number, asked: Settled) -> Decision:
    """Whatever was voted. The next run keeps to it, and a run under way when it is resumed."""
    made = decisions_of(project_to_change(site, visitor, asked.project)).decide(id, asked.stand, visitor.name)
    return Decision.model_validate(made.as_json())
