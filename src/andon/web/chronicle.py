"""Everything that happens in all runs, in one order: what `GET /api/events` tells.

The order is this server's own, so its numbers carry a mark of the server: one from another server, or one that is too
old, cannot be continued, and whoever brings it is told to begin anew.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass

from andon.app.store import Store
from andon.domain.journal import Entry
from andon.web.feed import QUIET_SECONDS, Bell, Feed

KEPT = 10_000
"""Entries that somebody who was away for a moment can still be told."""
LINGER_SECONDS = 300.0
"""Without a listener it watches on for so long."""


@dataclass(frozen=True, slots=True)
class Happening:
    number: int
    entry: Entry


class Chronicle:
    def __init__(self, store: Store, feed: Feed) -> None:
        self._store = store
        self._feed = feed
        self._mark = ""
        self._kept: deque[Happening] = deque(maxlen=KEPT)
        self._number = 0
        self._seen: dict[str, int] = {}
        self._news = asyncio.Event()
        self._starting = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._listeners = 0

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def begun(self, last: str) -> str:
        """After which id to follow. Whoever brings none is told of everything from this moment on."""
        await self._begin()
        return last or self._id(self._number)

    async def follow(self, last: str) -> AsyncGenerator[tuple[str, Happening | None]]:
        """From after an id, as it happens: (id, happening). A happening of None with an id: begin anew from here.
        With an empty id nothing has happened for a while."""
        await self._begin()
        self._listeners += 1
        try:
            number = self._continued(last)
            if number is None:
                number = self._number
                yield self._id(number), None
            while not self._feed.over:
                news = self._news
                if self._kept and self._kept[0].number > number + 1:  # slower than all the others by far
                    number = self._number
                    yield self._id(number), None
                for each in [each for each in self._kept if each.number > number]:
                    number = each.number
                    yield self._id(number), each
                if number < self._number:
                    continue
                try:
                    await asyncio.wait_for(news.wait(), QUIET_SECONDS)
                except TimeoutError:
                    yield "", None
        finally:
            self._listeners -= 1

    def _id(self, number: int) -> str:
        return f"{self._mark}-{number}"

    def _continued(self, last: str) -> int | None:
        """The number after which to go on; None where it cannot be gone on. Without an id: from now on."""
        if not last:
            return self._number
        mark, _, text = last.rpartition("-")
        number = int(text) if text.isdecimal() and len(text) < 16 else -1
        oldest = self._kept[0].number if self._kept else self._number + 1
        known = mark == self._mark and oldest - 1 <= number <= self._number
        return number if known else None

    async def _begin(self) -> None:
        """Watch from now on, unless somebody does."""
        async with self._starting:
            if self._task is not None and not self._task.done():
                return
            bell = self._feed.bell()
            self._seen = await asyncio.to_thread(self._store.journal.newest_of_all)
            self._mark, self._number = secrets.token_hex(4), 0
            self._kept.clear()
            self._task = asyncio.get_running_loop().create_task(self._watch(bell))

    async def _watch(self, bell: Bell) -> None:
        left_at = time.monotonic()
        try:
            while not self._feed.over and (self._listeners or time.monotonic() < left_at + LINGER_SECONDS):
                if self._listeners:
                    left_at = time.monotonic()
                if not await bell.wait(QUIET_SECONDS):
                    continue
                for run in (rung := bell.taken()):
                    try:
                        self._add(await asyncio.to_thread(self._store.journal.entries, run, self._seen.get(run, 0)))
                    except Exception:  # the database is away for a moment: the same runs are read again
                        bell.ring(*rung)
                        await asyncio.sleep(1)
                        break
        finally:
            self._feed.drop(bell)
            self._news.set()

    def _add(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._number += 1
            self._seen[entry.run] = entry.seq
            self._kept.append(Happening(self._number, entry))
        if entries:
            self._news.set()
            self._news = asyncio.Event()
