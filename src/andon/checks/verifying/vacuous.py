"""Added tests that would pass whatever the code does. Such a test proves nothing and only looks like proof.

Bounded: the added test files alone are run, once without the change and once with each kind of mutant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from andon.checks.results.commands import Reported
from andon.checks.verifying.runners import Runner
from andon.domain.goal import Goal
from andon.domain.testing import TestReport
from andon.domain.trial import Trial
from andon.domain.verdict import Finding
from andon.domain.verification import found
from andon.ports import Trials

_DEFINES = re.compile(r"\b(?:def|class|function|const|let|var)\s*\*?\s*(\w+)")
MOST_FUNCTIONS = 40
"""That are hollowed out at once."""


@dataclass(frozen=True, slots=True)
class AddedTests:
    tree: str
    """The new tree."""
    without: str
    """The base's code with the new tests."""
    known: Collection[str]
    """Ids of tests that the base has: those are not added."""
    tests: Mapping[str, str]
    """Texts of the test files that have them."""
    product: Mapping[str, str]
    """Files of the new tree, of the runner's language, that are no tests."""
    changed: Mapping[str, Collection[int]]
    """Lines of product files that the change touched."""
    command: Reported
    runner: Runner
    trials: Trials
    label: str = "added"

    async def findings(self) -> list[Finding]:
        """A test is vacuous that passes with every mutant. Most fail without the change, or with the first mutant."""
        report = await self._told("without", self.without, {})
        killed = _failed(report)
        passing = {*report.passed}
        if report.problems or not report.finished or self._open(passing, killed):
            for kind in self.runner.kinds:
                report = await self._told(f"mutant-{kind}", self.tree, self._mutated(kind))
                killed |= _failed(report)
                passing |= {*report.passed}
                if report.finished and not self._open(passing, killed):
                    break
        mutated = {name.partition(".")[0] for names in self._chosen().values() for name in names}
        return [
            found("test_vacuous", f"{id} passes whatever the code does", self.runner.file(id), subject=id)
            for id in sorted(self._open(passing, killed))
            if self.runner.judges(self.tests[self.runner.file(id)], id, mutated)
        ]

    def _open(self, passing: set[str], killed: set[str]) -> set[str]:
        """Added tests that passed at least once, and never failed."""
        added = {id for id in passing if id not in killed and id not in self.known}
        # A whole file that a runner takes for one test may as well be support for others.
        return {id for id in added if self.runner.file(id) in self.tests and self.runner.file(id) != id}

    def _mutated(self, kind: str) -> dict[str, str]:
        edits = {path: self.runner.mutant(self.product[path], names, kind) for path, names in self._chosen().items()}
        return {path: text for path, text in edits.items() if text}

    def _chosen(self) -> dict[str, list[str]]:
        """By file: functions that the change touches, and those that the added tests name."""
        used = frozenset(name for text in self.tests.values() for name in self.runner.names_used(text))
        chosen: dict[str, list[str]] = {}
        left = MOST_FUNCTIONS
        for path, text in sorted(self.product.items(), key=lambda each: each[0] not in self.changed):
            lines = self.changed.get(path, ())
            if not lines and not used & {*_DEFINES.findall(text)}:
                continue  # read as a tree only where that can lead somewhere
            for name, (first, last) in self.runner.functions(text).items():
                if left and (name.partition(".")[0] in used or any(first <= line <= last for line in lines)):
                    chosen.setdefault(path, []).append(name)
                    left -= 1
        return chosen

    async def _told(self, name: str, tree: str, edits: Mapping[str, str]) -> TestReport:
        goal = Goal("test", commands=(self.runner.only(self.command, sorted(self.tests)),))
        trial = Trial(f"{self.label}-{name}", tree, goal, {path: text.encode() for path, text in edits.items()})
        return (await self.trials.run(trial)).report or TestReport("")


def _failed(report: TestReport) -> set[str]:
    """Those that noticed. A file that could not even be loaded says nothing of its tests."""
    return {*report.failed}
