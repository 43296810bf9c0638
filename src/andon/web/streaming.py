"""Streams last as long as whoever opened them is let in: the last message says that it is over, and why."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import asdict

from andon.domain.errors import EnvironmentProblem
from andon.web.security import Problem

LOOK_SECONDS = 1.5
"""How often it is looked whether they may still read, although nothing happens."""
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


MOST = 800
"""Streams at once: each is a connection, and a machine has only so many."""
MOST_OF_ONE = 400


class Streams:
    """Counts those that are open, so that nobody takes all there can be."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def refuse_too_many(self, name: str) -> None:
        if self._open[name] >= MOST_OF_ONE or self._open.total() >= MOST:
            raise EnvironmentProblem(
                "Too many streams are open", "Close pages, or programs that listen; then try again."
            )

    async def counted(self, name: str, stream: AsyncGenerator[str]) -> AsyncGenerator[str]:
        self._open[name] += 1
        try:
            async for message in stream:
                yield message
        finally:
            self._open[name] -= 1
            await stream.aclose()


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
