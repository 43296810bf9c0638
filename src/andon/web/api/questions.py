"""/api/questions: what runs wait for, and the answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from andon.app.answering import answer, keep_waiting
from andon.app.queries import Hold, find_hold, open_questions
from andon.domain.tasks.protocol import takes_own_words
from andon.web.api.common import (
    CHANGING,
    EVERYWHERE,
    MISSING,
    Asked,
    Decider,
    Here,
    NotRead,
    Text,
    Told,
    answers,
    not_read,
)
from andon.web.site import NotFound, Site

router = APIRouter(prefix="/questions", tags=["questions"])


class Question(Told):
    id: str
    run: str
    category: str
    text: str
    options: list[str] = Field(description="One of these will do, by name or number.")
    own_words: bool = Field(description="Whether any other text will do as well.")
    default: str | None
    opened_at: float
    deadline: float | None = Field(description="When the default is taken. None: it waits.")
    kept_by: str | None = Field(description="Who asked the run to wait for them.")


class Questions(Told):
    questions: list[Question]
    unreadable: NotRead


class Answer(Asked):
    answer: Text = Field("", description="Empty takes the default, where there is one.")


class Answered(Told):
    id: str
    run: str
    answer: str
    by: str


@router.get("", summary="List open questions, the oldest first", responses=answers(EVERYWHERE))
def list_questions(site: Here) -> Questions:
    """Reviews are not among them: they are decided under /api/reviews."""
    every = open_questions(site.store)
    found = [each for each in every if each.question.category != "review"]
    return Questions(questions=[_told(each) for each in found], unreadable=not_read(every))


@router.post("/{id:path}/answer", summary="Answer a question", responses=answers(EVERYWHERE, MISSING, CHANGING))
def answer_question(
    site: Here, visitor: Decider, id: Annotated[str, Path(description="With its slashes.")], asked: Answer
) -> Answered:
    """Of any number of answers exactly one counts; the others are told."""
    done = answer(site.store, _found(site, id), asked.answer, visitor.name)
    return Answered(id=done.id, run=done.run, answer=done.answer or "", by=done.answered_by or "")


@router.post(
    "/{id:path}/keep-waiting", summary="Have a question wait", responses=answers(EVERYWHERE, MISSING, CHANGING)
)
def keep_question(site: Here, visitor: Decider, id: Annotated[str, Path(description="With its slashes.")]) -> Question:
    """Its default is not taken any more: the run waits until somebody answers."""
    return _told(keep_waiting(site.store, _found(site, id), visitor.name))


def _found(site: Site, id: str) -> Hold:
    hold = find_hold(site.store, id) if "\0" not in id else None
    if hold is None:
        raise NotFound("There is no such question", "GET /api/questions lists those that are open.")
    return hold


def _told(hold: Hold) -> Question:
    question = hold.question
    return Question(
        id=hold.id,
        run=hold.run,
        category=question.category,
        text=question.text,
        options=list(question.options),
        own_words=takes_own_words(question),
        default=question.default,
        opened_at=hold.opened_at,
        deadline=hold.deadline,
        kept_by=hold.kept_by,
    )
