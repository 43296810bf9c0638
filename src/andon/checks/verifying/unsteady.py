"""Tests that fail are run again alone, on the base and on the new code: chance is told from a change."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from andon.checks.verifying.comparison import Results, Standing, file_of
from andon.checks.verifying.runs import TestRuns
from andon.checks.verifying.sorting import some

TIMES = 3
MOST = 40
"""Where more fail than this, chance has nothing to do with it."""


@dataclass(frozen=True, slots=True)
class Steadiness:
    failing: tuple[str, ...] = ()
    """Pass on the base, and fail on the new code."""
    sometimes: tuple[str, ...] = ()
    """Always pass on the base, and fail now and then on the new code."""
    harmless: tuple[str, ...] = ()
    """Failed once, and never again; or are not steady on the base either."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unsteady:
    runs: TestRuns
    base: str
    tree: str

    async def look(self, failing: Collection[str]) -> Steadiness:
        if not failing:
            return Steadiness()
        if len(failing) > MOST:
            return Steadiness(tuple(failing))
        again = [self._again(f"again-{number}", self.tree, failing) for number in range(1, TIMES + 1)]
        before = [self._again(f"again-{number}-before", self.base, failing) for number in range(1, TIMES + 1)]
        told = await asyncio.gather(*again, *before)
        now, then = told[:TIMES], told[TIMES:]
        shaky = {id for id in failing if any(run.of(id) is Standing.RED for run in then)}
        good = {id: sum(run.of(id) is Standing.GOOD for run in now) for id in failing}
        alone = [id for id in failing if id not in shaky and good[id] == TIMES]
        together = await self._together(alone)
        sometimes = tuple(id for id in failing if id not in shaky and 0 < good[id] < TIMES)
        harmless = tuple(id for id in failing if id in shaky or (id in alone and id not in together))
        notes = (f"not steady, on the base either, so it says nothing: {some(harmless)}",) if harmless else ()
        failed = tuple(id for id in failing if id not in sometimes and id not in harmless)
        return Steadiness(failed, sometimes, harmless, notes)

    async def _together(self, alone: Collection[str]) -> frozenset[str]:
        """Of those that pass alone, those that fail with the others of their files: again, and not on the base."""
        if not alone:
            return frozenset()
        files = {file_of(id) for id in alone}
        now, then = await asyncio.gather(
            self._again("together", self.tree, files), self._again("together-before", self.base, files)
        )
        return frozenset(id for id in alone if now.of(id) is Standing.RED and then.of(id) is not Standing.RED)

    async def _again(self, name: str, tree: str, ids: Collection[str]) -> Results:
        return Results(await self.runs.again(name, tree, ids))
