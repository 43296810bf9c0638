"""The one place of a server that looks for news: new journal entries and changed runs, told to whoever listens.

Other processes write; so it asks the database, a few cheap questions many times a second, however many listen.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from andon.app.store import Store
from andon.domain.journal import Entry

LOOK_SECONDS = 0.04
RUNS_SECONDS = 0.5
"""How often new and changed runs are looked for; entries of runs somebody listens to, with every look."""
LOOKED_AT = 500
"""Of so many runs that have ended, those that changed last."""
QUIET_SECONDS = 15.0
"""A listener hears something at least this often, so that both sides notice a connection that is gone."""


@dataclass(eq=False, slots=True)
class Bell:
    """Rung when something has happened that its owner wants to know of."""

    runs: frozenset[str] | None
    """None: all."""
    event: asyncio.Event = field(default_factory=asyncio.Event)
    rung: set[str] = field(default_factory=set[str])
    """For which runs, since somebody last took note."""

    def ring(self, *runs: str) -> None:
        self.rung.update(runs)
        self.event.set()

    def taken(self) -> set[str]:
        """For which runs it was rung; from then on it begins anew."""
        taken, self.rung = self.rung, set()
        return taken

    async def wait(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.event.wait(), seconds)
        rung = self.event.is_set()
        self.event.clear()
        return rung


class Feed:
    def __init__(self, store: Store, also: Callable[[], object] = lambda: None) -> None:
        """`also`: a mark of what is not in the database; when it changes, pages about no single run are drawn again."""
        self._store = store
        self._also = also
        self._bells: set[Bell] = set()
        self._newest: dict[str, int] = {}
        self._going: frozenset[str] = frozenset()
        """Runs that have not ended: of the others little more comes, which is looked for less often."""
        self._marks: Mapping[str, tuple[object, ...]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.over = False
        """The server ends: nobody is told anything any more."""

    def start(self) -> None:
        looks = ((self._new_entries, LOOK_SECONDS), (self._changed_runs, RUNS_SECONDS))
        self._tasks = [asyncio.create_task(self._watch(look, seconds)) for look, seconds in looks]
        self._tasks.append(asyncio.create_task(self._watch_also()))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def hang_up(self) -> None:
        """Every stream ends by itself, so that the server can."""
        self.over = True
        for bell in self._bells:
            bell.ring()

    def bell(self, runs: Iterable[str] | None = None) -> Bell:
        made = Bell(frozenset(runs) if runs is not None else None)
        self._bells.add(made)
        return made

    def drop(self, bell: Bell) -> None:
        self._bells.discard(bell)

    async def entries(self, run: str, after: int) -> AsyncGenerator[list[Entry]]:
        """Entries of a run after a number, as they come: never one twice, none left out, in order. An empty list now
        and then says that nothing has happened."""
        bell = self.bell([run])
        try:
            while not self.over:
                found = await asyncio.to_thread(self._store.journal.entries, run, after)
                if found:
                    after = found[-1].seq
                    yield found
                elif not await bell.wait(QUIET_SECONDS):
                    yield []
        finally:
            self.drop(bell)

    def ring(self, run: str) -> None:
        for bell in self._bells:
            if bell.runs is None or run in bell.runs:
                bell.ring(run)

    async def _watch(self, look: Callable[[], set[str]], seconds: float) -> None:
        while True:
            if self._bells:
                with suppress(Exception):  # the database is away for a moment: the next look catches up
                    for run in await asyncio.to_thread(look):
                        self.ring(run)
            await asyncio.sleep(seconds)

    async def _watch_also(self) -> None:
        told = self._also()
        while True:
            if (now := self._also()) != told:
                told = now
                for bell in [each for each in self._bells if each.runs is None]:
                    bell.ring()
            await asyncio.sleep(RUNS_SECONDS)

    def _new_entries(self) -> set[str]:
        changed = set[str]()
        wanted = {run for bell in list(self._bells) if bell.runs is not None for run in bell.runs}
        wanted |= self._going if any(bell.runs is None for bell in list(self._bells)) else set()
        for run, seq in self._store.journal.newest_of(sorted(wanted)).items():
            if self._newest.get(run, -1) != seq:
                self._newest[run] = seq
                changed.add(run)
        return changed

    def _changed_runs(self) -> set[str]:
        found = self._store.runs.changed(LOOKED_AT)
        self._going = frozenset(mark.id for mark in found if not mark.status.ended)
        # Whether somebody executes it changes no row; nor does what a person notes about a run that has ended.
        newest = self._store.journal.newest_of([mark.id for mark in found if mark.status.ended])
        marks: dict[str, tuple[object, ...]] = {
            mark.id: (mark, newest.get(mark.id), mark.id in self._going and self._store.lock(mark.id).held_by_someone)
            for mark in found
        }
        changed = {run for run, mark in marks.items() if self._marks.get(run) != mark}
        self._marks = marks
        return changed
