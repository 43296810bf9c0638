"""Executing a leg of a run in this process, how it ended, and what a person may want to do next."""

from __future__ import annotations

import shlex
import signal
from dataclasses import dataclass

from andon.app.logs import quiet_logging
from andon.app.store import Store
from andon.domain.run import Ending, RunRow, Status

MEASURED = ("qa_failed", "build", "environment")
"""Reasons that a check gave."""
NO_WORK = ("dry_run", "mail_read")
"""Reasons of runs that were not to change anything."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that ended in this process, and what a person may want to do next."""

    run: RunRow
    ending: Ending
    next_steps: tuple[str, ...]
    interrupted: bool = False
    """Ctrl+C (or SIGTERM) to this process stopped it."""


def execute(store: Store, run: RunRow) -> Finished:
    # Imported here: the durable engine takes longer to import than most commands take to run.
    from andon.app.execute import Executor

    quiet_logging(store.home.root / "log" / "asyncio.log")
    ending = Executor(store).run(run)
    run = store.runs.get(run.id)
    return Finished(run, ending, next_steps(run, ending), interrupted=interrupted())


def interrupted() -> bool:
    """Whether a signal told this process to stop its run: the executor then lets the next one end the process."""
    return signal.getsignal(signal.SIGINT) is signal.SIG_DFL


def next_steps(run: RunRow, ending: Ending) -> tuple[str, ...]:
    if ending.status is Status.DONE and ending.reason in NO_WORK:
        return ()
    if ending.status is Status.DONE:
        return (
            f"The work is on branch {run.branch}:  git diff {run.spec['base'][:10]}..{run.branch}",
            f"What was measured:  andon evidence list {run.id}",
        )
    going_on = f"andon resume {run.id}"
    if ending.reason == "budget":
        going_on += " --budget-…   (raises a limit; andon resume --help)"
    steps = [
        f"The story:    andon logs {run.id}",
        *((f"The checks:   andon evidence list {run.id}",) if ending.reason in MEASURED else ()),
        f"The files:    {shlex.quote(run.spec['worktree'])}",
        f"Going on:     {going_on}",
    ]
    if run.spec["runtime"] == "scripted" and ending.reason.startswith("teammate_"):
        source = shlex.quote(run.spec.get("scenario_source") or "FILE")
        steps.append(f"With a mended scenario:  andon resume {run.id} --scenario {source}")
    return tuple(steps)
