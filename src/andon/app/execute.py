"""Executes one leg of a run in this process: durable engine, watcher and services, until the run ends."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from functools import partial
from typing import Any

from sqlalchemy.exc import OperationalError

from andon.app.anchoring import anchor_at_the_end
from andon.app.home import PARKED, STARTING
from andon.app.machine import refused_elsewhere
from andon.app.notifying import notifying
from andon.app.statefile import mark
from andon.app.store import Store
from andon.app.wiring import Wiring
from andon.domain.errors import UserError
from andon.domain.run import TASK, TEAM, Ending, RunRow, Status
from andon.engine.durable import Durable, machine_failure
from andon.engine.execution import Execution
from andon.engine.holds import Watcher
from andon.engine.services import Services, Shared
from andon.pipelines.auto.pipeline import auto
from andon.pipelines.tasks.pipeline import task
from andon.pipelines.team.pipeline import team
from andon.pipelines.uam.pipeline import uam
from andon.ports import Workspace

PARK_SECONDS = 2.0
PARK_LOOKS = 4
PIPELINES = {"auto": auto, "uam": uam, TASK: task, TEAM: team}


class Left(Exception):
    """This process has left a run that waits for a person."""


class Executor:
    """The process that executes a run holds the run's lock; its executor id is the run's id."""

    def __init__(self, store: Store, *, may_park: bool = False, patience: float = 2.0) -> None:
        self._store = store
        self._patience = patience
        """How long to wait for a process that is about to leave the run."""
        self._may_park = may_park
        """Leave when the run does nothing but wait for a person. Whoever answers then starts another process."""

    def run(self, run: RunRow) -> Ending:
        """Execute the run's present leg to its end: begin it, or take it up where a process that is gone left it."""
        if host := self._store.elsewhere(run):
            raise refused_elsewhere(run, host)
        lock = self._store.lock(run.id)
        if not lock.acquire(patience=self._patience):
            raise UserError(f"Run {run.id} is being executed by another process", f"`andon watch {run.id}` shows it.")
        try:
            # Read again under the lock: whoever held it until now may have gone on with the run, or ended it.
            present = self._store.runs.get(run.id)
            if present.status.ended:
                return Ending(present.status, present.reason)
            for name in (PARKED, STARTING):
                (self._store.home.run(run.id) / name).unlink(missing_ok=True)
            with notifying(self._store, present):
                return asyncio.run(self._execute(present))
        except Left:
            return Ending(Status.WAITING, "parked")
        finally:
            lock.release()

    async def _execute(self, run: RunRow) -> Ending:
        store = self._store
        watcher = Watcher(store.engine)
        execution = Execution(PIPELINES)
        durable = Durable(store.engine, run.id, store.home.root, execution)
        # What the machine cannot offer is found here, before the engine touches the run's workflow.
        services = execution.services = self._services(run, durable, watcher)
        workspace = services.workspace if services else None
        self._stop_on_signals(run.id, watcher)
        # The status must say running before the engine recovers anything: a screen may look at any moment.
        store.runs.update(run.id, status=str(Status.RUNNING), ended_at=None)
        await durable.start()
        try:
            watcher.start(durable.give_up)
            leg = asyncio.ensure_future(self._leg(durable, run, workspace))
            result = await (self._unless_parked(leg, durable, watcher, run) if self._may_park else leg)
            # The row follows the engine's record. The other way round, a kill in between would leave a workflow that
            # the run's next leg finds unfinished and takes up beside itself.
            await asyncio.to_thread(self._close, run, result, workspace)
        except OperationalError as error:
            raise machine_failure(error) or error from error
        finally:
            watcher.close()
            await durable.close()
        return Ending(Status(result["status"]), result["reason"], result["message"])

    def _services(self, run: RunRow, durable: Durable, watcher: Watcher) -> Services | None:
        """None when they cannot be had, but the run is only to be stopped: that must always be possible."""
        store = self._store
        try:
            shared = Shared(durable, store.journal, store.ledger, store.holds, watcher, store.runs, store.reviews)
            return Wiring(store).services(shared, run.id)
        except (UserError, OSError) as problem:
            if not store.holds.stop_requested(run.id):
                raise
            store.journal.append(run.id, f"{run.leg}.unserved", "warning", run.phase, {"text": str(problem)})
            return None

    async def _leg(self, durable: Durable, run: RunRow, workspace: Workspace | None) -> dict[str, Any]:
        forked = run.spec.get("fork")
        if workspace and forked and forked["leg"] == run.leg:
            if not await durable.begun(run.workflow):
                await asyncio.to_thread(self._adopt, run, workspace)
            await durable.fork(forked["workflow"], forked["step"], run.workflow)
        else:
            await durable.begin(run.workflow, dict(run.spec["payload"]))
        try:
            return await durable.result(run.workflow)
        except (UserError, OSError, OperationalError):
            raise
        except Exception:
            # A fault of the engine itself. Said in the run's row, so that a resume begins a new leg.
            self._store.runs.update(run.id, status=str(Status.FAILED), reason="engine")
            raise

    async def _unless_parked(
        self, leg: asyncio.Future[dict[str, Any]], durable: Durable, watcher: Watcher, run: RunRow
    ) -> dict[str, Any]:
        """The leg's result; or this process leaves, when for a while nothing happened but waiting for a person."""
        quiet = 0
        while not leg.done():
            await asyncio.wait({leg}, timeout=PARK_SECONDS / PARK_LOOKS)
            quiet = quiet + 1 if watcher.parked and durable.steps == watcher.parked else 0
            if quiet > PARK_LOOKS and await asyncio.to_thread(self._parks, run):
                leg.cancel()
                raise Left
        return leg.result()

    def _parks(self, run: RunRow) -> bool:
        """The mark first, then one more look: whoever answers after it finds the mark and wakes the run."""
        mark, holds = self._store.home.run(run.id) / PARKED, self._store.holds
        before = [hold.id for hold in holds.of_run(run.id) if hold.open]
        mark.touch()
        after = [hold.id for hold in holds.of_run(run.id) if hold.open]
        if before and before == after and not holds.stop_requested(run.id):
            return True
        mark.unlink()
        return False

    def _adopt(self, run: RunRow, workspace: Workspace) -> None:
        """A fork begins with the story and the files it shares, also when a kill came before it had them."""
        from andon.app.legs import last_tree

        origin = self._store.runs.get(run.forked_from or "")
        until = (run.spec["fork"]["leg"], run.spec["fork"]["step"])
        shared = [entry for entry in self._store.journal.entries(origin.id) if entry.place < until]
        if not self._store.journal.entries(run.id):
            self._store.journal.adopt(shared, run.id)
        workspace.restore(last_tree(origin, shared))

    def _close(self, run: RunRow, result: dict[str, Any], workspace: Workspace | None) -> None:
        if workspace is None:
            self._store.journal.append(run.id, f"{run.leg}.ended", "run_ended", run.phase, result)
            mark(run, Status.STOPPED, "stopped")
        elif result.get("cleared"):
            workspace.remove()  # made again by taking up a run of which only this was missing
        if workspace is not None:
            anchor_at_the_end(self._store.ledger, run, partial(self._warn, run))
        values = {"status": result["status"], "reason": result["reason"], "ended_at": time.time()}
        self._store.runs.update(run.id, **values)

    def _warn(self, run: RunRow, text: str) -> None:
        self._store.journal.append(run.id, f"{run.leg}.unanchored", "warning", run.phase, {"text": text})

    def _stop_on_signals(self, run: str, watcher: Watcher) -> None:
        """SIGINT and SIGTERM stop the run in an orderly way, once; a second one ends the process at once."""
        loop = asyncio.get_running_loop()

        def stop(number: signal.Signals) -> None:
            for each in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(each)
                signal.signal(each, signal.SIG_DFL)
            self._store.holds.request_stop(run)
            watcher.wake("stop", run)

        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError, NotImplementedError):  # not the main thread: the caller handles signals
                loop.add_signal_handler(number, stop, number)
