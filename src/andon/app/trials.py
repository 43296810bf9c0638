"""Trials in folders: each on a clean copy of its own, as many at once as the machine has processors.

One that was interrupted is attached to or read, as long as its folder is there; one that is gone starts anew.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from andon.app.kept_results import KeptResults
from andon.domain.trial import Trial, Tried
from andon.domain.verdict import CheckResult
from andon.ports import Checker, Prepared, Trees
from andon.processes.attempts import ATTEMPTS, in_progress, lost

Keep = Callable[[bytes], str]
"""Keeps an output, and returns its digest."""


def _lanes() -> asyncio.Semaphore:
    return asyncio.Semaphore(max(2, os.cpu_count() or 2))


@dataclass(frozen=True, slots=True)
class FolderTrials:
    """Implements ports.Trials for one verification."""

    trees: Trees
    checker: Checker
    folder: Path
    prepared: Callable[[str], Prepared]
    """The environment for a tree."""
    keep: Keep
    seconds: float
    began: Callable[[str], None]
    kept: KeptResults | None = None
    _lanes: asyncio.Semaphore = field(default_factory=_lanes)

    async def run(self, trial: Trial) -> Tried:
        async with self._lanes:
            environment = self.prepared(trial.tree).digest
            known = self.kept.find(trial, environment) if self.kept and trial.keep and environment else None
            if known:
                return known
            self.began(trial.name)
            scratch = self.folder / trial.name
            result, output = await self._measured(trial, scratch)
            for _ in range(ATTEMPTS - 1):
                if not lost(scratch / "work"):
                    break
                result, output = await self._measured(trial, scratch)
            tried = await asyncio.to_thread(self._tried, trial, scratch, result, output)
            if self.kept and trial.keep and environment:
                await asyncio.to_thread(self.kept.keep, trial, environment, tried)
            return tried

    async def cancel(self) -> None:
        """End what runs, and wait until it is gone."""
        scratches = [*self.folder.iterdir()] if self.folder.is_dir() else []
        await asyncio.gather(*(self.checker.cancel(each / "work") for each in scratches))

    async def _measured(self, trial: Trial, scratch: Path) -> tuple[CheckResult, bytes]:
        work = scratch / "work"
        if not in_progress(work):
            await asyncio.to_thread(self._set_up, trial, scratch)
        environment = self.prepared(trial.tree)
        return await self.checker.measure(
            trial.goal, trial.tree, scratch / "tree", work, environment, scratch / "git", self.seconds
        )

    def _set_up(self, trial: Trial, scratch: Path) -> None:
        self.trees.discard(scratch)
        (scratch / "work").mkdir(parents=True)
        self.trees.clean_copy(trial.tree, scratch / "tree", trial.edits)
        self.trees.disposable_git(scratch / "git")

    def _tried(self, trial: Trial, scratch: Path, result: CheckResult, output: bytes) -> Tried:
        if trial.proves:
            result = replace(result, output_digest=self.keep(output))
        text = output.decode("utf-8", "replace").replace(f"{scratch / 'tree'}/", "")
        return Tried(result, self.checker.report(scratch / "work"), text, _first_printed(scratch / "work"))


def _first_printed(work: Path) -> str:
    first = work / "1" / "stdout"
    return first.read_bytes().decode("utf-8", "replace") if first.is_file() else ""
