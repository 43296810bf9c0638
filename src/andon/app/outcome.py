"""Executing a leg of a run in this process: how it ended, and where the run stands then."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from andon.app.logs import quiet_logging
from andon.app.standing import standing_of
from andon.app.store import Store
from andon.domain.auto.standing import Standing
from andon.domain.run import Ending, RunRow


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that ended in this process, and what a person may want to know and do next."""

    run: RunRow
    ending: Ending
    standing: Standing
    interrupted: bool = False
    """Ctrl+C (or SIGTERM) to this process stopped it."""
    remarks: tuple[str, ...] = ()
    """About its recording, or the one it played."""


def execute(store: Store, run: RunRow) -> Finished:
    # Imported here: the durable engine takes longer to import than most commands take to run.
    from andon.app.execute import Executor
    from andon.app.recording import conclude

    quiet_logging(store.home.root / "log" / "asyncio.log")
    ending = Executor(store).run(run)
    run = store.runs.get(run.id)
    remarks = conclude(store, run, ending)
    return Finished(run, ending, standing_of(store, run), interrupted(), remarks)


def interrupted() -> bool:
    """Whether a signal told this process to stop its run: the executor then lets the next one end the process."""
    return signal.getsignal(signal.SIGINT) is signal.SIG_DFL
