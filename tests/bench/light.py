"""A LIGHT run against the sum of its bare processes.

Above the line stands the time of a whole LIGHT run on a small repository, with agents that answer at once, from the
moment the engine is handed the run to the moment it hands out the result. Start-up is not part of it: modules are
imported, the engine is launched, the sandbox is probed, and the environment of the checks is in the cache.

Below the line stands what cannot be saved: every git process, every sandboxed agent and every sandboxed check of such
a run, each started by nothing but `subprocess` (no supervisor, no bounds, no durability), one after the other; their
times are added up. Most of them change files that the next one reads, so they cannot simply be repeated afterwards.
Instead a second run is made in which each process is started plainly, under a lock, at the moment when its files are as
it needs them, and only the time between its start and its end counts (see recording.py). Other helpers (`uv python
find`, `rm -rf` …) are andon's own business and stand above the line only.

Both kinds of run take turns, each on a fresh repository; the median of the rounds' ratios counts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from statistics import median

from ground import Created, Ground, payload, started
from recording import RECORDER, Started
from rows import Row

from andon.app.execute import PIPELINES

COUNTED = ("git", "sandboxed")


def light(ground: Ground, rounds: int) -> list[Row]:
    _one(ground, bare=False)  # Builds the environment of the checks, and warms every cache.
    ratios: list[float] = []
    whole: list[float] = []
    processes: list[Started] = []
    for _ in range(rounds):
        taken, _ = _one(ground, bare=False)
        _, processes = _one(ground, bare=True)
        whole.append(taken)
        ratios.append(taken / _sum(processes, COUNTED))
    counted = _told(processes, COUNTED)
    others = _told(processes, ("command",))
    detail = f"{median(whole):.2f} s over {counted}; not below the line: {others}"
    return [Row("light", "LIGHT run ÷ its bare git, sandbox and check processes", median(ratios), "×", detail)]


def _one(ground: Ground, *, bare: bool) -> tuple[float, list[Started]]:
    with RECORDER.round(bare=bare):
        return asyncio.run(_execute(ground.create_run()))


async def _execute(created: Created) -> tuple[float, list[Started]]:
    async with started(created, PIPELINES) as durable:
        RECORDER.started.clear()
        begun = time.perf_counter()
        await durable.begin(created.row.workflow, payload(created, "auto"))
        result = await durable.result(created.row.workflow)
        taken = time.perf_counter() - begun
        processes = list(RECORDER.started)
    if result["reason"] != "goal_met":
        raise RuntimeError(f"the run ended as {result['reason']}: {result['message']}")
    return taken, processes


def _sum(processes: Sequence[Started], kinds: tuple[str, ...]) -> float:
    return sum(each.seconds for each in processes if each.kind in kinds)


def _told(processes: Sequence[Started], kinds: tuple[str, ...]) -> str:
    parts: list[str] = []
    for kind in kinds:
        number = sum(each.kind == kind for each in processes)
        parts.append(f"{number} {kind} {_sum(processes, (kind,)):.2f} s")
    return ", ".join(parts)
