"""Measures one goal on a clean copy of a tree and writes the evidence. Runs inside one durable step.

An interrupted measurement whose process still runs is attached to; one that is gone starts again on a new copy.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult
from andon.domain.verification import Question, Verification
from andon.engine.services import Services
from andon.engine.waiting import Waiting
from andon.ports import Prepared
from andon.processes.attempts import ATTEMPTS, in_progress, lost


class Measuring:
    def __init__(self, services: Services, waiting: Waiting, run: str) -> None:
        self._services = services
        self._waiting = waiting
        self._run = run

    async def goals(self, tree: str, position: str, custom: str | None, interactive: bool) -> tuple[Goal, ...]:
        scratch = self._scratch(position)
        await asyncio.to_thread(self._copy, tree, scratch)
        return await asyncio.to_thread(self._services.checker.goals, scratch / "tree", custom, interactive)

    async def traits(self, tree: str, position: str) -> frozenset[str]:
        scratch = self._scratch(position)
        await asyncio.to_thread(self._copy, tree, scratch)
        return await asyncio.to_thread(self._services.checker.traits, scratch / "tree")

    async def further_goals(self, tree: str, position: str) -> tuple[Goal, ...]:
        scratch = self._scratch(position)
        await asyncio.to_thread(self._copy, tree, scratch)
        return await asyncio.to_thread(self._services.checker.further_goals, scratch / "tree")

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
        self, goal: Goal, tree: str, position: str, prepared: Prepared, seconds: float, *, at_base: bool
    ) -> CheckResult | None:
        """None when the run was stopped meanwhile."""
        if goal.settled is not None:
            result = CheckResult(goal.name, goal.settled, reason=goal.reason, tree=tree)
            return await self._record(result, b"", position, goal, at_base)
        work, attempts = self._scratch(position) / "work", 1
        measured = await self._measured(goal, tree, position, prepared, seconds)
        while measured is not None and lost(work) and attempts < ATTEMPTS:
            attempts += 1
            measured = await self._measured(goal, tree, position, prepared, seconds)
        return None if measured is None else await self._record(*measured, position, goal, at_base)

    async def _measured(
        self, goal: Goal, tree: str, position: str, prepared: Prepared, seconds: float
    ) -> tuple[CheckResult, bytes] | None:
        scratch = self._scratch(position)
        await asyncio.to_thread(self._copy, tree, scratch, git=True)
        work = asyncio.ensure_future(
            self._services.checker.measure(
                goal, tree, scratch / "tree", scratch / "work", prepared, scratch / "git", seconds
            )
        )
        if await self._waiting.first_of(work):
            return work.result()
        await self._give_up(work, scratch)
        return None

    async def verify(self, question: Question, position: str, prepared: Mapping[str, Prepared]) -> Verification | None:
        """None when the run was stopped meanwhile."""
        scratch = self._scratch(position)
        question = replace(question, seed=self._services.shared.ledger.seed_of(question.base, question.tree))
        work = asyncio.ensure_future(self._services.verifier.verify(question, scratch / "trials", prepared))
        if not await self._waiting.first_of(work):
            await self._services.verifier.cancel(scratch / "trials")
            work.cancel()
            await asyncio.wait({work})
            return None
        return work.result()

    async def compare(self, goal: Goal, before: CheckResult, now: CheckResult, position: str) -> CheckResult:
        old, new = await asyncio.to_thread(self._printed, before), await asyncio.to_thread(self._printed, now)
        if old is None or new is None:
            return now
        result = await asyncio.to_thread(self._services.checker.compare, goal, before, old, now, new)
        if result != now:
            await asyncio.to_thread(self._services.shared.ledger.append, self._run, position, result)
        return result

    def _printed(self, result: CheckResult) -> str | None:
        """The whole output, with paths as they are in the tree: every measurement has a copy somewhere else."""
        content = self._services.shared.ledger.store.read(result.output_digest)
        if content is None:
            return None
        copies = re.escape(str(self._services.folder / "checks")) + r"/[\d.]+/tree/"
        return re.sub(copies, "", content.decode("utf-8", "replace"))

    def clear(self, position: str) -> None:
        """Remove what a step left, once its result is recorded: until then it is all there is of a measurement."""
        self._services.workspace.discard(self._scratch(position))

    async def _record(
        self, result: CheckResult, output: bytes, position: str, goal: Goal, at_base: bool
    ) -> CheckResult:
        ledger, redaction = self._services.shared.ledger, self._services.shared.journal.redaction
        if output:
            output = redaction.text(output.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            result = replace(result, output_digest=await asyncio.to_thread(ledger.store.keep, output))
        await asyncio.to_thread(ledger.append, self._run, position, result, goal, at_base=at_base)
        return result

    async def _give_up(self, work: asyncio.Future[Any], scratch: Path) -> None:
        """End what was started, and wait until it is gone: a stopped run leaves no process behind."""
        await self._services.checker.cancel(scratch / "work")
        work.cancel()
        await asyncio.wait({work})

    def _scratch(self, position: str) -> Path:
        return self._services.folder / "checks" / position

    def _copy(self, tree: str, scratch: Path, *, git: bool = False) -> None:
        if in_progress(scratch / "work"):
            return
        self._services.workspace.discard(scratch)
        (scratch / "work").mkdir(parents=True)
        self._services.workspace.clean_copy(tree, scratch / "tree")
        if git:
            self._services.workspace.disposable_git(scratch / "git")
