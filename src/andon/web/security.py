"""Who is let in, before any page or endpoint sees a request.

A browser on this machine visits other pages too, and those may send requests here. So: the Host must be ours, a request
that changes something must come from our own page (Origin, Sec-Fetch-Site, and a token that only our page knows), and
everybody has to have been let in with a link or a token.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from andon import __version__
from andon.app.access import Access, Kind, Role, csrf_of

COOKIE = "andon-session"
NEXT = "andon-next"
"""Where somebody was going when they were asked to sign in."""
NEXT_SECONDS = 15 * 60
FROM_ELSEWHERE = 200
ARRIVED = (
    '<!doctype html><html lang="en" data-place="{place}"><title>andon</title>'
    f'<script src="/static/place.js?v={__version__}"></script>'
    '<meta http-equiv="refresh" content="0;url={place}">'
)
"""What whoever follows a link from elsewhere gets: our own page, which leads to the one that is named. The cookie of a
session is sent from our pages only, and so it is sent then, and with nothing that another page could have asked for."""
CSRF_HEADER = "x-andon-csrf"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LARGEST_BODY = 1_000_000
LONGEST_COOKIE = 200
LONGEST_NEXT = 3_000
"""A browser keeps cookies of 4,096 bytes. An address of this server has at most two names and a search in it."""
BODY_SECONDS = 60.0
"""In which the whole of a request has to come."""
TOO_LARGE = f"A request has at most {LARGEST_BODY:,} bytes"
OPEN = ("/static/", "/login", "/favicon.ico", "/diagram")
"""What a stranger may see: nothing of these says anything about a run."""
STATUS = "/api/status"
"""Tells a stranger that andon is here, and no more: other tools look for it that way (B-13)."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sends a request."""

    name: str
    role: Role
    csrf: str = ""
    """Empty for a program: it has no page that could be misused."""


@dataclass(frozen=True, slots=True)
class Problem:
    status: int
    title: str
    hint: str = ""


class Gate:
    """The first middleware. Nothing behind it runs for a request that it refuses."""

    def __init__(self, app: ASGIApp, access: Access, hosts: frozenset[str], secure: bool = False) -> None:
        self._app = app
        self._access = access
        self._hosts = hosts
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(_with_our_cookies(scope))
        problem, visitor = self._examine(request)
        if problem is not None:
            await _refusal(request, problem)(scope, receive, _with_headers(send, request))
            return
        scope["visitor"] = visitor
        scope["refused"] = lambda: changed(visitor, self._visitor(request))
        await self._app(scope, _limited(receive, LARGEST_BODY), _with_headers(send, request))

    def _examine(self, request: Request) -> tuple[Problem | None, Visitor | None]:
        if request.headers.get("host", "") not in self._hosts:
            return Problem(
                421, "This server is not known by that name", "Open the address that `andon serve` printed."
            ), None
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > LARGEST_BODY:
            return Problem(413, TOO_LARGE), None
        if request.headers.get("sec-fetch-site") not in (None, "same-origin", "none") and not _followed(request):
            return Problem(403, "Requests from other pages are refused"), None
        if request.method not in SAFE_METHODS and not self._own_origin(request):
            return Problem(403, "Requests from other pages are refused"), None
        path = request.url.path
        if path.startswith(OPEN):
            return None, None
        visitor = self._visitor(request)
        if visitor is None and path == STATUS and not {"authorization", "cookie"} & set(request.headers):
            return None, None
        if _followed(request):
            return Problem(FROM_ELSEWHERE, "A link on another page led here"), None
        if visitor is None:
            return Problem(401, "You are not signed in", "`andon serve --link` prints a link that signs you in."), None
        if request.method not in SAFE_METHODS and visitor.csrf and not _from_our_page(request, visitor):
            return Problem(403, "The page is too old", "Load it again."), None
        return None, visitor

    def _own_origin(self, request: Request) -> bool:
        """No Origin: a program, which must then bring a token. An Origin that is not ours is refused, token or not."""
        origin = request.headers.get("origin")
        if origin is None:
            return "authorization" in request.headers or request.headers.get("sec-fetch-site") == "same-origin"
        scheme, _, host = origin.partition("://")
        return scheme == ("https" if self._secure else "http") and host in self._hosts

    def _visitor(self, request: Request) -> Visitor | None:
        if "authorization" in request.headers:  # then nothing else counts: a cookie beside it is not looked at
            kind, _, secret = request.headers["authorization"].partition(" ")
            found = self._access.who(Kind.TOKEN, secret.strip()) if kind.lower() == "bearer" else None
            return Visitor(found.name, found.role) if found else None
        if cookie := session_of(request):
            found = self._access.who(Kind.SESSION, cookie)
            return Visitor(found.name, found.role, csrf_of(cookie)) if found else None
        return None


def session_of(request: Request) -> str:
    return cookie(request, COOKIE)


def cookie(request: Request, name: str) -> str:
    """The value of a cookie, as it stands."""
    pairs = (each.strip().partition("=") for each in request.headers.get("cookie", "").split(";"))
    return next((value for found, _, value in pairs if found == name), "")


