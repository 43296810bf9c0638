"""How many orders of a role are carried out at once, over all runs of a data folder, in however many processes.

A slot is a locked file: whoever dies gives it back.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType

AT_ONCE: Mapping[str, int] = MappingProxyType({"task-verifier": 2})
"""D-98. Roles that are not named here are as many as there are."""
LOOK_SECONDS = 0.1


@asynccontextmanager
async def slot(folder: Path, role: str, stopped: Callable[[], Awaitable[bool]]) -> AsyncGenerator[bool]:
    """True when it is this one's turn, for the length of the block; False when the run was stopped before."""
    if (most := AT_ONCE.get(role)) is None:
        yield True
        return
    folder.mkdir(parents=True, exist_ok=True)
    while (taken := _taken(folder, role, most)) is None:
        if await stopped():
            yield False
            return
        await asyncio.sleep(LOOK_SECONDS)
    try:
        yield True
    finally:
        os.close(taken)


def _taken(folder: Path, role: str, most: int) -> int | None:
    """One of the role's files, locked."""
    for number in range(most):
        descriptor = os.open(folder / f"{role}.{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
        else:
            return descriptor
    return None
