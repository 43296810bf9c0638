"""What a person does with what a project remembers: settle a proposal, write something down, forget, and undo that."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from andon.app.access import Role
from andon.app.memory import memory_of
from andon.app.team_decisions import decisions_of
from andon.domain.errors import UserError
from andon.domain.grammar import read_number
from andon.domain.teams.deciding import Stand
from andon.web.formdata import fields
from andon.web.pages.office import project_of
from andon.web.reading import site_of
from andon.web.security import visitor_of
from andon.web.site import NotFound, needs, place

router = APIRouter(include_in_schema=False)


@router.post("/office/memory/decide")
async def decide(request: Request) -> Response:
    given, project = await _asked(request)
    stand, by = given.get("stand", ""), visitor_of(request).name
    if stand not in list(Stand):
        raise UserError("That is no decision", "It is approved, rejected, or proposed again.")
    await asyncio.to_thread(lambda: decisions_of(project).decide(_id(given), Stand(stand), by))
    return _back(project, "decisions")


@router.post("/office/memory/add")
async def add(request: Request) -> Response:
    given, project = await _asked(request)
    environment, by, text = site_of(request).environment, visitor_of(request).name, given.get("text", "").strip()
    if not text:
        raise UserError("There is nothing to remember", "Write it down first.")
    await asyncio.to_thread(lambda: memory_of(project, environment, server=False).add(text, (), by))
    return _back(project, "learnings")


@router.post("/office/memory/forget")
async def forget(request: Request) -> Response:
    given, project = await _asked(request)
    environment, undo = site_of(request).environment, given.get("undo") == "yes"
    await asyncio.to_thread(lambda: memory_of(project, environment, server=False).forget(_id(given), undo=undo))
    return _back(project, "learnings", forgotten=undo)


async def _asked(request: Request) -> tuple[dict[str, str], Path]:
    """The form, and the project it is about, where whoever sent it may work."""
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    project = await asyncio.to_thread(project_of, site, given)
    place(site, visitor, str(project))
    return given, project


def _id(given: dict[str, str]) -> int:
    number = read_number(given.get("id", ""))
    if number is None:
        raise NotFound("There is no such thing")
    return number


def _back(project: Path, part: str, *, forgotten: bool = False) -> Response:
    told = {"project": str(project)} | ({"forgotten": "yes"} if forgotten else {})
    return RedirectResponse(f"/office/memory?{urlencode(told)}#{part}", status_code=303)
