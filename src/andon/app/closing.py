"""Closing a run that nobody wants to go on with, and opening it again. Journal, evidence, snapshots and branch stay."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from andon.app.home import PIECES
from andon.app.legs import LOCK_SECONDS, next_key, refuse_elsewhere, refuse_unless_at_rest
from andon.app.statefile import mark, status_of
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.workspace import RunWorkspace
from andon.domain.errors import UserError
from andon.domain.run import RunRow, Status
from andon.workspace.removal import remove_tree
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.worktree import Worktree

KEPT = ("scenario-", "executor.lock", PIECES)
"""In a run's folder: what a run that is opened again needs."""


def in_the_way(store: Store, run: RunRow) -> list[Path]:
    """What closing would remove: the worktrees, and the orders and scratch folders of the run."""
    folder = store.home.run(run.id)
    scratch = sorted(folder.iterdir()) if folder.is_dir() else []
    found = [Path(run.spec["worktree"]), *_worktrees(store, run)]
    found += [path for path in scratch if not path.name.startswith(KEPT)]
    return [path for path in dict.fromkeys(found) if path.exists()]


def close(store: Store, run: RunRow, by: str) -> list[Path]:
    """End the run for good and remove what it worked in; what was removed. One that is closed stays so."""
    refuse_elsewhere(store, run)
    if run.status is Status.CLOSED:
        left = in_the_way(store, run)  # by a kill while it was closed
        sweep(store, run)
        return left
    refuse_unless_at_rest(store, run)
    if store.status(run) is Status.INTERRUPTED:
        stop(store, run, lambda entry: None)
        run = store.runs.get(run.id)
    lock = store.lock(run.id)
    if not lock.acquire(patience=LOCK_SECONDS):
        raise UserError(f"Run {run.id} is in use by another process", "Try again when that has ended.")
    try:
        return _close(store, run, by)
    finally:
        lock.release()


def _close(store: Store, run: RunRow, by: str) -> list[Path]:
    entries = store.journal.entries(run.id)
    stood = status_of(run)
    removed = in_the_way(store, run)
    tree = _last_look(store, run)
    # The row first: a kill from here on leaves a closed run with something still to remove, which `close` may repeat.
    spec = dict(run.spec) | {"closed": {"status": str(run.status), "at": time.time(), "by": by}, "stood": stood}
    store.runs.update(run.id, status=str(Status.CLOSED), spec=spec)
    told = {"by": by, "status": str(run.status), "tree": tree, "removed": [str(path) for path in removed]}
    store.journal.append(run.id, next_key(run, entries, "closed"), "closed", run.phase, told)
    mark(run, Status.CLOSED)
    sweep(store, run)
    return removed


def sweep(store: Store, run: RunRow) -> None:
    """Remove what a closed run has no use for; nothing there is fine."""
    for worktree in _opened(store, run):
        worktree.remove()
    for path in in_the_way(store, run):
        remove_tree(path)


def _last_look(store: Store, run: RunRow) -> str:
    """A snapshot of what lies in the worktree, so that opening the run again loses nothing. Empty without a folder."""
    if not Path(run.spec["worktree"]).is_dir() or not Path(run.repository).is_dir():
        return ""
    return RunWorkspace.of(store.home, run).snapshot(f"closed-{run.leg}", run.created_at)


def _opened(store: Store, run: RunRow) -> Iterator[Worktree]:
    if not Path(run.repository).is_dir():
        return  # the person removed it; its worktrees are only folders then
    git = GitStore.open(store.home.repositories, Repository.open(Path(run.repository)))
    for record in git.worktrees():
        if record.run == run.id:
            yield Worktree(git, record)


def _worktrees(store: Store, run: RunRow) -> list[Path]:
    return [worktree.folder for worktree in _opened(store, run)] if shutil.which("git") else []


def reopen(store: Store, run: RunRow, by: str) -> Status:
    """As the run was before it was closed. Returns how it stands; one that is not closed stays as it is."""
    refuse_elsewhere(store, run)
    if run.status is not Status.CLOSED:
        return store.status(run)
    spec = dict(run.spec)
    before = Status(spec.pop("closed")["status"])
    store.runs.update(run.id, status=str(before), spec=spec)
    key = next_key(run, store.journal.entries(run.id), "reopened")
    store.journal.append(run.id, key, "reopened", run.phase, {"by": by, "status": str(before)})
    mark(run, before)
    return before
