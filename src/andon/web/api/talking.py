"""/api/tasks/{id}/messages and /feedback: conversations, and what people think of an answer (D-63)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from andon.app.conversations import conversation, post_soon, rate
from andon.web.api.common import CHANGING, EVERYWHERE, MISSING, Asked, Decider, Here, Strict, Text, Told, answers
from andon.web.api.runs import Accepted
from andon.web.api.tasks import found

router = APIRouter(prefix="/tasks", tags=["conversations"])


class Turn(Told):
    author: str = Field(description="person or agent.")
    by: str
    text: str
    at: float
    score: dict[str, Any] | None = Field(description="Of an answer: its quality, part by part.")
    rating: int | None
    comment: str


class Conversation(Told):
    turns: list[Turn] = Field(description="The oldest first.")


class Message(Asked):
    text: Annotated[Text, Field(min_length=1)]


class Feedback(Asked):
    rating: Annotated[int, Field(ge=1, le=5, strict=True)] = Field(description="1 is bad, 5 is good.")
    comment: Text = ""


class Success(Told):
    success: Literal[True] = True


@router.get("/{id}/messages", summary="What was said", responses=answers(EVERYWHERE, MISSING))
def get_messages(site: Here, id: str) -> Conversation:
    turns = conversation(site.store, found(site, id))
    return Conversation(turns=[Turn(**each.as_json()) for each in turns])


@router.post(
    "/{id}/messages", status_code=202, summary="Say something more", responses=answers(EVERYWHERE, MISSING, CHANGING)
)
def send_message(site: Here, visitor: Decider, id: str, asked: Message) -> Accepted:
    """It is answered in the background. Where the agent asks something, the message is the answer to that."""
    run = post_soon(site.store, found(site, id), asked.text, visitor.name)
    return Accepted(id=run.id, status=site.store.status(run).value)


ratings = APIRouter(prefix="/tasks", tags=["conversations"], route_class=Strict)
"""A value out of range is a bad request here."""


@ratings.post("/{id}/feedback", summary="Rate the last answer", responses=answers(EVERYWHERE, MISSING, CHANGING))
def give_feedback(site: Here, visitor: Decider, id: str, asked: Feedback) -> Success:
    rate(site.store, found(site, id), asked.rating, asked.comment, visitor.name)
    site.feed.ring(id)
    return Success()
