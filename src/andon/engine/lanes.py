"""Several chains of work at once, each on files of its own, in an order that a replay meets again.

A lane does one verb at a time, and each verb is one recorded step, or several that begin together. Which lanes have
ended is a recorded step too, and nothing else decides what is begun next. So whatever a lane's end has as consequences
is told and counted when the pipeline takes it, not when it happens. All that have ended by then are taken together:
the busier the pipeline, the more of them share the cost of a step.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from andon.domain.assignment import Assignment
from andon.domain.budget import Budget, Spent
from andon.domain.goal import Goal
from andon.domain.order import Usage
from andon.domain.run import BudgetSpent, TeammateFailed
from andon.domain.verdict import CheckResult
from andon.engine.leg import all_of
from andon.ports import Contract, Landed, Merged, Part, Run

if TYPE_CHECKING:
    from andon.engine.run import DurableRun, Ordered

Taking = Callable[[tuple[Any, ...]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class _Lane:
    steps: tuple[asyncio.Task[Any], ...]
    take: Taking
    reserved: Budget | None = None
    """Its part of the budget, until it is known what it used."""
    again: Callable[[Budget], None] | None = None
    """Begin the same order once more, with this part."""

    @property
    def ended(self) -> bool:
        return all(step.done() for step in self.steps)


class DurableLanes:
    """Implements ports.Lanes for one run."""

    def __init__(self, run: DurableRun, width: int) -> None:
        self._run = run
        self._width = width
        self._lanes: dict[str, _Lane] = {}
        self._waiting: dict[str, _Lane] = {}
        """Used up their part of the budget, and go on when there is more: parts are equal, work is not."""

    @property
    def busy(self) -> tuple[str, ...]:
        return (*self._lanes, *self._waiting)

    @property
    def free(self) -> int:
        return max(0, self._width - len(self.busy))

    def ask(self, lane: str, run: Run, assignment: Assignment, contract: Contract[Any]) -> None:
        self._order(lane, run, assignment, contract, self._left().split(max(1, self.free)))

    def _order(self, lane: str, run: Run, assignment: Assignment, contract: Contract[Any], part: Budget) -> None:
        branch = cast("DurableRun", run)

        async def take(results: tuple[Ordered, ...]) -> Any:
            return await branch.taken(results[0], assignment, contract)

        again = partial(self._order, lane, run, assignment, contract)
        self._begin(lane, [branch.ordered(assignment, contract, part)], take, part, again)

    def check(self, lane: str, run: Run, goals: Sequence[Goal]) -> None:
        branch = cast("DurableRun", run)

        async def take(results: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
            for result in results:
                await branch.spend(Usage(), result.seconds)
            return results

        self._begin(lane, [branch.measured(goal) for goal in goals], take)

    def merge(self, lane: str, run: Run, branches: Sequence[Run], made_of: Sequence[Run] = ()) -> None:
        branch = cast("DurableRun", run)

        async def take(results: tuple[Merged, ...]) -> Merged:
            branch.tree = results[0].tree
            return results[0]

        self._begin(lane, [branch.merging(branches, made_of)], take)

    def commit(self, lane: str, run: Run, parts: Sequence[Part]) -> None:
        branch = cast("DurableRun", run)

        async def take(results: tuple[list[tuple[str, str]], ...]) -> tuple[str, ...]:
            return branch.committed(results[0])

        self._begin(lane, [branch.committing(parts)], take)

    def _begin(
        self,
        lane: str,
        steps: Sequence[Coroutine[Any, Any, Any]],
        take: Taking,
        reserved: Budget | None = None,
        again: Callable[[Budget], None] | None = None,
    ) -> None:
        # Tasks begin in the order they are made, and a step has its number before it waits for anything.
        self._lanes[lane] = _Lane(tuple(asyncio.ensure_future(step) for step in steps), take, reserved, again)

    async def ended(self) -> tuple[Landed, ...]:
        """Every lane that has ended, with what came of it; a failed teammate or a used up budget as a value."""
        landed: list[Landed] = []
        while not landed:
            if self._waiting and (spent := self._go_on()):
                return (spent,)
            for name in await self._run.ended_of(self._ended):
                lane = self._lanes[name]
                results = await asyncio.gather(*lane.steps, return_exceptions=True)
                if landed and any(isinstance(each, BaseException) for each in results):
                    break  # first those who came to an end; this one is met again by the next call
                del self._lanes[name]
                try:
                    landed.append(Landed(name, await lane.take(all_of(results))))
                except TeammateFailed as failure:
                    landed.append(Landed(name, failure=failure))
                except BudgetSpent:
                    self._waiting[name] = lane
        return tuple(landed)

    def _go_on(self) -> Landed | None:
        """Whoever waits longest gets all that nobody has spent or reserved. When there is nothing for them, and nobody
        at work who could leave some, the budget is used up."""
        name, lane = next(iter(self._waiting.items()))
        try:
            left = self._left()
        except BudgetSpent as spent:
            del self._waiting[name]
            return Landed(name, failure=spent)
        if lane.again and not left.exhausted(Spent()):
            del self._waiting[name]
            lane.again(left)
        return None

    async def _ended(self) -> list[str]:
        while not (ended := [name for name, lane in self._lanes.items() if lane.ended]):
            working = {step for lane in self._lanes.values() for step in lane.steps if not step.done()}
            await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
        return ended

    async def close(self) -> None:
        """Whoever still works comes to an end: a run that goes on, or closes, must not leave one of them at it."""
        steps = [step for lane in self._lanes.values() for step in lane.steps]
        await asyncio.gather(*steps, return_exceptions=True)
        self._lanes.clear()
        self._waiting.clear()

    def _left(self) -> Budget:
        """What nobody has spent or reserved."""
        return self._run.left([lane.reserved for lane in self._lanes.values() if lane.reserved])