def _with_our_cookies(scope: Scope) -> Scope:
    """Other servers of this machine share its cookies, and the standard library takes a time to read one that grows
    with the square of its length: what is not ours is left out before anybody looks."""
    told = b";".join(value for name, value in scope["headers"] if name == b"cookie").split(b";")
    ours = [each.strip() for each in told if _is_ours(each.strip())]
    rest = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
    scope["headers"] = [*rest, (b"cookie", b"; ".join(ours))] if ours else rest
    return scope


def _is_ours(cookie: bytes) -> bool:
    most = LONGEST_NEXT if cookie.startswith(f"{NEXT}=".encode()) else LONGEST_COOKIE
    return cookie.startswith(b"andon-") and len(cookie) <= most


def let_in(access: Access, link: str, secure: bool, place: str = "/") -> Response | None:
    """Use a link up; the browser is signed in from then on."""
    opened = access.open_session(link)
    if opened is None:
        return None
    secret, found = opened
    response = RedirectResponse(place, status_code=303)
    response.delete_cookie(NEXT, path="/", httponly=True, samesite="strict", secure=secure)
    seconds = int((found.ends_at or 0) - found.made_at)
    response.set_cookie(COOKIE, secret, max_age=seconds, httponly=True, samesite="strict", secure=secure, path="/")
    return response


def wanted(request: Request) -> str:
    """Where somebody was going when they were asked to sign in: a page of this server, and nothing else."""
    return own(unquote(cookie(request, NEXT)))


def own(path: str) -> str:
    """A path of this server, whatever a form or a cookie says."""
    try:
        parts = urlsplit(path)
    except ValueError:
        return "/"
    safe = path.startswith("/") and not path.startswith("//") and not parts.netloc and not parts.scheme
    return path if safe and "\\" not in path and path.isprintable() else "/"


def _here(request: Request) -> str:
    """The address of a request, as it stands in one: a quotation mark or a space in it means nothing."""
    query = request.scope["query_string"].decode("latin-1")
    path = quote(request.scope["path"], safe="/~!*()@:$,+=")
    return own(f"{path}?{quote(query, safe='/~!*()@:$,+=&%')}" if query else path)


def visitor_of(request: Request) -> Visitor:
    return request.scope["visitor"]


def _from_our_page(request: Request, visitor: Visitor) -> bool:
    """By header; a form without JavaScript carries it as a field, which `formdata.py` compares."""
    given = request.headers.get(CSRF_HEADER)
    if given is None:
        form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
        return form and not request.url.path.startswith("/api/")
    return same(given, visitor.csrf)


def same(given: str, known: str) -> bool:
    """Compared in the same time, whatever was sent."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), known.encode())


def refused(request: Request) -> Callable[[], Problem | None]:
    """Why whoever sent the request may not read on: a stream ends when its token is taken back. None: they may."""
    return request.scope["refused"]


def changed(before: Visitor | None, now: Visitor | None) -> Problem | None:
    if before == now:
        return None
    if now is None:
        return Problem(401, "You are not signed in any more", "`andon serve --link` prints a link that signs you in.")
    return Problem(403, "You may do other things now than when this was opened", "Open it again.")


def _followed(request: Request) -> bool:
    """A link on another page, or in a mail, was followed to one of our pages."""
    told = request.headers.get
    other = told("sec-fetch-site") in ("cross-site", "same-site")
    navigation = told("sec-fetch-mode") == "navigate" and told("sec-fetch-dest", "document") == "document"
    return other and navigation and wants_page(request)


def wants_page(request: Request) -> bool:
    html = "text/html" in request.headers.get("accept", "") and request.method == "GET"
    return html and not request.url.path.startswith("/api/")


def _refusal(request: Request, problem: Problem) -> Response:
    if problem.status == FROM_ELSEWHERE:
        return HTMLResponse(ARRIVED.format(place=escape(_here(request))))
    if problem.status == 401 and wants_page(request):
        response = RedirectResponse("/login", status_code=303)
        secure = request.url.scheme == "https"
        kept: dict[str, Any] = {"httponly": True, "samesite": "strict", "secure": secure, "path": "/"}
        response.set_cookie(NEXT, quote(_here(request), safe=""), max_age=NEXT_SECONDS, **kept)
        return response
    told: dict[str, Any] = {"error": {"title": problem.title, "hint": problem.hint}}
    return JSONResponse(told, status_code=problem.status)


def _limited(receive: Receive, most: int) -> Receive:
    """A body without a length is counted as it comes; one that does not come is not waited for."""
    seen, whole, until = 0, False, time.monotonic() + BODY_SECONDS

    async def counted() -> Message:
        nonlocal seen, whole
        try:
            message = await asyncio.wait_for(receive(), None if whole else max(0.0, until - time.monotonic()))
        except TimeoutError:
            raise HTTPException(408, "The request did not come in time") from None
        if message["type"] == "http.request":
            whole = not message.get("more_body", False)
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, TOO_LARGE)
        return message

    return counted


def _with_headers(send: Send, request: Request) -> Callable[[Message], Awaitable[None]]:
    framed = request.url.path.startswith("/diagram")

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            wanted = {**HEADERS} if not framed else {k: v for k, v in HEADERS.items() if k == "x-content-type-options"}
            if not request.url.path.startswith("/static/"):
                wanted.setdefault("cache-control", "no-store")
            more = [(k.encode(), v.encode()) for k, v in wanted.items() if k.encode() not in present]
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return sending
