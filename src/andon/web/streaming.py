"""Streams last as long as whoever opened them is let in: the last message says that it is over, and why."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import asdict

from andon.web.security import Problem

LOOK_SECONDS = 1.5
"""How often it is looked whether they may still read, although nothing happens."""
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


async def guarded(stream: AsyncGenerator[str], refused: Callable[[], Problem | None]) -> AsyncGenerator[str]:
    """The same messages until `refused` says why there are no more. Nothing is sent after that, but the reason."""
    coming: asyncio.Future[str] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(stream))
            await asyncio.wait({coming}, timeout=LOOK_SECONDS)
            if problem := refused():
                yield gone(problem)
                return
            if coming.done():
                message, coming = await coming, None
                yield message
    except StopAsyncIteration:
        return
    finally:
        if coming is not None:
            coming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await coming
        await stream.aclose()


def gone(problem: Problem) -> str:
    return f"event: gone\ndata: {json.dumps(asdict(problem))}\n\n"
