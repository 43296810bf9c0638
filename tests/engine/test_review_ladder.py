"""A run that waits for a review goes on when time approves it, as it does when a person does."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

from andon.app.notify_settings import Book
from andon.app.queries import open_store
from andon.app.reminding import Reminding, switch_auto_approval
from andon.domain.tasks.reviews import Presented
from andon.engine.run import DurableRun
from floor import DEADLINE, Floor

MEASURED = {"passed": True, "criteria": [{"id": "scope", "passed": True, "detail": ""}], "report": "Fine."}


async def waits(run: DurableRun) -> dict[str, Any]:
    decided = await run.review(Presented(1, run.tree, ("a.txt",), MEASURED, "Phase 1?"))
    return {"status": str(decided.status), "by": decided.decided_by, "automatic": decided.auto_approved}


def test_D_108_D_110_a_run_that_waits_is_woken_by_another_process_a_week_later(floor: Floor, tmp_path: Path) -> None:
    # given: a second process, with a clock a week ahead
    other = open_store({"ANDON_HOME": str(tmp_path / "other"), "ANDON_DATABASE_URL": floor.store.url})
    switch_auto_approval(other, True, "kim")
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.05):
            for review in other.reviews.pending():
                Reminding(other, Book(), {}).fire_due(review.opened_at + timedelta(hours=168))

    clock = threading.Thread(target=look, daemon=True)
    clock.start()

    # when
    try:
        told = floor.play(waits)
    finally:
        ended.set()
        clock.join(DEADLINE)

    # then
    assert told == {"status": "approved", "by": "system", "automatic": True}
    stages = [each["stage"] for each in floor.told("review_reminded")]
    assert stages == ["reminder_1", "reminder_2", "escalation", "auto_approval"]
