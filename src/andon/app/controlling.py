"""Stop, resume and the next message for whoever does not want to wait: the run's own process does the rest."""

from __future__ import annotations

from andon.app.conversations import post
from andon.app.hosting import host
from andon.app.queries import view
from andon.app.resuming import Otherwise, ready_to_go_on
from andon.app.store import Store
from andon.app.tasks import Task
from andon.domain.run import RunRow, Status


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
    ready = ready_to_go_on(store, run, otherwise)
    host(store, ready)
    return ready


def say_soon(store: Store, task: Task, text: str, by: str) -> RunRow:
    """The next message of a conversation; its answer comes in the background."""
    asked = bool(view(store, task.run).open_holds)
    run = post(store, task, text, by)
    if not asked:  # whoever answers a question wakes the run that waits for it
        host(store, run)
    return run
