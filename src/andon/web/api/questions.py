"""/api/questions: what runs wait for, and the answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from andon.app.answering import answer
from andon.app.queries import Hold, find_hold, open_questions
from andon.web.api.common import CHANGING, EVERYWHERE, MISSING, Asked, Decider, Here, Text, Told, answers
from andon.web.site import NotFound

router = APIRouter(prefix="/questions", tags=["questions"])


class Question(Told):
    id: str
    run: str
    category: str
    text: str
    options: list[str] = Field(description="One of these will do, by name or number. Empty: any text.")
    default: str | None
    opened_at: float
    deadline: float | None = Field(description="When the default is taken. None: it waits.")


class Questions(Told):
    questions: list[Question]


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
    found = [each for each in open_questions(site.store) if each.question.category != "review"]
    return Questions(questions=[_told(each) for each in found])


@router.post("/{id:path}/answer", summary="Answer a question", responses=answers(EVERYWHERE, MISSING, CHANGING))
def answer_question(
    site: Here, visitor: Decider, id: Annotated[str, Path(description="With its slashes.")], asked: Answer
) -> Answered:
    """Of any number of answers exactly one counts; the others are told."""
    hold = find_hold(site.store, id) if "\0" not in id else None
    if hold is None:
        raise NotFound("There is no such question", "GET /api/questions lists those that are open.")
    done = answer(site.store, hold, asked.answer, visitor.name)
    return Answered(id=done.id, run=done.run, answer=done.answer or "", by=done.answered_by or "")


def _told(hold: Hold) -> Question:
    question = hold.question
    return Question(
        id=hold.id,
        run=hold.run,
        category=question.category,
        text=question.text,
        options=list(question.options),
        default=question.default,
        opened_at=hold.opened_at,
        deadline=None if question.timeout is None else hold.opened_at + question.timeout,
    )
