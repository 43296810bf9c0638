"""/api/teams: what there is for a team, what a workflow document needs, the team that is proposed for it, its work."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from andon.app.team_runs import host_team_inside
from andon.app.teams import TEAM_FILE, keep_inside, paths_json, text_of
from andon.domain.teams.composing import requirements
from andon.web.api.common import (
    CHANGING,
    EVERYWHERE,
    MISSING,
    Asked,
    Decider,
    Here,
    OfProject,
    Project,
    Told,
    answers,
    project_to_change,
)

router = APIRouter(prefix="/teams", tags=["teams"])
File = Annotated[str, Query(max_length=4096, description="The `path` of one of `documents` of the inventory.")]
Request = Annotated[str, Query(max_length=1000, description="What you say about it, such as: a long-term project.")]


class Skill(Told):
    name: str
    description: str
    category: str = Field(description="By the prefix of its name.")
    path: str
    source: str = Field(description="`project`, `you` for your home folder, else the folder's name.")
    problem: str = Field(description="Why it could not be read.")


class Agent(Told):
    name: str
    description: str
    model: str
    tools: list[str]
    path: str
    source: str
    problem: str
    teams: bool = Field(description="Whether it may make teams of agents.")


class Command(Told):
    name: str
    description: str
    tools: list[str]
    path: str
    source: str
    problem: str
    teams: bool


class Server(Told):
    name: str
    transport: str | None = Field(description="stdio, sse or http. None: its entry cannot be read.")
    category: str
    source: str
    reached_by: str = Field(description="The program, or the address without what may be secret in it.")
    tools: list[str] | None = Field(description="None: it was not asked.")
    problem: str
    status: str = Field(description="active, not asked or problem.")


class Program(Told):
    name: str
    use: str
    version: str
    path: str = Field(description="Empty: it is not there.")
    problem: str


class Document(Told):
    name: str
    kind: str = Field(description="skill, agent, command or document.")
    path: str
    source: str
    units: int
    problem: str


class ToolPath(Told):
    method: str = Field(description="cli or mcp.")
    command: str | None = None
    server: str | None = None
    fallback: str


class Inventory(Told):
    project: str
    projects: list[str]
    scanned_at: float
    asked_at: float | None = Field(description="When the servers told their tools. None: nobody had them asked.")
    platform: str
    skills: list[Skill]
    agents: list[Agent]
    commands: list[Command]
    servers: list[Server]
    programs: list[Program]
    tool_paths: dict[str, ToolPath] = Field(description="The best way to each function that can be reached.")
    documents: list[Document] = Field(description="What could be analysed.")
    notes: list[str]


class Unit(Told):
    id: str
    title: str
    level: int
    line: int
    parent: str
    tools: list[str]
    mcp: list[str]
    inputs: list[str]
    outputs: list[str]
    asks: bool = Field(description="It needs a person.")
    writes: bool
    files: list[str] = Field(description="That it says it writes.")
    checks: list[str] = Field(description="Commands that it says it is judged by.")
    type: str = Field(description="Explore, Plan or general-purpose.")
    allowed: list[str] = Field(description="The tools of its agent.")
    after: list[str] = Field(description="Everything that comes before it.")
    waits_for: list[str] = Field(description="The same, without what follows from the rest.")


class Resource(Told):
    needed: str
    available: bool
    path: str
    missing: str = Field(description="How to get it.")
    optional: bool


class Advice(Told):
    kind: str
    advice: str


class Analysis(Told):
    name: str
    description: str
    path: str
    allowed_tools: list[str] = Field(alias="allowedTools")
    model: str
    categories: list[str]
    units: list[Unit]
    groups: list[list[str]] = Field(description="Units of one can work at the same time.")
    resources: list[Resource]
    ralph: Advice | None = Field(description="Whether the review loop is worth it. None: the text does not say.")
    graph: str = Field(description="As mermaid.")
    notes: list[str]


class Member(Told):
    name: str
    place: str
    model: str
    type: str
    category: str
    tools: list[str]
    mcp: list[str]
    prompt: str


class Work(Told):
    id: str
    title: str
    category: str
    member: str
    after: list[str]
    inputs: list[str]
    outputs: list[str]
    writes: list[str]
    asks: bool
    checks: list[str] = Field(description="Commands that andon will run on its files.")


class Needs(Told):
    panes: bool
    servers: list[str]
    programs: list[str]
    optional: list[str]


class Proposal(Told):
    team: str = Field(description="Its id.")
    name: str
    purpose: str
    categories: list[str]
    memory: list[str]
    members: list[Member]
    units: list[Work]
    resources: list[Resource]
    requirements: Needs
    remarks: list[str]
    yaml: str = Field(description="The text of team.yaml.")


class TeamFile(Asked):
    """The file of a team."""

    project: OfProject = ""
    path: Annotated[str, Field(max_length=4096)] = Field(TEAM_FILE, description="Of the file, in the project.")


class NewTeam(TeamFile):
    file: Annotated[str, Field(max_length=4096)] = Field(description="The `path` of one of the `documents`.")
    request: Annotated[str, Field(max_length=1000)] = Field("", description="What you say about it.")
    replace: bool = Field(False, description="Whether a file that is there may be replaced.")


class WrittenTeam(Told):
    team: str
    path: str
    yaml: str


class StartedTeam(Told):
    run: str = Field(description="The id of its run.")


@router.get("/inventory", summary="What a team could be made of", responses=answers(EVERYWHERE, MISSING))
def get_inventory(site: Here, project: Project = "") -> Inventory:
    """As the last scan found it. Nothing that a repository names is started."""
    place = site.inventories.project(project)
    found = site.inventories.found(place)
    told: dict[str, Any] = found.inventory.as_json() | {
        "project": str(place),
        "projects": [str(each) for each in site.inventories.projects()],
        "scanned_at": found.scanned_at,
        "asked_at": found.asked_at,
        "tool_paths": paths_json(found.inventory, found.tables),
        "documents": [Document.model_validate(each) for each in found.documents],
    }
    return Inventory.model_validate(told)


@router.get("/analysis", summary="What a workflow document needs", responses=answers(EVERYWHERE, MISSING))
def get_analysis(site: Here, file: File, project: Project = "") -> Analysis:
    """Its units, what waits for what, and what is missing. Units that wait for each other are a 422 that names them."""
    return Analysis.model_validate(site.inventories.analysis(site.inventories.project(project), file).as_json())


@router.get("/proposal", summary="A team for a workflow document", responses=answers(EVERYWHERE, MISSING))
def get_proposal(site: Here, file: File, project: Project = "", request: Request = "") -> Proposal:
    """Who does what, with which model and tools. Nothing is written."""
    made = site.inventories.proposal(site.inventories.project(project), file, request)
    team = made.team
    return Proposal(
        team=team.id,
        name=team.name,
        purpose=team.purpose,
        categories=list(team.categories),
        memory=[each.value for each in team.layers],
        members=[Member.model_validate(each) for each in team.members],
        units=[Work.model_validate(each) for each in team.works],
        resources=[Resource.model_validate(each) for each in made.matches],
        requirements=Needs.model_validate(requirements(made)),
        remarks=[each.text for each in made.remarks],
        yaml=text_of(made),
    )


@router.post("", status_code=201, summary="Write a proposed team", responses=answers(EVERYWHERE, MISSING, CHANGING))
def write_team(site: Here, visitor: Decider, asked: NewTeam) -> WrittenTeam:
    """Into the project, and nowhere else. A file that is there and is another team's is a 409, unless `replace`."""
    project = project_to_change(site, visitor, asked.project)
    made = site.inventories.proposal(project, asked.file, asked.request)
    written = keep_inside(made, project, asked.path, replace=asked.replace)
    return WrittenTeam(team=made.team.id, path=str(written), yaml=text_of(made))


@router.post("/run", status_code=201, summary="Let a team work", responses=answers(EVERYWHERE, MISSING, CHANGING))
def run_team(site: Here, visitor: Decider, asked: TeamFile, response: Response) -> StartedTeam:
    """In the background. Read it first: what is written in the file is what is done."""
    project = project_to_change(site, visitor, asked.project)
    run = host_team_inside(project, asked.path, site.environment).id
    response.headers["location"] = f"/api/runs/{run}"
    return StartedTeam(run=run)
