"""What a person does with a proposed team: write it into the project as team.yaml, and let it work."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from andon.app.access import Role
from andon.app.folders import FolderRefused
from andon.app.team_runs import host_team_inside
from andon.app.teams import TEAM_FILE, keep_inside
from andon.domain.errors import Conflict, NoSuch, UserError
from andon.web.formdata import fields
from andon.web.page import whole
from andon.web.pages.office import project_of
from andon.web.pages.workflow import mark_of, team
from andon.web.reading import reader_of, site_of
from andon.web.rendering import personal
from andon.web.security import Visitor, visitor_of
from andon.web.site import Site, needs, place

router = APIRouter(include_in_schema=False)
KEPT = ("project", "file", "request", "path")


@router.post("/office/team")
async def write_team(request: Request) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    try:
        await asyncio.to_thread(_write, site, visitor, given)
    except UserError as error:
        if "text/html" not in request.headers.get("accept", "") or isinstance(error, (FolderRefused, NoSuch)):
            raise
        return await asyncio.to_thread(_refused, request, given, error)
    told = {name: given[name] for name in KEPT if given.get(name)}
    return RedirectResponse(f"/office/team?{urlencode(told)}#write", status_code=303)


@router.post("/office/team/run")
async def run_team(request: Request) -> Response:
    """Let the team of a written file work, in the background."""
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    try:
        run = await asyncio.to_thread(_run, site, visitor, given)
    except UserError as error:
        if "text/html" not in request.headers.get("accept", "") or isinstance(error, (FolderRefused, NoSuch)):
            raise
        return await asyncio.to_thread(_refused, request, given, error)
    return RedirectResponse(f"/runs/{run}", status_code=303)


def _run(site: Site, visitor: Visitor, given: dict[str, str]) -> str:
    project = project_of(site, given)
    place(site, visitor, str(project))
    return host_team_inside(project, given.get("path", "") or TEAM_FILE, site.environment).id


def _write(site: Site, visitor: Visitor, given: dict[str, str]) -> None:
    """What was seen, to where whoever writes may work."""
    project = project_of(site, given)
    place(site, visitor, str(project))
    made = site.inventories.proposal(project, given.get("file", ""), given.get("request", "").strip()[:1000])
    if given.get("seen") != mark_of(made):
        raise Conflict(
            "The workflow is not the one that you saw any more", "Look at the proposal again; nothing was written."
        )
    keep_inside(made, project, given.get("path", "") or TEAM_FILE, replace=given.get("replace") == "yes")


def _refused(request: Request, given: dict[str, str], error: UserError) -> Response:
    """The same page with what was typed, and why it will not do."""
    site, reader = site_of(request), reader_of(request)
    view = team(site, reader, {}, given)
    html = whole(site, reader, replace(view, values={**view.values, "wrong": error}))
    return HTMLResponse(personal(html, reader), status_code=409 if isinstance(error, Conflict) else 422)
