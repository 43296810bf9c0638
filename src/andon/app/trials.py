"""Trials in folders: each on a clean copy of its own, as many at once as the machine has processors."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from andon.domain.trial import Trial, Tried
from andon.ports import Checker, Prepared, Trees
from andon.workspace.files import write_contained

Keep = Callable[[bytes], str]
"""Keeps an output, and returns its digest."""


class FolderTrials:
    """Implements ports.Trials for one verification."""

    def __init__(
        self,
        trees: Trees,
        checker: Checker,
        folder: Path,
        prepared: Callable[[str], Prepared],
        keep: Keep,
        seconds: float,
        began: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._trees = trees
        self._checker = checker
        self._folder = folder
        self._prepared = prepared
        self._keep = keep
        self._seconds = seconds
        self._began = began
        self._lanes = asyncio.Semaphore(max(2, os.cpu_count() or 2))

    async def run(self, trial: Trial) -> Tried:
        async with self._lanes:
            self._began(trial.name)
            return await self._run(trial)

    async def _run(self, trial: Trial) -> Tried:
        scratch = self._folder / trial.name
        copy, work = scratch / "tree", scratch / "work"
        await asyncio.to_thread(self._set_up, trial, scratch)
        result, output = await self._checker.measure(
            trial.goal, trial.tree, copy, work, self._prepared(trial.tree), scratch / "git", self._seconds
        )
        if trial.proves:
            result = replace(result, output_digest=await asyncio.to_thread(self._keep, output))
        report = await asyncio.to_thread(self._checker.report, work)
        text = output.decode("utf-8", "replace").replace(f"{copy}/", "")
        tried = Tried(result, report, text, _first_printed(work))
        await asyncio.to_thread(self._trees.discard, scratch)
        return tried

    def _set_up(self, trial: Trial, scratch: Path) -> None:
        work = scratch / "work"
        work.mkdir(parents=True)
        self._trees.clean_copy(trial.tree, scratch / "tree")
        for path, content in trial.edits.items():
            write_contained(scratch / "tree", path, content)
        self._trees.disposable_git(scratch / "git")


def _first_printed(work: Path) -> str:
    first = work / "1" / "stdout"
    return first.read_bytes().decode("utf-8", "replace") if first.is_file() else ""
