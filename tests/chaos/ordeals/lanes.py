"""Ordeals side by side: each lane is a process of its own, so that every process a run leaves behind lands in it."""

from __future__ import annotations

import multiprocessing
import queue
import random
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ordeals import tree
from ordeals.kinds import BY_NAME
from ordeals.orchestrator import Extent, Moment
from ordeals.ordeal import Endured, Ordeal
from ordeals.place import Place

RATCHET = 0.15
"""So many of the runs are killed right after each first new line of their journal, and creep from kill to kill."""


@dataclass(frozen=True)
class Task:
    """One run to be put through its ordeal."""

    number: int
    kind: str
    place: Path
    seed: str
    kills: int = 0
    extent: Extent = field(default_factory=Extent)
    """Of such a run in peace."""
    moments: tuple[Moment | None, ...] = ()
    """Exactly these, one for each process, instead of drawn ones."""

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number}"


def carry_out(task: Task) -> Endured:
    dice = random.Random(task.seed)
    creeping = dice.random() < RATCHET
    chosen = iter(task.moments)

    def draw(written: int) -> Moment | None:
        if task.moments:
            return next(chosen, None)
        if ordeal.endured.kills >= task.kills:
            return None
        if creeping:
            return Moment(1, seconds=dice.random() ** 2 * 0.02)
        return Moment.drawn(dice, task.extent.after(written))

    ordeal = Ordeal(Place(task.place), BY_NAME[task.kind], task.name, dice, draw)
    return ordeal.endure()


class Lanes:
    """Hands tasks to lanes and takes back how they went, in whatever order they end."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("fork")
        self._tasks: Any = context.Queue()
        self._results: Any = context.Queue()
        self._processes = [
            context.Process(target=_lane, args=(self._tasks, self._results), daemon=True) for _ in range(count)
        ]
        self.busy = 0
        for process in self._processes:
            process.start()

    @property
    def free(self) -> int:
        return len(self._processes) - self.busy

    def begin(self, task: Task) -> None:
        self.busy += 1
        self._tasks.put(task)

    def next(self) -> tuple[Task, Endured]:
        while True:
            try:
                task, endured = self._results.get(timeout=5)
            except queue.Empty:
                if not all(process.is_alive() for process in self._processes):
                    raise RuntimeError("a lane has died") from None
                continue
            self.busy -= 1
            return task, endured

    def close(self) -> None:
        for _ in self._processes:
            self._tasks.put(None)
        for process in self._processes:
            process.join(timeout=10)


def _lane(tasks: Any, results: Any) -> None:
    tree.adopt_orphans()
    while (task := tasks.get()) is not None:
        try:
            endured = carry_out(task)
        except Exception:
            tree.end_all()
            endured = Endured(task.kind, task.name, lost=[f"the ordeal itself failed: {traceback.format_exc()}"])
        results.put((task, endured))
