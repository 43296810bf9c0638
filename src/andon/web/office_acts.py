"""What a person does in the office: have everything looked at again, or the servers asked for their tools."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response

from andon.app.access import Role
from andon.domain.errors import UserError
from andon.web.formdata import done, fields, several
from andon.web.pages.office import project_of
from andon.web.reading import site_of
from andon.web.security import visitor_of
from andon.web.site import needs

router = APIRouter(include_in_schema=False)
WAITED_SECONDS = 20.0
"""For a look; then the page is shown, and says that it goes on."""


@router.post("/office/scan")
async def scan(request: Request) -> Response:
    given, site = await fields(request), site_of(request)
    needs(visitor_of(request), Role.REVIEWER)
    project = await asyncio.to_thread(project_of, site, given)
    await _waited(site.offices.kept.again(), site.inventories.of(project).again())
    return done(request, _place(project, given.get("tab", "")))


@router.post("/office/ask-servers")
async def ask_servers(request: Request) -> Response:
    """Starts programs that a repository names: for admins, and only those whose command lines were shown."""
    given, site = await fields(request), site_of(request)
    needs(visitor_of(request), Role.ADMIN)
    project = await asyncio.to_thread(project_of, site, given)
    if not given.get("seen"):
        raise UserError("Nothing says which servers you saw", "The office shows what would be started.")
    only = [int(each) for each in await several(request, "server") if each.isascii() and each.isdecimal()]
    if not only:
        raise UserError("No server was chosen", "Tick those that are to be asked.")
    await _waited(site.inventories.ask(project, given["seen"], only))
    return done(request, _place(project, "servers"))


async def _waited(*looks: Future[Any]) -> None:
    """No thread of the server waits with us; what goes wrong is told."""
    with suppress(TimeoutError):
        async with asyncio.timeout(WAITED_SECONDS):
            for look in looks:
                await asyncio.shield(asyncio.wrap_future(look))


def _place(project: Path, tab: str) -> str:
    return f"/office?{urlencode({'project': project, 'tab': tab})}"
