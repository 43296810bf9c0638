"""What the endpoints share: who asks, what a body may be, and how a problem is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from andon.app.access import Role
from andon.domain.unreadable import Sifted
from andon.web.reading import site_of
from andon.web.security import Visitor, visitor_of
from andon.web.site import Site, needs, place


class Told(BaseModel):
    """What an endpoint answers."""

    model_config = ConfigDict(from_attributes=True)


class Asked(BaseModel):
    """What an endpoint is given. A key that it does not know is a mistake, not something to be left out silently."""

    model_config = ConfigDict(extra="forbid")


class Unreadable(Told):
    """A row that another version wrote, or somebody edited by hand. It keeps no other from being listed."""

    id: str
    problem: str = Field(description="Why it cannot be read.")


NotRead = Annotated[list[Unreadable], Field(description="What is there and cannot be read.")]


def not_read(rows: Sifted[Any]) -> list[Unreadable]:
    return [Unreadable.model_validate(each) for each in rows.unreadable]


class Detail(Told):
    where: str
    what: str


class Wrong(Told):
    title: str = Field(description="What is wrong, in a sentence.")
    hint: str = Field("", description="What helps.")
    details: list[Detail] | None = Field(None, description="Which parts of a request do not have the right form.")


class Problem(Told):
    """Every refusal has this form."""

    error: Wrong


def _described(text: str) -> dict[str, Any]:
    return {"model": Problem, "description": text}


EVERYWHERE: Mapping[int | str, dict[str, Any]] = {
    401: _described("No token, or one that was taken back."),
    403: _described("The token's role does not suffice, or the request came from another page."),
    408: _described("The request did not come in time."),
    413: _described("The request is larger than a million bytes."),
    415: _described("The body is not JSON."),
    421: _described("The Host header does not name this server."),
    422: _described("The request does not have the right form, or asks for what cannot be done."),
    503: _described("The machine cannot do what is needed: a missing program, a database that is away."),
}
MISSING: Mapping[int | str, dict[str, Any]] = {404: _described("There is no such thing.")}
CHANGING: Mapping[int | str, dict[str, Any]] = {
    400: _described("The body cannot be read."),
    409: _described("Somebody else was faster, or it is not any more what you saw."),
}


def answers(*more: Mapping[int | str, dict[str, Any]]) -> dict[int | str, dict[str, Any]]:
    """The refusals of an endpoint, for its description."""
    return {status: told for each in more for status, told in each.items()}


def _role(role: Role) -> Callable[[Request], Visitor]:
    def allowed(request: Request) -> Visitor:
        visitor = visitor_of(request)
        needs(visitor, role)
        return visitor

    return allowed


Here = Annotated[Site, Depends(site_of)]
Decider = Annotated[Visitor, Depends(_role(Role.REVIEWER))]
Admin = Annotated[Visitor, Depends(_role(Role.ADMIN))]


async def json_only(request: Request) -> None:
    """A form is what any page of the web can send. Programs send JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind and kind != "application/json":
        raise HTTPException(415, "The body has to be JSON: Content-Type: application/json")
    if not kind and await request.body():
        raise HTTPException(415, "The body has to say that it is JSON: Content-Type: application/json")


def _clean(text: str) -> str:
    if "\0" in text:
        raise ValueError("should have no NUL character")
    return text


Project = Annotated[
    str,
    Query(
        max_length=4096,
        description="One of `projects` of `/api/teams/inventory`. Without it, the folder the server was started in.",
    ),
]
OfProject = Annotated[str, Field(max_length=4096, description="As for what is only read.")]
"""The same in a body."""


def project_to_change(site: Site, visitor: Visitor, named: str) -> Path:
    """The project that is named, where whoever asks may work."""
    project = site.inventories.project(named)
    place(site, visitor, str(project))
    return project


Text = Annotated[str, Field(max_length=100_000), AfterValidator(_clean)]
Short = Annotated[str, Field(max_length=1_000), AfterValidator(_clean)]


class Strict(APIRoute):
    """An endpoint of which a value out of range is a bad request (400), as its description has it (D-63, D-111)."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        inner = super().get_route_handler()

        async def outer(request: Request) -> Any:
            try:
                return await inner(request)
            except RequestValidationError as error:
                where = "; ".join(f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in error.errors())
                raise HTTPException(400, where) from error

        return outer
