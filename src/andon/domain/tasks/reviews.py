"""Reviews of phases: opened once per task and phase, decided once, by version and tree (D-100 to D-103, D-111)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from andon.domain.tasks.states import REVIEW_EDGES, ReviewState, moved
from andon.domain.verdict import Verdict

SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Comment:
    path: str
    text: str
    line: int = 0
    """0: about the whole file."""


@dataclass(frozen=True, slots=True)
class Review:
    id: str
    task: str
    phase: int
    tree: str
    """The tree that was verified and is looked at."""
    opened_at: datetime
    base: str = ""
    """The tree that the phase began with."""
    deliverables: tuple[str, ...] = ()
    report: str = ""
    verdict: Verdict = Verdict.PASSED
    """Of its verification. A person may choose to look although it did not pass (D-74)."""
    status: ReviewState = ReviewState.PENDING
    version: int = 1
    decided_by: str = ""
    decided_at: datetime | None = None
    comment: str = ""
    comments: tuple[Comment, ...] = ()
    auto_approved: bool = False
    escalated_at: datetime | None = None
    reviewer: str = ""
    """Another reviewer than the task's creator, named by an admin (G-29)."""
    leg: int = 1
    """The leg of its run that presented it. One of an earlier leg is presented again before anybody can decide it."""

    @property
    def verified(self) -> bool:
        return self.verdict is Verdict.PASSED

    def awaited(self, leg: int) -> bool:
        """Whether a run, now at this leg, waits for somebody to decide it."""
        return self.pending and self.leg == leg

    @property
    def pending(self) -> bool:
        return self.status is ReviewState.PENDING

    @property
    def escalated(self) -> bool:
        return self.escalated_at is not None


@dataclass(frozen=True, slots=True)
class Presented:
    """What is put before a person at the end of a phase."""

    phase: int
    base: str
    """The tree that the phase began with."""
    deliverables: tuple[str, ...]
    verification: Mapping[str, Any]
    """In the form of G-19."""
    text: str
    """What the person is asked."""


class Kind(StrEnum):
    """Why a decision was refused."""

    STATE = "state"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Refusal:
    kind: Kind
    message: str


CONFLICT = Refusal(Kind.CONFLICT, "Review was already processed by another user")


def not_found(id: str) -> str:
    """What is said about a review that does not exist (D-101)."""
    return f"Review not found: {id}"


def pending_review(reviews: Sequence[Review], task: str, phase: int) -> Review | None:
    """The one that is open for this task and phase: it is taken again instead of a second one (D-100, G-36)."""
    return next((each for each in reviews if each.task == task and each.phase == phase and each.pending), None)


def ordinal(reviews: Sequence[Review], review: Review) -> int:
    """Which version of the phase's work it is, as people count: v1, v2 … (`version` counts changes of one review)."""
    same = sorted((each.opened_at, each.id) for each in reviews if each.phase == review.phase)
    return same.index((review.opened_at, review.id)) + 1


def opened(reviews: Sequence[Review], new: Review) -> Review:
    """The review that stands after opening `new`: one that is open for its task and phase stays (D-100, G-36)."""
    return pending_review(reviews, new.task, new.phase) or new


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody decided, about which version of a review and which tree."""

    by: str
    at: datetime
    version: int
    tree: str
    comment: str = ""
    comments: tuple[Comment, ...] = ()


def approved(review: Review, decision: Decision, *, automatic: bool = False) -> Review | Refusal:
    """The review approved, or why not (D-101, D-102). Automatic approval goes the same versioned way (X-53)."""
    if not review.pending:
        return Refusal(Kind.STATE, f"Review already {review.status.value}")
    done = _decided(review, decision, ReviewState.APPROVED)
    return replace(done, auto_approved=automatic) if isinstance(done, Review) else done


def changes_requested(review: Review, decision: Decision) -> Review | Refusal:
    """The review with a request for changes, or why not (D-103)."""
    if not review.pending:
        return Refusal(Kind.STATE, "Invalid review state")
    return _decided(review, decision, ReviewState.CHANGES_REQUESTED)


def _decided(review: Review, decision: Decision, status: ReviewState) -> Review | Refusal:
    """Who looked at another version, or at other files, has not decided about this one."""
    if (decision.version, decision.tree) != (review.version, review.tree):
        return CONFLICT
    return replace(
        review,
        status=moved(REVIEW_EDGES, review.status, status),
        version=review.version + 1,
        decided_by=decision.by,
        decided_at=decision.at,
        comment=decision.comment,
        comments=decision.comments,
    )


def assigned(review: Review, reviewer: str) -> Review | Refusal:
    """The same review for another reviewer (D-104, G-29)."""
    if not review.pending:
        return Refusal(Kind.STATE, f"Review already {review.status.value}")
    return replace(review, reviewer=reviewer, version=review.version + 1)


DECISIONS = (ReviewState.APPROVED, ReviewState.CHANGES_REQUESTED)
ACTIONS = {"approve": ReviewState.APPROVED, "reject": ReviewState.CHANGES_REQUESTED}
"""What `PATCH /api/reviews/{id}` understands; to reject is to request changes (D-111, X-55)."""


def change_requests(reviews: Sequence[Review], task: str, phase: int) -> int:
    """How often a person has requested changes of this phase: allowed, counted, shown (G-44)."""
    wanted = (task, phase, ReviewState.CHANGES_REQUESTED)
    return sum((each.task, each.phase, each.status) == wanted for each in reviews)


def feedback_text(overall: str, comments: Sequence[Comment]) -> str:
    """What the agent is told: the overall words, and each comment with its file and line (D-75, D-77)."""
    told = [
        f"- {each.path}:{each.line}: {each.text}" if each.line else f"- {each.path}: {each.text}" for each in comments
    ]
    return "\n".join(filter(None, (overall.strip(), *told)))


@dataclass(frozen=True, slots=True)
class Statistics:
    pending_over_24h: int
    auto_approved: int


def statistics(reviews: Sequence[Review], now: datetime) -> Statistics:
    """Reviews that wait for more than a day, and those approved by time alone (D-113)."""
    day = timedelta(hours=24)
    return Statistics(
        sum(each.pending and now - each.opened_at > day for each in reviews),
        sum(each.auto_approved for each in reviews),
    )
