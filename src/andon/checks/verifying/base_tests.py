"""Tests as the base has them, run against the new code: each must pass, and must be able to fail.

Two runs, in each of which a random half of the tests is a tripwire (`sabotage.py`): so every test is told to pass once
and to fail once, and who tells it wrong is found out. Only where something is odd is the base itself measured: what
failed, was skipped or could not fail there as well is not held against the change.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from andon.checks.verifying.sabotage import sabotaged, test_names
from andon.domain.goal import Goal
from andon.domain.testing import Outcome, TestReport
from andon.domain.trial import Trial
from andon.domain.verdict import Finding
from andon.domain.verification import found
from andon.ports import Trials

MOST_TOLD = 20
"""Findings of one kind that are told one by one."""
_GOOD = (Outcome.PASSED, Outcome.UNEXPECTED_PASS)


@dataclass(frozen=True, slots=True)
class BaseTests:
    """The question: do the base's tests hold on the new code?"""

    base: str
    tree: str
    """The new code with the base's tests."""
    argv: tuple[str, ...]
    """One test command, whose runner tells of each test."""
    texts: Mapping[str, str]
    """The base's test files that the trials have, by path."""
    trials: Trials
    chance: random.Random = field(default_factory=random.SystemRandom)
    label: str = "base"

    async def answer(self) -> Answer:
        halves = self._halves()
        collect = self._trial("collect", self.base, extra=("--collect-only", "-q"))
        twins = [
            self._trial(f"twin-{number}", self.tree, sabotaged(self.texts, half, self.chance), ("--maxfail=0",))
            for number, half in enumerate(halves, start=1)
        ]
        known, *tried = await asyncio.gather(*(self._told(each) for each in (collect, *twins)))
        if not known.collected:
            told = known.problems[0] if known.problems else "it told of none"
            return Answer(unmeasured=(f"the base's tests could not be collected: {told[-300:]}",), required=())
        return await _Judgement(self, known, halves, twins, tried).answer()

    def _halves(self) -> tuple[frozenset[str], frozenset[str]]:
        """By the functions' names, wherever they are defined: a test may be inherited from another file."""
        names = sorted({name for text in self.texts.values() for name in test_names(text)})
        self.chance.shuffle(names)
        middle = len(names) // 2
        return frozenset(names[:middle]), frozenset(names[middle:])

    def _trial(
        self, name: str, tree: str, edits: Mapping[str, bytes] | None = None, extra: tuple[str, ...] = ()
    ) -> Trial:
        return Trial(f"{self.label}-{name}", tree, Goal("test", commands=((*self.argv, *extra),)), edits or {})

    async def _told(self, trial: Trial) -> TestReport:
        return (await self.trials.run(trial)).report or TestReport("")

    async def plain(self, name: str, tree: str) -> TestReport:
        return await self._told(replace(self._trial(name, tree, extra=("--maxfail=0",)), proves=True))

    async def twin_at_base(self, twin: Trial) -> TestReport:
        return await self._told(replace(twin, name=f"{twin.name}-at-base", tree=self.base))


@dataclass(frozen=True, slots=True)
class Answer:
    required: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()
    tripwires: int = 0
    """Tests that were told to fail and did."""


