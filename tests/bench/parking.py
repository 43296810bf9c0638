"""A thousand runs that wait for a person, in one process: how much memory each holds, and what all of them cost in CPU.

Runs in a process of its own (`python parking.py FOLDER NUMBER SECONDS SETTLED`) with a data folder of its own, so that
nothing else is measured. The runs are durable workflows of the real engine, each in a real hold; they share one
workspace, because files do not wait.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
from ground import Created, Ground, payload, started
from rows import Row

from andon.domain.order import Question
from andon.domain.run import Ending, Status
from andon.engine.run import DurableRun

PATIENCE = 600.0
LOOK = 0.1


def parked(ground: Ground, number: int, seconds: float, settled: float) -> list[Row]:
    """`settled`: how long after its launch the engine is watched. In its first minute it looks for schedules often."""
    words = (sys.executable, __file__, str(ground.scratch), str(number), str(seconds), str(settled))
    done = subprocess.run(words, env=ground.environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    told = json.loads(done.stdout)
    detail = f"{told['threads']} threads, watched for {seconds:g} s; starting them took {told['starting']:.1f} s"
    return [
        Row("parked-cpu", f"{number} parked runs: CPU of one core", told["percent"], "%", detail),
        Row("parked-memory", f"{number} parked runs: memory of each", told["kilobytes"], "KB"),
    ]


async def _waiting(run: DurableRun, given: dict[str, Any]) -> Ending:
    return Ending(Status.DONE, await run.hold(Question("Go on?", ("yes", "no"))), "")


async def _measure(created: Created, number: int, seconds: float, settled: float) -> dict[str, float]:
    workflows = [_another(created, each) for each in range(number + 1)]
    process = psutil.Process()
    async with started(created, {"waiting": _waiting}) as durable:
        launched = time.monotonic()
        await durable.begin(workflows[0], payload(created, "waiting"))  # The first one pays for what all share.
        await _until_open(created, 1)
        before = _memory(process)
        begun = time.monotonic()
        for workflow in workflows[1:]:
            await durable.begin(workflow, payload(created, "waiting"))
        await _until_open(created, number + 1)
        told = {"starting": time.monotonic() - begun, "kilobytes": (_memory(process) - before) / number / 1024}
        await asyncio.sleep(max(1.0, launched + settled - time.monotonic()))
        told |= {"percent": await _watched(process, seconds), "threads": process.num_threads()}
        print(json.dumps(told), flush=True)
        os._exit(0)  # Ending a thousand runs in good order would take longer than all this; the folder goes anyway.


def _another(created: Created, number: int) -> str:
    """A run like the created one. Returns the id of its workflow."""
    values = asdict(created.row) | {"status": str(Status.RUNNING)}
    row = created.store.runs.create(f"parked{number:04}", {k: v for k, v in values.items() if k != "id"})
    return row.workflow


async def _until_open(created: Created, number: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(await asyncio.to_thread(created.store.holds.all_open)) < number:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{number} runs were not parked within {PATIENCE:g} s")
        await asyncio.sleep(LOOK)


def _memory(process: psutil.Process) -> int:
    gc.collect()
    return process.memory_info().rss


async def _watched(process: psutil.Process, seconds: float) -> float:
    before, begun = process.cpu_times(), time.perf_counter()
    await asyncio.sleep(seconds)
    after = process.cpu_times()
    used = after.user - before.user + after.system - before.system
    return 100 * used / (time.perf_counter() - begun)


def main(folder: str, number: str, seconds: str, settled: str) -> None:
    scratch = Path(folder)
    created = Ground(scratch, scratch / "parked").create_run()
    asyncio.run(_measure(created, int(number), float(seconds), float(settled)))


if __name__ == "__main__":
    main(*sys.argv[1:])
