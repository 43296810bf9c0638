"""The ladder of reviews that wait, as rows: each rung is acted on once, by whichever process comes first.

A rung is claimed, carried out and told in one transaction. Which rungs are due is decided by domain/tasks/reminders.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa

from andon.domain.language import Language
from andon.domain.notices import About, Notice, of_stage
from andon.domain.run import Status
from andon.domain.tasks import reminders
from andon.domain.tasks.reminders import AUTO_APPROVED_COMMENT, Stage
from andon.domain.tasks.reviews import SYSTEM, Decision, Review
from andon.domain.tasks.states import ReviewState
from andon.domain.unreadable import Sifted, sift
from andon.engine import tables
from andon.engine.database import one_writer, reading
from andon.engine.journal import Journal
from andon.engine.notices import Target, post_in
from andon.engine.reviews import decide_in, found_in

Addressed = Callable[[Notice], Sequence[Target]]
"""Where a notice goes."""
AT_REST = tuple(str(status) for status in Status if status.ended)
SENT, APPROVED, REFUSED = "sent", "approved", "refused"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A review that is pending, of a run that is not at rest."""

    review: Review
    about: About
    recorded: frozenset[Stage]
    obstacle: str
    """What keeps time alone from approving it."""


@dataclass(frozen=True, slots=True)
class Fired:
    review: str
    run: str
    stage: Stage
    at: datetime
    outcome: str
    """sent, approved or refused."""


class Reminders:
    def __init__(self, engine: sa.Engine, journal: Journal) -> None:
        self._engine = engine
        self._journal = journal

    def of_review(self, id: str) -> dict[Stage, float]:
        """What was done about it, and when, in the order of the ladder."""
        table = tables.reminders
        with reading(self._engine) as connection:
            rows = connection.execute(sa.select(table).where(table.c.review == id)).mappings()
            found = {Stage(row["stage"]): float(row["at"]) for row in rows}
        return {stage: found[stage] for stage in Stage if stage in found}

    def waiting(self) -> Sifted[Waiting]:
        """Everything the ladder is about, read from rows alone: that is how timers outlive a process (D-110)."""
        reviews, runs = tables.reviews, tables.runs
        query = (
            sa.select(reviews.c.id)
            .join(runs, runs.c.id == reviews.c.run)
            .where(reviews.c.status == str(ReviewState.PENDING), runs.c.status.not_in(AT_REST))
            .where(reviews.c.hold.startswith(runs.c.id + "/" + sa.cast(runs.c.leg, sa.Text) + "."))  # presented by it
            .order_by(reviews.c.opened_at, reviews.c.id)
        )
        with reading(self._engine) as connection:
            found = connection.execute(query).scalars().all()
            return sift(found, str, lambda id: _waiting(connection, id))

    def fire(self, review: str, stage: Stage, now: datetime, addressed: Addressed) -> Fired | None:
        """Act on a rung. None: another process did, or the review is decided meanwhile (D-109, G-21)."""
        with self._engine.begin() as connection:
            one_writer(connection, review)
            waiting = _waiting(connection, review)
            if not waiting.review.pending or stage in waiting.recorded:
                return None
            outcome = _carry_out(connection, waiting, stage, now)
            row = {"review": review, "stage": str(stage), "at": now.timestamp(), "outcome": outcome}
            connection.execute(tables.reminders.insert(), row)
            refused = waiting.obstacle if outcome == REFUSED else ""
            notice = of_stage(waiting.about, review, waiting.review.phase, stage, refused)
            post_in(connection, notice, addressed(notice), now.timestamp())
            run = waiting.about.run
            told = {"review": review, "number": waiting.review.phase, "stage": str(stage), "outcome": outcome}
            told |= {"text": notice.text.splitlines()[0], "to": str(notice.to), "urgency": notice.urgency}
            key = f"{review.removeprefix(f'{run}.')}/{stage.value}"
            written = self._journal.append_in(connection, run, "", [(key, "review_reminded", told)])
        self._journal.tell(written)
        return Fired(review, run, stage, now, outcome)


def _carry_out(connection: sa.Connection, waiting: Waiting, stage: Stage, now: datetime) -> str:
    review, table = waiting.review, tables.reviews
    if stage is Stage.ESCALATION:
        # Not another version: whoever looks at it now sees the same files, and may decide.
        change = table.update().where(table.c.id == review.id).values(escalated_at=now.timestamp())
        connection.execute(change)
    if stage is not Stage.AUTO_APPROVAL:
        return SENT
    if waiting.obstacle:
        return REFUSED
    comment = getattr(AUTO_APPROVED_COMMENT, waiting.about.language.value)
    decision = Decision(SYSTEM, now, review.version, review.tree, comment)
    decide_in(connection, review.id, ReviewState.APPROVED, decision, automatic=True)
    return APPROVED


def _waiting(connection: sa.Connection, id: str) -> Waiting:
    review = found_in(connection, id)
    run = connection.execute(sa.select(tables.runs).where(tables.runs.c.id == review.task)).mappings().one()
    table = tables.reminders
    stages = connection.execute(sa.select(table.c.stage).where(table.c.review == id)).scalars()
    told = connection.execute(sa.select(tables.reviews.c.verification).where(tables.reviews.c.id == id)).scalar()
    about = About(run["id"], run["task"], run["repository"], _language(run["spec"]))
    return Waiting(review, about, frozenset(map(Stage, stages)), reminders.obstacle(told or {}))


def _language(spec: Any) -> Language:
    """Of a run; one that cannot be read is reminded of in English."""
    told = cast("dict[str, Any]", spec).get("language") if isinstance(spec, dict) and spec else None
    return Language(told) if told in list(Language) else Language.EN
