"""The server: gate, pages, acts, API, streams; and the errors of the product as answers of HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from andon import __version__
from andon.app.access import Kind
from andon.app.folders import FolderRefused
from andon.app.hosting import take_up, take_up_answered
from andon.app.reminding import Reminding
from andon.app.wishing import start_waiting
from andon.domain.errors import Conflict, EnvironmentProblem, NoSuch, UserError
from andon.web import acts, chatting, live, memory_acts, office_acts, reviewing, settings_acts, task_acts, team_acts
from andon.web.api.routes import router as api
from andon.web.chronicle import Chronicle
from andon.web.formdata import fields
from andon.web.page import Builder, View, whole
from andon.web.pages import PAGES
from andon.web.reading import language_of, reader_of, site_of
from andon.web.rendering import STATIC, Reader, asset, personal, templates
from andon.web.security import COOKIE, HEADERS, Gate, let_in, session_of, wanted
from andon.web.site import NotAllowed, NotFound, Site
from andon.web.streaming import Streams
from andon.web.words import speaker

START_SECONDS = 2.0
STATUSES: tuple[tuple[type[UserError], int], ...] = (
    (NotFound, 404),
    (NoSuch, 404),
    (NotAllowed, 403),
    (FolderRefused, 403),
    (Conflict, 409),
    (EnvironmentProblem, 503),
    (UserError, 422),
)


def create_app(site: Site, hosts: frozenset[str]) -> FastAPI:
    app = FastAPI(
        title="andon",
        version=__version__,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.site = site
    app.state.drawing = live.Drawing(site)
    app.state.streams = Streams()
    app.state.chronicle = Chronicle(site.store, site.feed)
    app.add_middleware(Gate, access=site.access, hosts=hosts, secure=site.secure)
    app.mount("/static", Forever(directory=STATIC), name="static")
    for path, builder in PAGES.items():
        app.add_api_route(path, _page(builder), methods=["GET"], include_in_schema=False)
    app.include_router(acts.router)
    app.include_router(task_acts.router)
    app.include_router(live.router)
    app.include_router(reviewing.router)
    app.include_router(api)
    app.include_router(chatting.router)
    app.include_router(office_acts.router)
    app.include_router(memory_acts.router)
    app.include_router(settings_acts.router)
    app.include_router(team_acts.router)
    app.add_api_route("/login", login, methods=["GET"], include_in_schema=False)
    app.add_api_route("/logout", logout, methods=["POST"], include_in_schema=False)
    app.add_api_route("/favicon.ico", favicon, methods=["GET"], include_in_schema=False)
    for kind in (UserError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _problem)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    site: Site = app.state.site
    await asyncio.to_thread(take_up, site.store)
    site.feed.start()
    stop = asyncio.Event()
    chores = [asyncio.create_task(_starting(site, stop)), asyncio.create_task(_reminding(site, stop))]
    if site.store.shared:
        chores.append(asyncio.create_task(_taking_up(site, stop)))
    site.offices.now()
    try:
        yield
    finally:
        stop.set()
        await app.state.chronicle.close()
        await site.feed.close()
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)


async def _taking_up(site: Site, stop: asyncio.Event) -> None:
    """What was answered on another machine goes on here, where its files are."""
    while not stop.is_set():
        with suppress(Exception):  # a database that is away for a moment costs one look
            await asyncio.to_thread(take_up_answered, site.store)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), START_SECONDS)


async def _starting(site: Site, stop: asyncio.Event) -> None:
    """What waits for its turn is started when its repository is free."""
    while not stop.is_set():
        with suppress(Exception):  # the next look may find it gone; what concerns a task is kept with it
            await asyncio.to_thread(start_waiting, site.store, site.environment, site.folders)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), START_SECONDS)


async def _reminding(site: Site, stop: asyncio.Event) -> None:
    await Reminding(site.store, environment=site.environment).watch(stop)


class Forever(StaticFiles):
    """Assets carry the version in their address: a browser may keep them."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


def _page(builder: Builder) -> Callable[[Request], Any]:
    async def page(request: Request) -> HTMLResponse:
        site, reader = site_of(request), reader_of(request)
        path, query = dict(request.path_params), dict(request.query_params)

        def made() -> str:
            return whole(site, reader, builder(site, reader, path, query))

        return HTMLResponse(personal(await asyncio.to_thread(made), reader))

    return page


async def login(request: Request, token: str = "") -> Response:
    site = site_of(request)
    if not token and site.access.who(Kind.SESSION, session_of(request)):
        return RedirectResponse(wanted(request), status_code=303)
    response = let_in(site.access, token, site.secure, wanted(request)) if token else None
    if response is not None:
        return response
    say = speaker(language_of(request))
    html = templates().get_template("login.html").render(failed=bool(token), place=wanted(request), _=say, asset=asset)
    return HTMLResponse(html, status_code=401 if token else 200)


async def logout(request: Request) -> Response:
    """This browser is signed out; its pages are told."""
    await fields(request)
    await asyncio.to_thread(site_of(request).access.close_session, session_of(request))
    response = RedirectResponse("/login", status_code=303)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=site_of(request).secure)
    return response


async def favicon(lamp: str = "todo") -> Response:
    name = lamp if lamp in ("failed", "waiting", "running") else "todo"
    return FileResponse(STATIC / f"favicon-{name}.svg", media_type="image/svg+xml")


async def _problem(request: Request, error: Exception) -> Response:
    status, title, hint, details = _told(error)
    wants_page = "text/html" in request.headers.get("accept", "") and not request.headers.get("hx-request")
    if wants_page and request.scope.get("visitor") is not None:
        return await asyncio.to_thread(_problem_page, request, status, title, hint)
    body: dict[str, Any] = {"error": {"title": title, "hint": hint} | ({"details": details} if details else {})}
    return JSONResponse(body, status_code=status, headers=_failed(status))


def _failed(status: int) -> dict[str, str]:
    """A failure of ours is answered outside of the gate, which says these otherwise."""
    return HEADERS | {"cache-control": "no-store"} if status == 500 else {}


def _told(error: Exception) -> tuple[int, str, str, Any]:
    if isinstance(error, UserError):
        return next(s for kind, s in STATUSES if isinstance(error, kind)), error.message, error.hint, None
    if isinstance(error, RequestValidationError):
        details = [
            {"where": plain(".".join(map(str, each["loc"]))), "what": plain(each["msg"])} for each in error.errors()
        ]
        return 422, "The request does not have the right form", "", details
    if not isinstance(error, HTTPException):  # a bug of ours: its traceback goes to the server's log, not to the page
        return 500, "andon itself failed here", "The server's terminal says more. Nothing of the runs is lost.", None
    return error.status_code, plain(str(error.detail)), "", None


def plain(text: str) -> str:
    """What was sent may hold halves of characters, which no answer can carry."""
    return text.encode("utf-8", "replace").decode()


def _problem_page(request: Request, status: int, title: str, hint: str) -> Response:
    reader: Reader = reader_of(request)
    view = View("problem.html", title, "", {"title": title, "hint": hint})
    html = personal(whole(site_of(request), reader, view), reader)
    return HTMLResponse(html, status_code=status, headers=_failed(status))