@dataclass(frozen=True, slots=True)
class _Judgement:
    asked: BaseTests
    known: TestReport
    halves: tuple[frozenset[str], frozenset[str]]
    twins: list[Trial]
    told: list[TestReport]

    async def answer(self) -> Answer:
        forged = next((each.forged for each in (self.known, *self.told) if each.forged), "")
        if forged:
            return Answer(self.known.collected, (found("results_forged", forged, subject="channel"),))
        failing = [id for id in self.known.collected if not self._passes(id)]
        silent = [self._silent(number) for number in (0, 1)]
        findings: list[Finding] = []
        notes: list[str] = []
        if failing:
            findings, notes = await self._held_against(failing)
        for number in (0, 1):
            if silent[number]:
                cannot = await self._cannot_fail_at_base(number, silent[number])
                lied = [id for id in silent[number] if id not in cannot]
                findings += _told_one_by_one("tripwire_passed", "passed although it was made to fail", lied)
                if cannot:
                    notes.append(f"{len(cannot)} tests of the base cannot fail, so they prove nothing: {_some(cannot)}")
        failed = sum(
            self.told[number].outcomes.get(id) is Outcome.FAILED for number in (0, 1) for id in self._doomed(number)
        )
        return Answer(self.known.collected, tuple(findings), tuple(notes), tripwires=failed)

    def _doomed(self, number: int) -> list[str]:
        return [id for id in self.known.collected if _function(id) in self.halves[number]]

    def _passes(self, id: str) -> bool:
        """Wherever it was not a tripwire."""
        plain = [self.told[number] for number in (0, 1) if _function(id) not in self.halves[number]]
        return all(report.outcomes.get(id) in _GOOD for report in plain)

    def _silent(self, number: int) -> list[str]:
        """Tripwires that were told to have passed."""
        return [id for id in self._doomed(number) if self.told[number].outcomes.get(id) in _GOOD]

    async def _held_against(self, failing: list[str]) -> tuple[list[Finding], list[str]]:
        now, before = await asyncio.gather(
            self.asked.plain("plain", self.asked.tree), self.asked.plain("before", self.asked.base)
        )
        if now.forged:
            return [found("results_forged", now.forged, subject="channel")], []
        required = [id for id in failing if before.outcomes.get(id) in _GOOD]
        excused = len(failing) - len(required)
        notes = [f"{excused} tests do not pass on the base either"] if excused else []
        by = {outcome: [id for id in required if now.outcomes.get(id) is outcome] for outcome in Outcome}
        missing = [id for id in required if id not in now.outcomes]
        findings = _told_one_by_one("base_test_failed", "fails, as the base has it", by[Outcome.FAILED])
        findings += _told_one_by_one(
            "base_test_skipped", "skips itself", by[Outcome.SKIPPED] + by[Outcome.EXPECTED_FAILURE]
        )
        why = "" if now.finished else ", the run ended before it"
        findings += _told_one_by_one("base_test_missing", f"was not run{why}", missing)
        unsteady = [id for id in required if now.outcomes.get(id) in _GOOD]
        if unsteady:
            known = await self._unsteady_at_base(unsteady)
            findings += _told_one_by_one(
                "runs_disagree", "passed in one run and not in another", [id for id in unsteady if id not in known]
            )
            if known:
                notes.append(f"{len(known)} tests are not steady on the base either: {_some(known)}")
        return findings, notes

    async def _cannot_fail_at_base(self, number: int, silent: list[str]) -> list[str]:
        at_base = await self.asked.twin_at_base(self.twins[number])
        return [id for id in silent if at_base.outcomes.get(id) in _GOOD]

    async def _unsteady_at_base(self, unsteady: list[str]) -> list[str]:
        """Those that tripwires beside them, or chance, disturb on the base as well."""
        found: list[str] = []
        for number in (0, 1):
            concerned = [id for id in unsteady if _function(id) not in self.halves[number]]
            if concerned:
                at_base = await self.asked.twin_at_base(self.twins[number])
                found += [id for id in concerned if at_base.outcomes.get(id) not in _GOOD]
        return found


def _function(id: str) -> str:
    """The name of the function behind a test's id: `tests/test_a.py::TestB::test_c[1-2]`."""
    return id.partition("[")[0].rpartition("::")[2]


def _told_one_by_one(rule: str, what: str, ids: Collection[str]) -> list[Finding]:
    findings = [found(rule, f"{id} {what}", id.partition("::")[0], subject=id) for id in [*ids][:MOST_TOLD]]
    if len(ids) > MOST_TOLD:
        rest = [*ids][MOST_TOLD:]
        findings.append(found(rule, f"{len(rest)} more tests: {_some(rest)}", subject=f"{len(rest)} more"))
    return findings


def _some(ids: Iterable[str]) -> str:
    ids = [*ids]
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
