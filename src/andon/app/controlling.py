"""Stop and resume for whoever does not want to wait: the run's own process does the rest."""

from __future__ import annotations

import time

from andon.app.hosting import host
from andon.app.resuming import Otherwise, ready_to_go_on
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.domain.run import RunRow, Status

END_SECONDS = 30.0
"""For a process that only ends a leg."""


def stop_soon(store: Store, run: RunRow) -> None:
    """Ask for it and return at once. A run that nobody executes is closed by a process of its own."""
    status = store.status(run)
    if status.ended:
        return
    store.holds.request_stop(run.id)
    if status is Status.INTERRUPTED or store.leaving(run):
        host(store, run)


def resume_soon(store: Store, run: RunRow, otherwise: Otherwise) -> RunRow:
    """Everything that can be wrong is told at once; the work then goes on in the background."""
    ready = ready_to_go_on(store, run, otherwise, _ended_elsewhere)
    host(store, ready)
    return ready


def _ended_elsewhere(store: Store, run: RunRow) -> None:
    host(store, run)
    deadline = time.monotonic() + END_SECONDS
    while store.lock(run.id).held_by_someone or not store.runs.get(run.id).status.ended:
        if time.monotonic() >= deadline:
            raise UserError(f"Run {run.id} is still being stopped", "Resume it when it has stopped.")
        time.sleep(0.1)
