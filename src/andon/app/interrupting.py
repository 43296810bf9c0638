"""Work that starts supervised processes, outside the durable engine: when a person has had enough, those end first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
End = Callable[[], Awaitable[None]]


async def or_end(work: Awaitable[T], end: End) -> T:
    """What comes of the work. Ctrl+C and SIGTERM cancel it, and then `end` is waited for."""
    present = asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError, NotImplementedError, RuntimeError):  # in a thread, whoever started it handles signals
            asyncio.get_running_loop().add_signal_handler(number, present.cancel if present else lambda: None)
    try:
        return await work
    except asyncio.CancelledError:
        await end()
        raise


def finish(work: Coroutine[Any, Any, T], end: End) -> T:
    """The same from code that is not asynchronous."""
    try:
        return asyncio.run(or_end(work, end))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
