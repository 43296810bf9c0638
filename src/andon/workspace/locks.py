"""A lock on a file between processes and threads. The kernel drops it when its holder dies, so none goes stale."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from andon.domain.errors import EnvironmentProblem

RETRIES = 10
SHORTEST_WAIT = 0.1
LONGEST_WAIT = 1.0


@contextmanager
def locked(
    path: Path,
    *,
    retries: int = RETRIES,
    shortest: float = SHORTEST_WAIT,
    longest: float = LONGEST_WAIT,
    sleep: Callable[[float], None] = time.sleep,
) -> Generator[None]:
    """Hold `<path>.lock` for the block; waits 100 to 1000 ms between at most ten retries, always lets go (D-95).

    The lock file stays: removing it would let two holders lock two different files of one name.
    """
    lock = path.with_name(f"{path.name}.lock")
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        wait = shortest
        for attempt in range(retries + 1):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if attempt == retries:
                    raise EnvironmentProblem(
                        f"{path} is locked by another process", "wait for the other andon process, or stop it"
                    ) from None
            sleep(wait)
            wait = min(wait * 2, longest)
        yield
    finally:
        os.close(descriptor)
