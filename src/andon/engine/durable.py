"""The DBOS adapter: one registered workflow, steps with JSON results, recovery of exactly one process's work.

No other module imports dbos. What a run does is not known here: the entry function is handed in.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos._serialization import Serializer
from sqlalchemy.exc import OperationalError

from andon.domain.errors import EnvironmentProblem
from andon.engine.database import locked

T = TypeVar("T")
Entry = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]

PIPELINE_VERSION = "1"
"""Pinned: the default is a hash of the source, under which every edit strands pending runs."""
POLL_SECONDS = 0.05
THREADS = 32
TAKE_UP_SECONDS = 30.0
"""Launching takes unfinished work up within a second or two; longer means the engine cannot write that it does."""
RECORD_SECONDS = 30.0
"""The engine records the end of a workflow right after it; longer means it cannot."""
UNFINISHED = ("PENDING", "ENQUEUED", "DELAYED")
MACHINE_FAILURES = frozenset({errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO, errno.EACCES, errno.EPERM})

_entry: Entry | None = None


class JsonSerializer(Serializer):
    """JSON instead of pickle, in an envelope, so that no data can be taken for an error.

    Errors become text: a step that fails says so in its value, so this is for bugs only.
    """

    def serialize(self, data: Any) -> str:
        # ASCII: a file name that is not UTF-8 comes with a lone surrogate, which no database stores.
        if isinstance(data, BaseException):
            return json.dumps({"error": f"{type(data).__name__}: {data}"})
        return json.dumps({"value": data}, default=_refuse)

    def deserialize(self, serialized_data: str) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        envelope = json.loads(serialized_data)
        return RuntimeError(envelope["error"]) if "error" in envelope else envelope["value"]

    def name(self) -> str:
        return "andon_json"


def _refuse(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} is not JSON")


@DBOS.workflow(name="andon.run", max_recovery_attempts=None)
async def _run_workflow(payload: dict[str, Any]) -> dict[str, Any]:
    assert _entry is not None and DBOS.workflow_id is not None
    return await _entry(DBOS.workflow_id, payload)


class Durable:
    """Durable execution of one run in this process.

    Recovered and forked workflows go through a queue that every process with the same version serves. So the version
    carries the run's id: nobody but the process that holds the run's lock can pick its work up.
    """

    def __init__(self, engine: sa.Engine, run: str, home: Path, entry: Entry) -> None:
        global _entry
        _entry = self._telling(entry)
        self._home = home
        self._version = f"{PIPELINE_VERSION}.{run}"
        self._loop: asyncio.AbstractEventLoop | None = None
        self._broken: asyncio.Future[None] | None = None
        self.steps = 0
        """How many are being done at this moment."""
        self._begun: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._ended: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        config: DBOSConfig = {
            "name": "andon",
            "system_database_engine": engine,
            "system_database_url": engine.url.render_as_string(hide_password=False),
            "executor_id": f"run-{run}",
            "application_version": self._version,
            "serializer": JsonSerializer(),
            "max_executor_threads": THREADS,
            "log_level": "WARNING",
            "run_migrations": True,
            "use_listen_notify": False,
            "scheduler_polling_interval_sec": 3600.0,
            # Nobody waits for the engine's messages, so this polls nothing; but closing waits for its sleep to end.
            "notification_listener_polling_interval_sec": 0.1,
        }
        self._dbos = DBOS(config=config)

    async def start(self) -> None:
        """Launch inside the running loop, so that recovered work runs on it too. Recovers this executor's runs."""
        _log_to_file(self._home / "log" / "engine.log")
        loop = self._loop = asyncio.get_running_loop()
        # asyncio's own choice is a few more than there are processors; these threads wait for git, files and locks.
        loop.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="andon"))
        self._broken = loop.create_future()
        gc.freeze()  # what is loaded by now stays: no collection need look at it again
        lock = locked(self._home / "migrate.lock")
        await loop.run_in_executor(None, lock.__enter__)
        try:
            DBOS.launch()
        finally:
            lock.__exit__(None, None, None)

    async def begun(self, workflow: str) -> bool:
        """Whether it was started before. Launching has then taken it up again, unless it has ended."""
        return await DBOS.get_workflow_status_async(workflow) is not None

    async def begin(self, workflow: str, payload: dict[str, Any]) -> None:
        """Start a workflow, unless it was started before."""
        if not await self.begun(workflow):
            with SetWorkflowID(workflow):
                await DBOS.start_workflow_async(_run_workflow, payload)

    async def result(self, workflow: str) -> dict[str, Any]:
        """Wait for the workflow's result, or for the machine to fail it: the workflow then stays pending.

        Nothing is polled while it works or is parked: it says itself when it has ended.
        """
        handle: Any = await DBOS.retrieve_workflow_async(workflow)
        if (await handle.get_status()).status in UNFINISHED:
            await _within(TAKE_UP_SECONDS, self._taken_up(workflow), "take the run up")
            self.settle()
            await self._until_ended_or_broken(workflow)
        result = handle.get_result(polling_interval_sec=POLL_SECONDS)
        return await _within(RECORD_SECONDS, result, "record the end of the run")

    def settle(self) -> None:
        """All that this process is to execute is under way: the engine need not look for more. It would write to the
        database twice a second for as long as a run is parked."""
        for event in self._dbos.background_thread_stop_events:
            event.set()

    async def _taken_up(self, workflow: str) -> None:
        """Recovery happens in a thread of the engine that keeps its failures to itself; so look as well as wait."""
        begun = self._begun[workflow]
        while not begun.is_set():
            await self.begun(workflow)
            with suppress(TimeoutError):
                await asyncio.wait_for(begun.wait(), 1.0)

    async def _until_ended_or_broken(self, workflow: str) -> None:
        assert self._broken is not None
        ended = asyncio.ensure_future(self._ended[workflow].wait())
        await asyncio.wait({ended, self._broken}, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if self._broken.done():
            self._broken.result()

    def _telling(self, entry: Entry) -> Entry:
        async def tell(workflow: str, payload: dict[str, Any]) -> dict[str, Any]:
            self._begun[workflow].set()
            try:
                return await entry(workflow, payload)
            finally:
                self._ended[workflow].set()

        return tell

    async def fork(self, workflow: str, step: int, new: str) -> None:
        """Copy a workflow up to (not including) a step, under a new id, and let it go on from there. Only once."""
        if not await self.begun(new):
            with SetWorkflowID(new):
                await DBOS.fork_workflow_async(workflow, step, application_version=self._version)

    async def step(self, name: str, body: Callable[[], Awaitable[Any]]) -> Any:
        """Run `body` once and record its JSON value; under replay return the recorded value instead.

        A full or read-only disk, or a missing program, is not recorded: this process gives up, and the step is done
        again when the run is resumed on a machine that can do it.
        """

        async def guarded() -> Any:
            self.steps += 1
            try:
                return await self.or_give_up(body())
            finally:
                self.steps -= 1

        return await DBOS.run_step_async({"name": name}, guarded)

    async def or_give_up(self, work: Awaitable[T]) -> T:
        """The value of `work`; if the machine cannot do it, this process gives up and `work` is left undone."""
        try:
            return await work
        except Exception as error:
            problem = machine_failure(error)
            if problem is None:
                raise
            self._break(problem)
            return await asyncio.get_running_loop().create_future()

    def give_up(self, problem: EnvironmentProblem) -> None:
        """Give up this process because of what another of its threads met. Whatever it was doing is left undone."""
        assert self._loop is not None
        with suppress(RuntimeError):  # the loop is closed: this process has ended its work already
            self._loop.call_soon_threadsafe(self._break, problem)

    def _break(self, problem: EnvironmentProblem) -> None:
        assert self._broken is not None
        if not self._broken.done():
            self._broken.set_exception(problem)

    async def close(self) -> None:
        await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=0)


async def _within(seconds: float, work: Awaitable[T], what: str) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        hint = "The disk may be full. Nothing is lost: `andon resume` goes on."
        raise EnvironmentProblem(f"The engine could not {what}", hint) from None


def machine_failure(error: Exception) -> EnvironmentProblem | None:
    """The problem a person has to solve, when the machine and not the program failed; else None."""
    hint = "Nothing is lost: put it right, then `andon resume` goes on with the run."
    if isinstance(error, EnvironmentProblem):
        return error
    if isinstance(error, OSError) and error.errno in MACHINE_FAILURES:
        return EnvironmentProblem(f"{error.strerror}: {error.filename or 'disk'}", hint)
    if isinstance(error, OperationalError):
        return EnvironmentProblem(f"The database cannot be used: {error.orig}", hint)
    return None


def _log_to_file(path: Path) -> None:
    """The engine's own log lines are for its maintainers: a file, not a person's terminal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    logger = logging.getLogger("dbos")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    handler = RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False
