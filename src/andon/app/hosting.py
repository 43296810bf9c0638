"""Runs in the background: each in a process of its own, which leaves while a person is asked and is started again then.

So a server that is killed loses nothing, and a task that waits for a week for its review costs nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from andon.app.home import HOSTED, STARTING
from andon.app.store import Store
from andon.domain.run import RunRow, Status
from andon.processes.detached import start_detached

MODULE = "andon.app.hosting"
LEAVING_SECONDS = 60.0
"""Whoever answers may be faster than the process that asked and is about to leave."""


def host(store: Store, run: RunRow) -> int:
    """Have the run's present leg executed in the background. The id of the process."""
    folder = store.home.run(run.id)
    (folder / HOSTED).touch()
    (folder / STARTING).touch()
    place = {"ANDON_HOME": str(store.home.root), "ANDON_DATABASE_URL": store.home.database_url}
    return start_detached([sys.executable, "-m", MODULE, run.id], Path("/"), place, folder / "work.log")


def wake(store: Store, run: RunRow) -> None:
    """After an answer: a run whose process has left, or is about to, goes on. That of another machine does so there."""
    if not store.elsewhere(run) and store.leaving(run):
        host(store, run)


def take_up(store: Store) -> list[RunRow]:
    """What ran in the background when the machine went down goes on."""
    here = [run for run in store.runs.unfinished() if not store.elsewhere(run)]
    left = [run for run in here if (store.home.run(run.id) / HOSTED).exists()]
    interrupted = [run for run in left if store.status(run) is Status.INTERRUPTED]
    for run in interrupted:
        host(store, run)
    return interrupted + take_up_answered(store)


def take_up_answered(store: Store) -> list[RunRow]:
    """What waits without a process and was answered, or told to stop, by somebody who could not start one: just when
    everything went down, or on another machine."""
    waiting = [run for run in store.runs.unfinished() if run.status is Status.WAITING and not store.elsewhere(run)]
    parked = [run for run in waiting if store.status(run) is Status.WAITING and store.parked(run)]
    found = [run for run in parked if store.holds.stop_requested(run.id) or not _asks(store, run)]
    for run in found:
        host(store, run)
    return found


def _asks(store: Store, run: RunRow) -> bool:
    return any(hold.open for hold in store.holds.of_run(run.id))


def carry_out(store: Store, run: RunRow) -> None:
    """What the process in the background does."""
    from andon.app.execute import Executor
    from andon.app.logs import quiet_logging
    from andon.app.recording import conclude

    quiet_logging(store.home.root / "log" / "asyncio.log")
    ending = Executor(store, may_park=True, patience=LEAVING_SECONDS).run(run)
    if ending.status.ended:
        conclude(store, store.runs.get(run.id), ending)


if __name__ == "__main__":
    from andon.app.queries import open_store

    opened = open_store(os.environ)
    carry_out(opened, opened.runs.get(sys.argv[1]))
