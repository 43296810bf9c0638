"""Reviews of phases: rows beside the holds at which runs wait. Decided once, by whoever saw the present version.

What may become of a review is decided by domain/tasks/reviews.py; here is only that exactly one decision is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from andon.domain.errors import Conflict, UserError
from andon.domain.tasks import reviews
from andon.domain.tasks.reporting import verdict_of_all
from andon.domain.tasks.reviews import Comment, Decision, Kind, Refusal, Review
from andon.domain.tasks.states import ReviewState
from andon.domain.unreadable import Sifted, sift
from andon.engine import tables
from andon.engine.database import one_writer, reading
from andon.engine.holds import answer_in

Deciding = Callable[[Review, Decision], Review | Refusal]
DECIDING: Mapping[ReviewState, Deciding] = {
    ReviewState.APPROVED: reviews.approved,
    ReviewState.CHANGES_REQUESTED: reviews.changes_requested,
}


class Reviews:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def open(self, hold: str, new: Review, verification: Mapping[str, Any]) -> Review:
        """Open a review, or return the one that is open for this task and phase (D-100)."""
        table = tables.reviews
        with self._engine.begin() as connection:
            one_writer(connection, "reviews")  # one at a time over all tasks (D-99)
            rows = connection.execute(sa.select(table).where(table.c.run == new.task)).mappings().all()
            if again := next((row for row in rows if hold == row["hold"]), None):
                return _review(again)  # a step that is repeated
            found = reviews.opened([_review(row) for row in rows], new)
            kept = {"hold": hold, "verification": dict(verification)}
            if found is new:
                connection.execute(table.insert(), _row(new) | kept)
                return found_in(connection, new.id)
            # Of a leg that was stopped: nobody waits at its hold any more, and what it showed may be different now.
            again = replace(new, id=found.id, version=found.version + 1, opened_at=found.opened_at)
            again = replace(again, reviewer=found.reviewer, escalated_at=found.escalated_at)
            connection.execute(table.update().where(table.c.id == found.id).values(_row(again) | kept))
            return found_in(connection, again.id)

    def get(self, id: str) -> Review:
        with reading(self._engine) as connection:
            return found_in(connection, id)

    def of_run(self, run: str) -> list[Review]:
        return [_review(row) for row in self._rows(tables.reviews.c.run == run)]

    def pending(self) -> Sifted[Review]:
        return sift(self._rows(tables.reviews.c.status == str(ReviewState.PENDING)), _id, _review)

    def all(self) -> Sifted[Review]:
        return sift(self._rows(sa.true()), _id, _review)

    def verification(self, id: str) -> Mapping[str, Any]:
        """What was measured and judged of the phase, as the review was opened with it."""
        table = tables.reviews
        with reading(self._engine) as connection:
            found = connection.execute(sa.select(table.c.verification).where(table.c.id == id)).scalar()
        if found is None:
            raise UserError(reviews.not_found(id))
        return found

    def decide(self, id: str, wanted: ReviewState, decision: Decision, *, automatic: bool = False) -> Review:
        """Of any number of decisions exactly one is kept, and its run goes on; the others are told (D-101 to D-103)."""
        with self._engine.begin() as connection:
            return decide_in(connection, id, wanted, decision, automatic=automatic)

    def change(self, id: str, change: Callable[[Review], Review | Refusal]) -> Review:
        """Anything but a decision: another reviewer, an escalation."""
        table = tables.reviews
        with self._engine.begin() as connection:
            one_writer(connection, id)
            after = change(found_in(connection, id))
            if isinstance(after, Refusal):
                raise UserError(after.message)
            connection.execute(table.update().where(table.c.id == id).values(_row(after)))
        return after

    def _rows(self, condition: Any) -> list[Any]:
        table = tables.reviews
        with reading(self._engine) as connection:
            query = sa.select(table).where(condition).order_by(table.c.opened_at, table.c.id)
            return list(connection.execute(query).mappings())


def decide_in(
    connection: sa.Connection, id: str, wanted: ReviewState, decision: Decision, *, automatic: bool = False
) -> Review:
    """Decide a review, and wake the run that waits there, as part of a transaction."""
    table = tables.reviews
    one_writer(connection, id)
    before = found_in(connection, id)
    deciding = DECIDING[wanted]
    after = reviews.approved(before, decision, automatic=True) if automatic else deciding(before, decision)
    if isinstance(after, Refusal):
        hint = _who(before)
        raise Conflict(after.message, hint) if after.kind is Kind.CONFLICT else UserError(after.message, hint)
    changed = connection.execute(
        table.update().where(table.c.id == id, table.c.version == before.version).values(_row(after))
    ).rowcount
    if not changed:
        raise Conflict(reviews.CONFLICT.message, _who(before))
    hold = connection.execute(sa.select(table.c.hold).where(table.c.id == id)).scalar()
    answer_in(connection, str(hold), str(after.status), decision.by, decision.at.timestamp())
    return after


def found_in(connection: sa.Connection, id: str) -> Review:
    row = connection.execute(sa.select(tables.reviews).where(tables.reviews.c.id == id)).mappings().first()
    if row is None:
        raise UserError(reviews.not_found(id), "`andon task list` shows what waits.")
    return _review(row)


def _who(review: Review) -> str:
    if review.decided_at is None:
        return f"It is version {review.version} of tree {review.tree[:12]} now. Look at it again."
    return f"{review.decided_by} decided it at {review.decided_at:%H:%M}: {review.status.value}."


def _id(row: Mapping[Any, Any]) -> object:
    return row["id"]


def _row(review: Review) -> dict[str, Any]:
    return {
        "id": review.id,
        "run": review.task,
        "phase": review.phase,
        "tree": review.tree,
        "base": review.base,
        "deliverables": list(review.deliverables),
        "status": str(review.status),
        "version": review.version,
        "opened_at": review.opened_at.timestamp(),
        "decided_by": review.decided_by,
        "decided_at": review.decided_at.timestamp() if review.decided_at else None,
        "comment": review.comment,
        "comments": [asdict(each) for each in review.comments],
        "auto_approved": review.auto_approved,
        "escalated_at": review.escalated_at.timestamp() if review.escalated_at else None,
        "reviewer": review.reviewer,
    }


def _review(row: Mapping[Any, Any]) -> Review:
    told = tables.intact(row)["verification"]
    return Review(
        id=row["id"],
        task=row["run"],
        phase=row["phase"],
        tree=row["tree"],
        opened_at=_moment(row["opened_at"]),
        base=row["base"],
        deliverables=tuple(row["deliverables"]),
        report=str(told.get("report", "")),
        verdict=verdict_of_all(told),
        status=ReviewState(row["status"]),
        version=row["version"],
        decided_by=row["decided_by"],
        decided_at=_moment(row["decided_at"]) if row["decided_at"] is not None else None,
        comment=row["comment"],
        comments=tuple(Comment(**each) for each in row["comments"]),
        auto_approved=row["auto_approved"],
        escalated_at=_moment(row["escalated_at"]) if row["escalated_at"] is not None else None,
        reviewer=row["reviewer"],
        leg=int(row["hold"].rpartition("/")[2].partition(".")[0]),
    )


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
