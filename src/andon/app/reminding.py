"""The ladder of reviews that wait, acted on: reminders, escalation, approval by time where it is switched on.

`andon serve` watches all the time; `andon task remind` does the same once, for people with a cron job.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from andon.app.hosting import wake
from andon.app.notify_settings import Book
from andon.app.notifying import Courier, Tried, about, book_of
from andon.app.store import Store
from andon.domain.errors import Conflict, UserError
from andon.domain.notices import of_assignment
from andon.domain.run import RunRow
from andon.domain.tasks import reminders
from andon.domain.tasks.reminders import AUTO_APPROVE_SETTING, Stage
from andon.domain.tasks.reviews import Refusal, Review, Statistics, assigned, statistics
from andon.engine.reminders import APPROVED, Fired
from andon.engine.switches import Switch

LOOK_SECONDS = 30.0
"""Between two looks at the rows: a ladder of days does not mind."""
LONGEST_NAME = 100
_log = logging.getLogger("andon.reminding")


class Reminding:
    """Holds no timers: what is due follows from rows and the clock, so a restart loses and repeats nothing."""

    def __init__(self, store: Store, book: Book | None = None, environment: Mapping[str, str] | None = None) -> None:
        self._store = store
        self._environment = environment if environment is not None else os.environ
        self._book = book if book is not None else book_of(store, self._environment)
        self._courier = Courier(store, self._book, self._environment)

    def fire_due(self, now: datetime) -> list[Fired]:
        """Act on every rung that is due, in order. Notices are kept, not yet delivered."""
        auto = auto_approval(self._store).on
        fired: list[Fired] = []
        for each in self._store.reminders.waiting():
            opened_at = each.review.opened_at
            due = reminders.due(opened_at, now, each.recorded, pending=True, auto_approve=auto)
            made = [self._store.reminders.fire(each.review.id, stage, now, self._book.addressed) for stage in due]
            fired += [one for one in made if one is not None]
        for run in {each.run for each in fired if each.outcome == APPROVED}:
            wake(self._store, self._store.runs.get(run))
        return fired

    def deliver_due(self) -> list[Tried]:
        return self._courier.deliver_due()

    def next_at(self) -> datetime | None:
        """When the next rung is due."""
        auto = auto_approval(self._store).on
        found = [
            reminders.next_at(each.review.opened_at, each.recorded, pending=True, auto_approve=auto)
            for each in self._store.reminders.waiting()
        ]
        return min((each for each in found if each is not None), default=None)

    async def watch(self, stop: asyncio.Event) -> None:
        """Until `stop`. A database that is away for a moment costs one look."""
        while not stop.is_set():
            try:
                await asyncio.to_thread(self.fire_due, datetime.now(UTC))
                await asyncio.to_thread(self.deliver_due)
            except Exception as error:
                _log.warning("reviews that wait could not be looked at: %s: %s", type(error).__name__, error)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), LOOK_SECONDS)


# --- what people and pages ask for ----------------------------------------------------------------------------------


def auto_approval(store: Store) -> Switch:
    """Whether time alone approves, and who said so. Off until somebody switched it on (D-112)."""
    return store.switches.get(AUTO_APPROVE_SETTING)


def switch_auto_approval(store: Store, on: bool, by: str) -> Switch:
    return store.switches.turn(AUTO_APPROVE_SETTING, on, by)


def overdue(store: Store, now: datetime) -> list[Review]:
    """What the next look approves where the switch is on."""
    return [
        each.review
        for each in store.reminders.waiting()
        if not each.obstacle
        and Stage.AUTO_APPROVAL not in each.recorded
        and now >= reminders.due_at(Stage.AUTO_APPROVAL, each.review.opened_at)
    ]


@dataclass(frozen=True, slots=True)
class Overview:
    """How the reviews stand that wait, for a page or a program (D-113)."""

    statistics: Statistics
    auto_approval: Switch
    next_at: datetime | None

    def as_json(self) -> dict[str, Any]:
        return {
            "pendingOver24h": self.statistics.pending_over_24h,
            "autoApproved": self.statistics.auto_approved,
            "auto_approval": asdict(self.auto_approval) | {"on": self.auto_approval.on},
            "next_at": self.next_at.isoformat() if self.next_at else None,
        }


def overview(store: Store, now: datetime) -> Overview:
    found = statistics(store.reviews.all(), now)
    return Overview(found, auto_approval(store), Reminding(store, Book()).next_at())


def reassign(store: Store, run: RunRow, review: Review, reviewer: str, by: str, book: Book) -> Review:
    """Another reviewer for a review that waits (D-104, G-29). Whoever had it open looks again: it is a new version."""
    name = reviewer.strip()
    if not name:
        raise UserError("Say who is to decide", f"andon task reassign {run.id} --to NAME")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise UserError("That is nobody's name", f"One line of at most {LONGEST_NAME} characters.")
    if run.status.ended or not review.awaited(run.leg):
        raise Conflict("Nobody waits for this review any more", "Look at it again.")

    def change(found: Review) -> Review | Refusal:
        return assigned(found, name)

    after = store.reviews.change(review.id, change)
    key = f"{review.id.removeprefix(f'{run.id}.')}/reviewer.{after.version}"
    told = {"review": review.id, "number": review.phase, "reviewer": name, "by": by}
    store.journal.append(run.id, key, "review_assigned", "", told)
    notice = of_assignment(about(run), review.id, review.phase, name, after.version)
    store.notices.post(notice, book.addressed(notice), datetime.now(UTC).timestamp())
    return after
