"""A review by its id, and the decision about it: the same for the page, the API and other programs."""

from __future__ import annotations

from andon.app.store import Store
from andon.app.tasks import Task, Verdict, decide, task_of
from andon.domain.errors import Conflict, UserError
from andon.domain.tasks.reviews import CONFLICT, Review


def find_review(store: Store, id: str) -> Review | None:
    """None: there is no such review."""
    if "\0" in id:
        return None
    try:
        return store.reviews.get(id)
    except UserError:
        return None


def task_of_review(store: Store, review: Review) -> Task:
    return task_of(store, store.runs.get(review.task))


def decide_review(store: Store, review: Review, verdict: Verdict) -> Review:
    """Decide exactly this review. One that is decided already says by whom, what and when."""
    task = task_of_review(store, review)
    pending = task.pending
    if pending is None or pending.id != review.id:
        raise Conflict(CONFLICT.message, told(store.reviews.get(review.id)))
    try:
        return decide(store, task, verdict)
    except UserError as refused:
        now = store.reviews.get(review.id)
        if now.pending or isinstance(refused, Conflict):
            raise
        raise Conflict(CONFLICT.message, told(now)) from refused  # somebody was faster by an instant


def told(review: Review) -> str:
    """Who decided, what and when."""
    if review.decided_at is None:
        return "Its run does not wait for it any more."
    return f"{review.decided_by} decided it at {review.decided_at:%H:%M} (UTC): {review.status.value}."
