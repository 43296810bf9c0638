"""The verbs with which a run asks what earlier ones taught, and leaves what it learned itself.

A memory that cannot be used is a warning: no run ends for want of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from andon.domain.errors import UserError
from andon.domain.learning import Learning, Lesson, Origin, verdict_of
from andon.domain.run import Ending, Status
from andon.domain.teams.deciding import Decision, read_decision
from andon.domain.teams.shared import Shared
from andon.engine.leg import Leg
from andon.engine.services import Services


class MemoryVerbs:
    """Part of DurableRun."""

    _services: Services
    _leg: Leg
    _source: tuple[str, str]
    """The run's pipeline and its task."""
    id: str
    if TYPE_CHECKING:

        async def unverified(self) -> str: ...

    async def recall(self, about: str) -> tuple[Learning, ...]:
        memory = self._services.memory
        if memory is None:
            return ()

        async def body(position: str) -> dict[str, Any]:
            try:
                found = await asyncio.to_thread(memory.recall, about)
            except UserError as problem:
                await self._leg.write(f"{position}/memory", "warning", {"text": f"Nothing recalled: {problem.message}"})
                return {"learnings": []}
            told = [each.as_json() for each in found]
            if told:
                await self._leg.write(f"{position}/recalled", "recalled", {"learnings": told})
            return {"learnings": told}

        return tuple(Learning.read(each) for each in (await self._leg.step("recall", body))["learnings"])

    async def remember(self, lessons: Sequence[Lesson], ending: Ending) -> None:
        memory, (pipeline, task) = self._services.memory, self._source
        if memory is None:
            return

        async def body(position: str) -> dict[str, Any]:
            claimed = ending.status is Status.DONE and await self.unverified()
            verdict = verdict_of(Ending(Status.FAILED, "unverified") if claimed else ending)
            origin = Origin(self.id, pipeline, task, verdict)
            try:
                # Under the key of run and step: who does the step once more keeps nothing twice.
                kept = await asyncio.to_thread(memory.remember, f"{self.id}/{position}", lessons, origin)
            except UserError as problem:
                told = {"text": f"Nothing remembered: {problem.message}"}
                await self._leg.write(f"{position}/memory", "warning", told)
                return {}
            if kept:
                told = {"count": kept, "verdict": origin.verdict, "lessons": [each.text for each in lessons]}
                await self._leg.write(f"{position}/remembered", "remembered", told)
            return {}

        await self._leg.step("remember", body)

    async def share(self, left: Sequence[Shared]) -> None:
        memory, at = self._services.team_memory, self._leg.moved_at
        if memory is None or not left:
            return

        async def body(position: str) -> dict[str, Any]:
            problems = await asyncio.to_thread(memory.share, left, at)
            for number, problem in enumerate(problems, start=1):
                await self._leg.write(f"{position}/memory.{number}", "warning", {"text": f"Not shared: {problem}"})
            return {}

        await self._leg.step("share", body)

    async def decisions(self) -> tuple[Decision, ...]:
        memory = self._services.team_memory
        if memory is None:
            return ()

        async def body(position: str) -> dict[str, Any]:
            try:
                found = await asyncio.to_thread(memory.decisions)
            except UserError as problem:
                await self._leg.write(f"{position}/memory", "warning", {"text": f"No decisions: {problem.message}"})
                return {"decisions": []}
            return {"decisions": [each.as_json() for each in found]}

        read = [read_decision(each) for each in (await self._leg.step("decisions", body))["decisions"]]
        return tuple(each for each in read if each)
