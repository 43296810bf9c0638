"""Clocks for noisy machines: things to compare take turns, and the median of their turns counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median

Work = Callable[[], object]


def seconds(work: Work) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_turns(rounds: int, works: Mapping[str, Work]) -> dict[str, list[float]]:
    """Seconds of every work in every round. Each does one turn before the first round: nobody pays for cold caches."""
    for work in works.values():
        work()
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            taken[name].append(seconds(work))
    return taken


def milliseconds(taken: list[float]) -> float:
    return median(taken) * 1000
