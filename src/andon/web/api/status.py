"""/api/status: whether andon is here, and for those who are let in, everything that it can put to work."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field

from andon import __version__
from andon.domain.teams.resources import Inventory, Program
from andon.web.api.common import EVERYWHERE, Here, Told, answers
from andon.web.site import Site, tower

router = APIRouter(tags=["status"])


class Runtime(Told):
    name: str
    ready: bool
    detail: str
    fix: str
    models: list[str]


class Agent(Told):
    name: str
    description: str
    tier: str
    writes: bool
    used_by: str
    runtime: str


class Resource(Told):
    name: str
    description: str
    source: str
    problem: str


class Found(Told):
    name: str
    state: str = Field(description="ok, degraded or missing.")
    detail: str
    fix: str


class Office(Told):
    runtimes: list[Runtime] = Field(description="Those that cannot work now first.")
    agents: list[Agent]
    skills: list[Resource]
    commands: list[Resource]
    servers: list[Resource] = Field(description="MCP servers.")
    tools: list[Found]
    sandboxes: list[Found]
    scanned_at: float | None = Field(description="None: programs are being asked at this moment.")


class Status(Told):
    name: str = "andon"
    running: bool = True
    version: str | None = Field(None, description="For those who are let in.")
    lamps: dict[str, int] | None = Field(None, description="How many runs wait for a person, run, and have stopped.")
    office: Office | None = Field(None, description="For those who are let in.")


@router.get("/status", summary="Whether andon is here, and what it can put to work", responses=answers(EVERYWHERE))
def get_status(request: Request, site: Here) -> Status:
    """Without a token it says no more than that it is here."""
    if request.scope["visitor"] is None:
        return Status(version=None, lamps=None, office=None)
    lamps = {lamp.value: count for lamp, count in tower(site.all()).items()}
    return Status(version=__version__, lamps=lamps, office=_office(site))


def _office(site: Site) -> Office:
    """The machine, and the project that the server was started in."""
    known, kept = site.offices.now(), site.inventories.of(site.inventories.project(""))
    found = kept.now()
    there = found.inventory if found else Inventory()
    return Office(
        runtimes=[Runtime.model_validate(each) for each in known.runtimes],
        agents=[Agent.model_validate(each) for each in known.roles],
        skills=[Resource.model_validate(each) for each in there.skills],
        commands=[Resource.model_validate(each) for each in there.commands],
        servers=[
            Resource(name=each.name, description=each.reached_by, source=each.source, problem=each.problem)
            for each in there.servers
        ],
        tools=[*map(_program, there.programs), *(Found.model_validate(each) for each in known.tools)],
        sandboxes=[Found.model_validate(each) for each in known.sandboxes],
        scanned_at=known.scanned_at,
    )


def _program(each: Program) -> Found:
    detail = each.problem or each.version
    return Found(name=each.name, state="ok" if each.found else "degraded", detail=detail, fix="")
