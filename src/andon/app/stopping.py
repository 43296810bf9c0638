"""Stopping a run: whoever executes it is asked to, or it is closed here when nobody does."""

from __future__ import annotations

import time
from collections.abc import Callable

from andon.app.outcome import execute
from andon.app.store import Store
from andon.domain.journal import Entry
from andon.domain.run import RunRow, Status

Show = Callable[[Entry], None]
STOP_SECONDS = 60.0
ELSEWHERE_SECONDS = 10.0
"""For another machine to end its run: nobody may be there."""


def stop(store: Store, run: RunRow, show: Show) -> Status:
    """Stop a run: asks the process that executes it, or closes it here when nobody does. Returns how it stands."""
    status = store.status(run)
    if status.ended:
        return status
    store.holds.request_stop(run.id)
    deadline = time.monotonic() + (ELSEWHERE_SECONDS if store.elsewhere(run) else STOP_SECONDS)
    while _at_work(store, run) and time.monotonic() < deadline:
        time.sleep(0.1)
    # Looked at again: the process that was asked may just have been leaving the run to whoever answers.
    present = store.runs.get(run.id)
    if store.status(present) is Status.INTERRUPTED or store.parked(present):
        store.journal.listen(show)
        execute(store, present)
    return store.status(store.runs.get(run.id))


def _at_work(store: Store, run: RunRow) -> bool:
    if store.elsewhere(run):
        return not store.runs.get(run.id).status.ended
    return store.lock(run.id).held_by_someone
