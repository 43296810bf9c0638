"""Measures one goal on a clean copy of a tree and writes the evidence. Runs inside one durable step.

An interrupted measurement whose process still runs is attached to; one that is gone starts again on a new copy.
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from andon import processes
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult
from andon.engine.services import Services
from andon.engine.waiting import Waiting
from andon.ports import Prepared


class Measuring:
    def __init__(self, services: Services, waiting: Waiting, run: str) -> None:
        self._services = services
        self._waiting = waiting
        self._run = run

    async def goals(self, tree: str, position: str, custom: str | None, interactive: bool) -> tuple[Goal, ...]:
        scratch = self._scratch(position)
        await asyncio.to_thread(self._copy, tree, scratch)
        return await asyncio.to_thread(self._services.checker.goals, scratch / "tree", custom, interactive)

    async def prepare(self, tree: str, position: str) -> Prepared | None:
        """None when the run was stopped meanwhile."""
        scratch = self._scratch(position)
        await asyncio.to_thread(self._copy, tree, scratch)
        work = asyncio.ensure_future(self._services.checker.prepare(scratch / "tree", scratch / "work"))
        if not await self._waiting.first_of(work):
            await self._give_up(work, scratch)
            return None
        return work.result()

    async def check(
        self, goal: Goal, tree: str, position: str, prepared: Prepared, seconds: float
    ) -> CheckResult | None:
        """None when the run was stopped meanwhile."""
        if goal.settled is not None:
            result = CheckResult(goal.name, goal.settled, reason=goal.reason, tree=tree)
            return await self._record(result, b"", position)
        scratch = self._scratch(position)
        await asyncio.to_thread(self._copy, tree, scratch)
        work = asyncio.ensure_future(
            self._services.checker.measure(
                goal, tree, scratch / "tree", scratch / "work", prepared, scratch / "git", seconds
            )
        )
        if not await self._waiting.first_of(work):
            await self._give_up(work, scratch)
            return None
        result, output = work.result()
        return await self._record(result, output, position)

    def clear(self, position: str) -> None:
        """Remove what a step left, once its result is recorded: until then it is all there is of a measurement."""
        shutil.rmtree(self._scratch(position), ignore_errors=True)

    async def _record(self, result: CheckResult, output: bytes, position: str) -> CheckResult:
        ledger = self._services.shared.ledger
        if output:
            result = replace(result, output_digest=await asyncio.to_thread(ledger.store.keep, output))
        await asyncio.to_thread(ledger.append, self._run, position, result)
        return result

    async def _give_up(self, work: asyncio.Future[Any], scratch: Path) -> None:
        """End what was started, and wait until it is gone: a stopped run leaves no process behind."""
        await self._services.checker.cancel(scratch / "work")
        work.cancel()
        await asyncio.wait({work})

    def _scratch(self, position: str) -> Path:
        return self._services.folder / "checks" / position

    def _copy(self, tree: str, scratch: Path) -> None:
        if _in_progress(scratch / "work"):
            return
        shutil.rmtree(scratch, ignore_errors=True)
        (scratch / "work").mkdir(parents=True)
        self._services.workspace.clean_copy(tree, scratch / "tree")
        self._services.workspace.disposable_git(scratch / "git")


def _in_progress(work: Path) -> bool:
    """A process of an earlier attempt of this step is running, or has finished and waits to be read.

    One that was ended because no orchestrator came back, or by a machine shutting down, measured nothing.
    """
    folders = [lock.parent for lock in work.glob("**/lock")]
    ends = [processes.finished(folder) for folder in folders]
    if any(end is not None and end.reason in ("lease", "cancelled") for end in ends):
        return False
    return any(end is not None for end in ends) or any(processes.alive(folder) for folder in folders)
