"""Tripwires: a small sample of tests, made so that they can only fail. Whoever reports one of them as passed has lied.

They run in a process of their own, and nothing else of that run is looked at. What cannot be made to fail on the base
either is left out.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from andon.checks.verifying.runs import GOOD, NOTHING, TestRuns
from andon.domain.goal import Goal
from andon.domain.testing import Outcome, TestReport
from andon.domain.trial import Trial

SAMPLE = 30
"""Names of tests."""
MOST_OF_A_NAME = 3


@dataclass(frozen=True, slots=True)
class Sprung:
    failed: int = 0
    silent: tuple[str, ...] = ()
    """Reported as passed, and the same tests fail on the base as they must."""
    forged: str = ""


@dataclass(frozen=True, slots=True)
class Tripwires:
    runs: TestRuns
    texts: Mapping[str, str]
    """Test files of the base."""
    first: Collection[str]
    """Files whose tests go before others: those that speak of what changed."""
    seed: str

    async def spring(self, tree: str, base: str, passing: Collection[str], followed: Mapping[str, str]) -> Sprung:
        """`passing`: ids of tests that pass on both trees as they are."""
        runner = self.runs.runner
        texts = {path: followed.get(path, text) for path, text in self.texts.items()}
        chosen = self._sample(texts)
        if not chosen:
            return Sprung()
        edits, doomed = runner.sabotaged(texts, chosen, random.Random(self.seed))
        behind = runner.behind(passing, doomed)
        # Only where a file of it was made otherwise: of a helper's test somewhere else nobody knows.
        ids = _few((behind[id], id) for id in passing if behind.get(id) in doomed and runner.file(id) in edits)
        if not ids:
            return Sprung()
        told = await self._run("tripwires", tree, ids, edits | _bytes(followed, edits))
        if told.forged:
            return Sprung(forged=told.forged)
        failed = sum(told.outcomes.get(id) is Outcome.FAILED for id in ids)
        silent = [id for id in ids if told.outcomes.get(id) in GOOD]
        if silent:
            edits, _ = runner.sabotaged(self.texts, chosen, random.Random(self.seed))
            before = await self._run("tripwires-at-base", base, ids, edits)
            silent = [id for id in silent if before.outcomes.get(id) is Outcome.FAILED]
        return Sprung(failed, tuple(silent))

    def _sample(self, texts: Mapping[str, str]) -> frozenset[str]:
        chance = random.Random(self.seed)
        chosen: set[str] = set()
        near = {path: text for path, text in texts.items() if path in self.first}
        for part in (near, {path: text for path, text in texts.items() if path not in near}):
            groups = self.runs.runner.groups(part)
            chance.shuffle(groups)
            for group in groups:
                if len(chosen) + len(group) <= SAMPLE or not chosen:
                    chosen |= group
        return frozenset(chosen)

    async def _run(self, name: str, tree: str, ids: Collection[str], edits: Mapping[str, bytes]) -> TestReport:
        runner = self.runs.runner
        command = runner.only(self.runs.command, runner.named(sorted(ids)))
        trial = Trial(f"{name}-{self.runs.number}", tree, Goal("test", (command,)), edits)
        return (await self.runs.trials.run(trial)).report or NOTHING


def _few(named: Iterable[tuple[str, str]]) -> list[str]:
    """Of a test that runs with many parameters, some."""
    by_name: dict[str, list[str]] = {}
    for name, id in named:
        by_name.setdefault(name, []).append(id)
    return [id for ids in by_name.values() for id in ids[:MOST_OF_A_NAME]]


def _bytes(texts: Mapping[str, str], but: Collection[str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in texts.items() if path not in but}
