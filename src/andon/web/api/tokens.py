"""/api/tokens: secrets of programs, and browsers that are signed in. For admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from andon.app.access import Kind, Pass, Role
from andon.domain.errors import UserError
from andon.web.api.common import CHANGING, EVERYWHERE, MISSING, Admin, Asked, Here, Short, Told, answers
from andon.web.site import NotFound

router = APIRouter(prefix="/tokens", tags=["tokens"])


class Token(Told):
    id: str
    kind: Kind = Field(description="token: of a program. session: a browser that is signed in.")
    name: str
    role: Role
    made_at: float
    ends_at: float | None


class Tokens(Told):
    tokens: list[Token]


class NewToken(Asked):
    name: Annotated[Short, Field(min_length=1, max_length=100)] = Field(description="It says who decided.")
    role: Role = Role.VIEWER


class MadeToken(Told):
    name: str
    role: Role
    token: str = Field(description="The secret. It is shown this once; andon keeps its digest only.")


@router.get("", summary="List tokens and signed-in browsers", responses=answers(EVERYWHERE))
def list_tokens(site: Here, visitor: Admin) -> Tokens:
    found: list[Pass] = [*site.access.tokens(), *site.access.sessions()]
    return Tokens(tokens=[Token.model_validate(each) for each in found])


@router.post("", status_code=201, summary="Make a token", responses=answers(EVERYWHERE, CHANGING))
def make_token(site: Here, visitor: Admin, asked: NewToken) -> MadeToken:
    return MadeToken(name=asked.name, role=asked.role, token=site.access.token(asked.name, asked.role))


@router.delete(
    "/{id}", summary="Take back a token or sign a browser out", responses=answers(EVERYWHERE, MISSING, CHANGING)
)
def revoke_token(site: Here, visitor: Admin, id: str) -> Token:
    """It opens nothing any more, at once."""
    try:
        return Token.model_validate(site.access.revoke(id))
    except UserError as error:
        raise NotFound("There is no such token", "GET /api/tokens lists them.") from error
