"""Runs of one test command on several trees: each made once, whoever asks, and none of them with anything sabotaged."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from andon.checks.results.commands import Reported
from andon.checks.verifying.runners import Runner
from andon.domain.goal import Goal
from andon.domain.testing import Outcome, TestReport
from andon.domain.trial import Trial, Tried
from andon.ports import Trials

GOOD = (Outcome.PASSED, Outcome.UNEXPECTED_PASS)
NOTHING = TestReport("")


@dataclass(frozen=True, slots=True)
class TestRuns:
    __test__ = False
    command: Reported
    runner: Runner
    trials: Trials
    number: int
    """Of the command, among those of the goal: part of the names of trials."""
    _made: dict[tuple[str, frozenset[str]], asyncio.Task[Tried]] = field(
        default_factory=dict[tuple[str, frozenset[str]], "asyncio.Task[Tried]"]
    )

    async def whole(
        self,
        name: str,
        tree: str,
        edits: Mapping[str, bytes] | None = None,
        *,
        keep: bool = False,
        proves: bool = False,
    ) -> Tried:
        """All tests of a tree. `keep`: the result may come from an earlier verification, and serves later ones."""
        return await self._once(name, tree, frozenset(), edits or {}, keep=keep, proves=proves)

    async def of_files(
        self, name: str, tree: str, files: Collection[str], edits: Mapping[str, bytes] | None = None
    ) -> TestReport:
        """Those of some files; nothing of none."""
        if not files:
            return NOTHING
        tried = await self._once(name, tree, frozenset(files), edits or {})
        return tried.report or NOTHING

    async def again(self, name: str, tree: str, ids: Collection[str]) -> TestReport:
        """These tests alone, once more."""
        command = self.runner.only(self.command, self.runner.selected(sorted(ids)))
        trial = Trial(self._label(name), tree, Goal("test", (command,)))
        return (await self.trials.run(trial)).report or NOTHING

    async def _once(
        self,
        name: str,
        tree: str,
        files: frozenset[str],
        edits: Mapping[str, bytes],
        *,
        keep: bool = False,
        proves: bool = False,
    ) -> Tried:
        key = (tree, files)
        if edits:
            return await self._run(name, tree, files, edits, keep=False, proves=proves)
        if key not in self._made:
            work = self._run(name, tree, files, edits, keep=keep, proves=proves)
            self._made[key] = asyncio.ensure_future(work)
        return await self._made[key]

    async def _run(
        self, name: str, tree: str, files: frozenset[str], edits: Mapping[str, bytes], *, keep: bool, proves: bool
    ) -> Tried:
        command = self.command
        words = self.runner.only(command, sorted(files)) if files else command.argv
        trial = Trial(self._label(name), tree, Goal("test", (words,)), edits, proves=proves, keep=keep)
        return await self.trials.run(trial)

    def _label(self, name: str) -> str:
        return f"tests-{self.number}-{name}"
