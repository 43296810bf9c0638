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
    """After an answer: a run whose process has left, or is about to, goes on."""
    if store.leaving(run):
        host(store, run)


def take_up(store: Store) -> list[RunRow]:
    """What ran in the background when the machine went down goes on."""
    left = [run for run in store.runs.unfinished() if (store.home.run(run.id) / HOSTED).exists()]
    interrupted = [run for run in left if store.status(run) is Status.INTERRUPTED]
    # One that waits, and was answered just when everything went down.
    missed = [run for run in left if store.parked(run) and not any(hold.open for hold in store.holds.of_run(run.id))]
    for run in (found := interrupted + missed):
        host(store, run)
    return found


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
