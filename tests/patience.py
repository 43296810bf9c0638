"""Waiting in tests: for something to become true, with a deadline and never longer than it takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

DEADLINE = 90.0
T = TypeVar("T")


def until(what: str, asked: Callable[[], T | None], seconds: float = DEADLINE) -> T:
    """What `asked` answers, once it is true."""
    deadline = time.monotonic() + seconds
    while not (found := asked()):
        assert time.monotonic() < deadline, f"no {what} within {seconds:.0f} s"
        time.sleep(0.05)
    return found
