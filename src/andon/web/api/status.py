"""/api/status: whether andon is here, and for those who are let in, everything that it can put to work."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field

from andon import __version__
from andon.web.api.common import EVERYWHERE, Here, Told, answers
from andon.web.site import tower

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
    known: dict[str, Any] = site.offices.now().as_json()
    return Status(version=__version__, lamps=lamps, office=Office.model_validate(known))
