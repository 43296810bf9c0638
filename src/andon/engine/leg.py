"""One leg of a run as it goes along: the steps it has recorded, and what a run shares with its branches.

A step that went wrong says so in its recorded value, so that a replay ends as the first time did.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from andon.domain.assignment import TeamRecord
from andon.domain.budget import Spent
from andon.domain.errors import UserError
from andon.domain.run import Blocked, BudgetSpent, Bug, Stopped
from andon.engine.durable import machine_failure
from andon.engine.services import Shared

T = TypeVar("T")
Step = Callable[[str], Awaitable[dict[str, Any]]]


@dataclass
class Leg:
    shared: Shared
    run: str
    number: int
    spent: Spent
    moved_at: float
    """When the last step was recorded, or the leg began. Of several at once the latest, when all have ended."""
    position: int = 0
    """Steps begun."""
    said: int = 0
    phase: str = ""
    calls: dict[str, int] = field(default_factory=dict[str, int])
    """Orders each teammate has had."""
    sessions: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """Each teammate's own last session, where its program has such a thing."""
    team: dict[int, TeamRecord] = field(default_factory=dict[int, TeamRecord])
    """By step."""
    tidying: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def tidy(self, work: Callable[[str], None], position: str) -> None:
        """Take away what a recorded step left, while the run goes on: nobody waits for that. A replay does it again."""
        task = asyncio.ensure_future(asyncio.to_thread(work, position))
        self.tidying.add(task)
        task.add_done_callback(self.tidying.discard)

    async def tidied(self) -> None:
        await asyncio.gather(*self.tidying, return_exceptions=True)

    async def say_each(self, kind: str, told: Sequence[dict[str, Any]]) -> None:
        first = self.said + 1
        self.said += len(told)
        numbered = enumerate(told, start=first)
        await self.write_all([(f"{self.number}.{self.position}.{number}", kind, data) for number, data in numbered])

    async def write(self, key: str, kind: str, data: dict[str, Any]) -> None:
        await self.write_all([(key, kind, data)])

    async def write_all(self, told: Sequence[tuple[str, str, dict[str, Any]]]) -> None:
        """What belongs together, in one transaction: (key, kind, data) each."""
        writing = asyncio.to_thread(self.shared.journal.append_all, self.run, self.phase, told)
        await self.shared.durable.or_give_up(writing)

    async def update(self, **values: Any) -> None:
        await self.shared.durable.or_give_up(asyncio.to_thread(self.shared.runs.update, self.run, **values))

    async def step(
        self, label: str, body: Step, stopped: Callable[[dict[str, Any]], None] = lambda result: None
    ) -> dict[str, Any]:
        """What is recorded of it. `stopped` is told that of one that a person stopped, before it is raised."""
        # Numbered before the first await: under gather the order of the calls is the order of the numbers.
        self.position += 1
        position = f"{self.number}.{self.position}"

        async def recorded() -> dict[str, Any]:
            try:
                value = await body(position)
            except Exception as error:
                value = _failure(error)
            # Here and not where it is stored: a replay must see what the first time saw.
            return {**self.shared.journal.redaction.clean(value), "at": time.time()}

        result = await self.shared.durable.step(label, recorded)
        self.moved_at = max(self.moved_at, result["at"])
        if "blocked" in result:
            raise Blocked(result["blocked"])
        if "bug" in result:
            raise Bug(result["bug"], result["traceback"])
        if result.get("stopped"):
            stopped(result)
            raise Stopped
        return result


def all_of(ends: Sequence[T | BaseException]) -> tuple[T, ...]:
    """What came of several at once, when every one has ended: a run that closes must not leave one of them working.
    A person's stop says more than what it interrupted, and a failure more than a part of the budget that is used up."""
    failures = [end for end in ends if isinstance(end, BaseException)]
    if failures:
        raise min(failures, key=lambda each: (not isinstance(each, Stopped), isinstance(each, BudgetSpent)))
    return tuple(end for end in ends if not isinstance(end, BaseException))


def _failure(error: Exception) -> dict[str, Any]:
    """What went wrong as a value. What the machine failed is raised again: it is not recorded but done once more when
    the run is resumed."""
    if machine_failure(error) is not None:
        raise error
    if isinstance(error, UserError):
        return {"blocked": error.message + (f" ({error.hint})" if error.hint else "")}
    return {"bug": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
