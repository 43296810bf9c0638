"""What a person does with tasks that are not runs yet: start, keep as a draft, drop; and the demo."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from andon.app.access import Role
from andon.app.demo import host_demo
from andon.app.wishing import drop, new_wish, queue, start_waiting, submit
from andon.domain.errors import UserError
from andon.web.formdata import done, fields
from andon.web.reading import site_of
from andon.web.security import Visitor, visitor_of
from andon.web.site import Site, needs, place

router = APIRouter(include_in_schema=False)


@router.post("/tasks")
async def create(request: Request) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    try:
        place = await asyncio.to_thread(_created, site, given, visitor)
    except UserError as error:
        told = {name: given.get(name, "") for name in ("text", "repository", "runtime")}
        door, _, type = given.get("how", "").partition(":")
        query = urlencode(told | {"door": door, "type": type, "problem": f"{error.message}. {error.hint}"})
        return RedirectResponse(f"/tasks/new?{query}", status_code=303)
    return RedirectResponse(place, status_code=303)


def _created(site: Site, given: dict[str, str], visitor: Visitor) -> str:
    door, _, type = given.get("how", "").partition(":")
    repository, into, scenario = (
        str(place(site, visitor, named)) if (named := given.get(name, "").strip()) else ""
        for name in ("repository", "into", "scenario")
    )
    wish = submit(
        site.store,
        new_wish(
            given.get("text", ""),
            repository,
            visitor.name,
            door or "task",
            given.get("act") == "draft",
            type=type,
            runtime=given.get("runtime"),
            scenario=scenario,
            into=into,
            anywhere=visitor.role.includes(Role.ADMIN) or None,
            money=_money(given.get("money", "")),
            allow_dirty=given.get("allow_dirty") == "yes",
        ),
    )
    if old := given.get("wish"):
        drop(site.store, old)
    start_waiting(site.store, site.environment, site.folders)
    return _shown_at(site, wish.id)


def _shown_at(site: Site, id: str) -> str:
    """Where to look now: at its run, at its form with what is in the way, or at the board."""
    wish = site.store.wishes.get(id)
    if wish.run:
        return f"/runs/{wish.run}"
    return f"/tasks/new?{urlencode({'wish': wish.id, 'problem': wish.problem})}" if wish.problem else "/"


def _money(text: str) -> float | None:
    try:
        return float(text) if text.strip() else None
    except ValueError:
        raise UserError(f"{text} is no sum of money", "For example: 5") from None


@router.post("/tasks/{id}/{act}")
async def change(request: Request, id: str, act: str) -> Response:
    await fields(request)
    site = site_of(request)
    needs(visitor_of(request), Role.REVIEWER)
    if act == "drop":
        await asyncio.to_thread(drop, site.store, id)
    elif act == "start":
        await asyncio.to_thread(_queued, site, visitor_of(request), id)
    else:
        raise UserError(f"Nothing can be done that is called {act}")
    return done(request, "/")


def _queued(site: Site, visitor: Visitor, id: str) -> None:
    """Whoever starts a draft may work where it says, whoever wrote it."""
    wish = site.store.wishes.get(id)
    for named in (wish.repository, wish.options.get("into"), wish.options.get("scenario")):
        if named:
            place(site, visitor, str(named))
    queue(site.store, id)
    start_waiting(site.store, site.environment, site.folders)


@router.post("/demo")
async def demo(request: Request) -> Response:
    """A whole task on a sample project, without keys or accounts."""
    await fields(request)
    site = site_of(request)
    needs(visitor_of(request), Role.REVIEWER)
    run = await asyncio.to_thread(host_demo, site.environment)
    return done(request, f"/runs/{run.id}", f"/runs/{run.id}")
