"""Forms as a browser sends them without JavaScript, and as htmx sends them: the same fields."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from andon.domain.errors import UserError
from andon.web.security import CSRF_HEADER, own, same, visitor_of
from andon.web.site import NotAllowed


async def fields(request: Request) -> dict[str, str]:
    """The fields of a form of our own page; of one that is not, an error."""
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise UserError("This takes a form", "Programs use the API under /api.")
    given = dict(await _pairs(request))
    csrf = visitor_of(request).csrf
    if csrf and CSRF_HEADER not in request.headers and not same(given.get("csrf", ""), csrf):
        raise NotAllowed("The page is too old", "Load it again.")
    return given


async def several(request: Request, name: str) -> list[str]:
    """All that was given by that name, such as boxes that were ticked."""
    return [value for key, value in await _pairs(request) if key == name]


async def _pairs(request: Request) -> list[tuple[str, str]]:
    try:
        body = (await request.body()).decode("utf-8")
        return parse_qsl(body, keep_blank_values=True, max_num_fields=500)
    except ValueError as error:
        raise UserError(f"The form cannot be read: {error}") from error


def done(request: Request, back: str, place: str = "") -> Response:
    """After an act: htmx stays on the page, which is live; without JavaScript the page is loaded again."""
    if request.headers.get("hx-request") == "true":
        return Response(status_code=204, headers={"hx-redirect": place} if place else {})
    return RedirectResponse(place or own(back), status_code=303)
