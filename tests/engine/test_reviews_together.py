"""Reviews of several tasks that come at the same time are opened one after the other (S-21)."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import event

from andon.domain.order import Question
from andon.domain.tasks.reviews import Review
from andon.engine import tables

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
FOUND: dict[str, Any] = {"passed": True, "criteria": [], "report": "Fine."}
MEETING_SECONDS = 0.4
TABLE = tables.reviews.name


def test_S_21_D_99_two_reviews_are_never_opened_at_the_same_time(store: Any) -> None:
    # Given two tasks that wait for their review, and a place where both meet if both are inside
    for run in ("r1", "r2"):
        store.run(run)
        store.holds.open(f"{run}/1.7", run, Question("Phase 1?", category="review"))
    inside, met, looks = threading.Barrier(2), list[str](), list[str]()
    both: list[threading.Thread] = []

    def looked(connection: Any, cursor: Any, statement: str, *more: Any) -> None:
        if statement.startswith("SELECT") and TABLE in statement and threading.current_thread() in both:
            looks.append(threading.current_thread().name)
            with suppress(threading.BrokenBarrierError):  # nobody came within the time
                inside.wait(MEETING_SECONDS)
                met.append(statement)

    event.listen(store.engine, "after_cursor_execute", looked)

    def present(run: str) -> None:
        store.reviews.open(f"{run}/1.7", Review(f"{run}.1.7", run, 1, "tree", NOW, "base", ("docs/a.md",)), FOUND)

    # When both are presented at once
    both += [threading.Thread(target=present, args=(run,)) for run in ("r1", "r2")]
    for each in both:
        each.start()
    for each in both:
        each.join(30)
    event.remove(store.engine, "after_cursor_execute", looked)

    # Then each was opened, and nobody met anybody
    assert len(set(looks)) == 2 and not met
    assert [each.task for each in store.reviews.pending()] == ["r1", "r2"]
