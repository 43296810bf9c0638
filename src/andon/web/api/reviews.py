"""/api/reviews: what waits for a person after a phase, and the decision about it (D-111, D-113)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from andon.app.deciding import decide_review, find_review
from andon.app.notifying import book_of
from andon.app.reminding import overview, reassign
from andon.app.tasks import Verdict
from andon.domain.tasks import reviews
from andon.domain.tasks.states import ReviewState
from andon.domain.verdict import Verdict as Measured
from andon.web.api.common import (
    CHANGING,
    EVERYWHERE,
    MISSING,
    Admin,
    Asked,
    Decider,
    Here,
    NotRead,
    Short,
    Strict,
    Text,
    Told,
    answers,
    not_read,
)
from andon.web.api.runs import LARGEST
from andon.web.security import Visitor
from andon.web.site import NotFound, Site

router = APIRouter(prefix="/reviews", tags=["reviews"])
Id = Annotated[str, Path(description="As the list has it.")]


class Remark(Told):
    path: str
    text: str
    line: int = Field(description="0: about the whole file.")


class Review(Told):
    id: str
    task: str = Field(description="The id of its task, which is that of its run.")
    phase: int
    status: ReviewState
    version: int = Field(description="A decision names it, so that nobody decides about what they have not seen.")
    tree: str = Field(description="The files that were verified and are looked at.")
    base: str = Field(description="The files that the phase began with.")
    deliverables: list[str]
    verified: bool = Field(description="False: verification did not pass. Approving then needs a comment.")
    verdict: Measured = Field(
        description="Of the verification: `not_measured` when nothing failed, and not all is known."
    )
    opened_at: datetime
    decided_at: datetime | None
    decided_by: str
    comment: str
    comments: list[Remark]
    auto_approved: bool
    escalated_at: datetime | None
    reviewer: str


class ReviewDetail(Review):
    report: str
    verification: Mapping[str, Any] = Field(description="Criterion by criterion, as the review was opened with it.")


class Reviews(Told):
    reviews: list[Review]
    unreadable: NotRead


class Switch(Told):
    on: bool
    by: str
    at: float | None


class Statistics(Told):
    pendingOver24h: int
    autoApproved: int
    auto_approval: Switch
    next_at: datetime | None = Field(description="When the next reminder is due.")


class NewComment(Asked):
    path: Short
    text: Text
    line: Annotated[int, Field(ge=0, le=LARGEST)] = 0


class Said(Asked):
    comment: Text = Field("", description="Why. Needed for a rejection, and to approve what failed its verification.")
    comments: list[NewComment] = Field([], max_length=500, description="About files and lines.")
    version: Annotated[int, Field(ge=1, le=LARGEST)] | None = Field(
        None, description="The version you looked at; without it, whatever it is now."
    )
    tree: Short | None = Field(None, description="The files you looked at; without it, whatever they are now.")


class Reviewer(Asked):
    reviewer: Short = Field(description="Whoever is to decide, as people call them.")


class Decision(Said):
    action: Literal["approve", "reject"] = Field(description="To reject is to ask for changes.")


@router.get("", summary="List reviews, the oldest first", responses=answers(EVERYWHERE))
def list_reviews(
    site: Here,
    status: Annotated[ReviewState | None, Query(description="Only those that stand so.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> Reviews:
    every = site.store.reviews.all()
    found = [each for each in every if status in (None, each.status)]
    return Reviews(reviews=[Review.model_validate(each) for each in found[-limit:]], unreadable=not_read(every))


@router.get("/statistics", summary="How long reviews wait", responses=answers(EVERYWHERE))
def get_statistics(site: Here) -> Statistics:
    return Statistics.model_validate(overview(site.store, datetime.now(UTC)).as_json())


@router.get("/{id}", summary="A review with its verification", responses=answers(EVERYWHERE, MISSING))
def get_review(site: Here, id: Id) -> ReviewDetail:
    return _detail(site, _found(site, id))


@router.put(
    "/{id}/reviewer",
    summary="Hand a review to somebody else",
    responses=answers(EVERYWHERE, MISSING, CHANGING),
)
def name_reviewer(site: Here, visitor: Admin, id: Id, asked: Reviewer) -> ReviewDetail:
    """It is another version then: whoever has looked at it looks again (G-29)."""
    found, book = _found(site, id), book_of(site.store, site.environment)
    after = reassign(site.store, site.store.runs.get(found.task), found, asked.reviewer, visitor.name, book)
    site.feed.ring(found.task)
    return _detail(site, after)


decisions = APIRouter(prefix="/reviews", tags=["reviews"], route_class=Strict)
"""A value out of range is a bad request here."""


@decisions.patch("/{id}", summary="Decide a review", responses=answers(EVERYWHERE, MISSING, CHANGING))
def decide(site: Here, visitor: Decider, id: Id, asked: Decision) -> ReviewDetail:
    """Of any number of decisions exactly one is kept; the others get 409 with who decided."""
    return _decided(site, visitor, id, asked.action == "approve", asked)


@decisions.patch("/{id}/approve", summary="Approve a review", responses=answers(EVERYWHERE, MISSING, CHANGING))
def approve(site: Here, visitor: Decider, id: Id, asked: Said | None = None) -> ReviewDetail:
    """The same as `PATCH /api/reviews/{id}` with the action approve."""
    return _decided(site, visitor, id, True, asked or Said.model_validate({}))


@decisions.patch("/{id}/reject", summary="Ask for changes", responses=answers(EVERYWHERE, MISSING, CHANGING))
def reject(site: Here, visitor: Decider, id: Id, asked: Said) -> ReviewDetail:
    """The same as `PATCH /api/reviews/{id}` with the action reject."""
    return _decided(site, visitor, id, False, asked)


def _decided(site: Site, visitor: Visitor, id: str, approving: bool, said: Said) -> ReviewDetail:
    comments = tuple(reviews.Comment(each.path, each.text, each.line) for each in said.comments)
    verdict = Verdict(approving, visitor.name, said.comment, comments, said.version, said.tree)
    return _detail(site, decide_review(site.store, _found(site, id), verdict))


def _found(site: Site, id: str) -> reviews.Review:
    found = find_review(site.store, id)
    if found is None:
        raise NotFound("There is no such review", "GET /api/reviews lists them.")
    return found


def _detail(site: Site, review: reviews.Review) -> ReviewDetail:
    told = Review.model_validate(review).model_dump()
    verification = site.store.reviews.verification(review.id)
    return ReviewDetail(**told, report=review.report, verification=verification)
