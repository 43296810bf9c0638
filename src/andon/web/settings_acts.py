"""What an admin does on the settings page: set a value, switch approval by time, let programs in and out."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from andon.app.access import Role
from andon.app.reminding import switch_auto_approval
from andon.app.settings_edit import set_setting
from andon.domain.errors import UserError
from andon.web.formdata import done, fields, own
from andon.web.page import View, whole
from andon.web.pages.settings import settings
from andon.web.reading import reader_of, site_of
from andon.web.rendering import personal
from andon.web.security import visitor_of
from andon.web.site import needs

router = APIRouter(include_in_schema=False)


@router.post("/settings/set")
async def set_value(request: Request) -> Response:
    given, site = await fields(request), site_of(request)
    needs(visitor_of(request), Role.ADMIN)
    try:
        await asyncio.to_thread(set_setting, site.store.home, given.get("key", ""), given.get("value", ""))
    except UserError as error:
        if request.headers.get("hx-request") == "true" or "text/html" not in request.headers.get("accept", ""):
            raise
        return await asyncio.to_thread(_refused, request, given, error)
    return done(request, given.get("back", "/settings"), _loaded(request, given.get("back", "/settings")))


def _refused(request: Request, given: dict[str, str], error: UserError) -> Response:
    """The same page with what was typed, and beside it why it will not do."""
    site, reader = site_of(request), reader_of(request)
    view = settings(site, reader, {}, dict(parse_qsl(urlsplit(own(given.get("back", ""))).query)))
    if all(each.key != given.get("key") for rows in view.values["groups"].values() for each in rows):
        raise error
    wrong = {"key": given.get("key", ""), "value": given.get("value", ""), "error": error}
    html = whole(site, reader, replace(view, values={**view.values, "wrong": wrong}))
    return HTMLResponse(personal(html, reader), status_code=422)


@router.post("/settings/auto-approval")
async def switch_approval(request: Request) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.ADMIN)
    await asyncio.to_thread(switch_auto_approval, site.store, given.get("on") == "true", visitor.name)
    return done(request, "/settings", _loaded(request, "/settings"))


@router.post("/settings/tokens")
async def make_token(request: Request) -> Response:
    """The secret is shown once, on a page of its own that nothing keeps."""
    given, site, reader = await fields(request), site_of(request), reader_of(request)
    needs(reader.visitor, Role.ADMIN)
    if given.get("role") not in list(Role):
        raise UserError("There is no such role", f"One of {', '.join(Role)}.")
    name = given.get("name", "").strip()
    if len(name) > 100 or not name.isprintable():
        raise UserError("That is no name for a token", "One line of at most a hundred characters.")
    secret = await asyncio.to_thread(site.access.token, name, Role(given["role"]))
    view = View("token.html", reader.say("Token"), "settings", {"name": name, "secret": secret})
    return HTMLResponse(personal(await asyncio.to_thread(whole, site, reader, view), reader))


@router.post("/settings/revoke")
async def revoke(request: Request) -> Response:
    given, site = await fields(request), site_of(request)
    needs(visitor_of(request), Role.ADMIN)
    await asyncio.to_thread(site.access.revoke, given.get("id", ""))
    return done(request, "/settings", _loaded(request, "/settings"))


def _loaded(request: Request, place: str) -> str:
    """The page is not live: htmx loads it again."""
    return own(place) if request.headers.get("hx-request") == "true" else ""
