"""Many runs that wait for a person, in one process of the real engine: what they cost, and that a kill loses none.

python parked.py URL HOME COUNT [SECONDS]. Parks COUNT runs, or parks them again when an earlier process was killed;
prints `parked` with what it took, then what they cost, watched for SECONDS; then waits until all have been answered and
prints `ended`. Each line is a JSON object.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from andon.domain.order import Question
from andon.engine.content import ContentStore
from andon.engine.database import ensure_schema, open_database
from andon.engine.durable import Durable
from andon.engine.holds import Holds, Watcher
from andon.engine.journal import Journal
from andon.engine.ledger import Ledger
from andon.engine.redaction import Redaction
from andon.engine.reviews import Reviews
from andon.engine.runs import Runs
from andon.engine.services import Shared
from andon.engine.signing import SigningKey
from andon.engine.waiting import Waiting

VALUES = {"pipeline": "auto", "task": "t", "feature": "f", "repository": "/r", "branch": "b", "spec": {}}


class Parking:
    """Executes any number of runs whose only step is a question."""

    def __init__(self, url: str, home: Path) -> None:
        engine = open_database(url)
        ensure_schema(engine, home / "migrate.lock")
        ledger = Ledger(engine, SigningKey.load(home / "key"), ContentStore(home / "outputs"))
        durable = Durable(engine, "parking", home, self._pipeline)
        journal = Journal(engine, Redaction({}))
        self._shared = Shared(durable, journal, ledger, Holds(engine), Watcher(engine), Runs(engine), Reviews(engine))
        self._waiting: set[str] = set()
        self._ended: dict[str, str] = {}
        self._change = asyncio.Condition()

    async def execute(self, count: int, seconds: float) -> None:
        runs = [f"p{number:04}" for number in range(count)]
        await asyncio.to_thread(self._create, runs)
        self._shared.watcher.start()
        await self._shared.durable.start()
        before, begun = _memory(), time.monotonic()
        for run in runs:
            await self._shared.durable.begin(f"{run}.1", {"since": begun})
        await self._changed(lambda: len(self._waiting) + len(self._ended) == count)
        self._shared.durable.settle()
        _tell(event="parked", count=len(self._waiting), seconds=round(time.monotonic() - begun, 2))
        grown = (_memory() - before) / count / 1024
        percent = await _watched(seconds)
        threads = psutil.Process().num_threads()
        _tell(event="cost", kilobytes=round(grown, 1), percent=round(percent, 2), threads=threads)
        await self._changed(lambda: len(self._ended) == count)
        _tell(event="ended", answers=self._ended)

    def _create(self, runs: list[str]) -> None:
        known = {run.id for run in self._shared.runs.newest(len(runs))}
        for run in runs:
            if run not in known:
                self._shared.runs.create(run, VALUES)

    async def _pipeline(self, workflow: str, payload: dict[str, Any]) -> dict[str, Any]:
        run = workflow.removesuffix(".1")
        waiting = Waiting(self._shared, run)

        async def body() -> dict[str, Any]:
            await self._note(run)
            return {"answer": await waiting.answer("1.1", Question(f"Go on with {run}?", ("yes", "no")))}

        result = await self._shared.durable.step("hold", body)
        await self._note(run, result["answer"])
        return result

    async def _note(self, run: str, answer: str | None = None) -> None:
        async with self._change:
            if answer is None:
                self._waiting.add(run)
            else:
                self._waiting.discard(run)
                self._ended[run] = answer
            self._change.notify_all()

    async def _changed(self, true: Callable[[], bool]) -> None:
        """Wait until it is true, looking whenever a run was parked or ended."""
        async with asyncio.timeout(600), self._change:
            await self._change.wait_for(true)


def _memory() -> int:
    gc.collect()
    return psutil.Process().memory_info().rss


async def _watched(seconds: float) -> float:
    """Per cent of one core that this process used."""
    before, begun = psutil.Process().cpu_times(), time.perf_counter()
    await asyncio.sleep(seconds)
    after = psutil.Process().cpu_times()
    return 100 * (after.user + after.system - before.user - before.system) / (time.perf_counter() - begun)


def _tell(**words: Any) -> None:
    print(json.dumps(words), flush=True)


async def main(url: str, home: str, count: str, seconds: str = "5") -> None:
    Path(home).mkdir(parents=True, exist_ok=True)
    await Parking(url, Path(home)).execute(int(count), float(seconds))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
