"""Who reads, and which site they read: taken from a request."""

from __future__ import annotations

from starlette.requests import Request

from andon.domain.language import Language
from andon.web.rendering import Reader
from andon.web.security import cookie, visitor_of
from andon.web.site import Site
from andon.web.words import preferred


def site_of(request: Request) -> Site:
    return request.app.state.site


def reader_of(request: Request) -> Reader:
    theme = cookie(request, "andon-theme")
    return Reader(language_of(request), theme if theme in ("light", "dark") else "", visitor_of(request))


def language_of(request: Request) -> Language:
    return preferred(cookie(request, "andon-language"), request.headers.get("accept-language", ""))
