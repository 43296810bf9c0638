"""Tests as the base has them, run against the new code: each must pass, and must be able to fail.

Two runs, in each of which a random half of the tests is a tripwire (`sabotage.py`): so every test is told to pass once
and to fail once, and who tells it wrong is found out. Only where something is odd is the base itself measured: what
failed, was skipped or could not fail there as well is not held against the change.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Collection, Mapping
from dataclasses import dataclass, field, replace

from andon.checks.error_lines import MISSING_MODULE, error_line
from andon.checks.results.commands import Reported
from andon.checks.verifying.runners import Runner
from andon.checks.verifying.sorting import some
from andon.domain.goal import Goal
from andon.domain.testing import Outcome, TestReport
from andon.domain.trial import Trial, Tried
from andon.domain.verdict import Finding
from andon.domain.verification import found
from andon.ports import Trials

_GOOD = (Outcome.PASSED, Outcome.UNEXPECTED_PASS)


@dataclass(frozen=True, slots=True)
class BaseTests:
    """The question: do the base's tests hold on the new code?"""

    base: str
    tree: str
    """The new code with the base's tests."""
    command: Reported
    """One test command, whose runner tells of each test."""
    runner: Runner
    texts: Mapping[str, str]
    """The base's test files that the trials have, by path."""
    followed: Mapping[str, str]
    """Those files of the base's tests that call something by a name that has moved, with its new name."""
    trials: Trials
    own: Collection[str] = ()
    """Names of the project's own modules and folders."""
    chance: random.Random = field(default_factory=random.SystemRandom)
    label: str = "base"

    async def listed(self) -> TestReport:
        """Which tests the base has."""
        if not self.texts:
            return TestReport("")
        listing = self.runner.collects or self.runner.all
        return await self._told(self._trial("collect" if self.runner.collects else "before", self.base, extra=listing))

    async def answer(self, listed: Awaitable[TestReport]) -> Answer:
        if not self.texts:
            return Answer()
        present = {path: self.followed.get(path, text) for path, text in self.texts.items()}
        # Beside the event loop: of large files it takes seconds, in which nobody could stop it.
        made = await asyncio.to_thread(
            lambda: [self.runner.sabotaged(present, half, self.chance) for half in self._halves()]
        )
        twins = [
            self._trial(f"twin-{number}", self.tree, self._moved() | edits, self.runner.all)
            for number, (edits, _) in enumerate(made, start=1)
        ]
        known, *tried = await asyncio.gather(listed, *map(self._told, twins))
        if not known.collected:
            # Nothing of the change took part in that: what stands against it is then found by its own tests alone.
            why = error_line("\n".join(known.problems)) or "the runner told of none"
            return Answer(notes=(f"no test of the base could be run: {why}",))
        doomed = [names for _, names in made]
        behind = self.runner.behind(known.collected, frozenset[str]().union(*doomed))
        return await _Judgement(self, known, behind, doomed, twins, tried).answer()

    def _halves(self) -> list[frozenset[str]]:
        groups = self.runner.groups(self.texts)
        self.chance.shuffle(groups)
        middle = len(groups) // 2
        return [frozenset[str]().union(*half) for half in (groups[:middle], groups[middle:])]

    def _trial(
        self, name: str, tree: str, edits: Mapping[str, bytes] | None = None, extra: tuple[str, ...] = ()
    ) -> Trial:
        goal = Goal("test", commands=(self.command.with_words(*extra),))
        return Trial(f"{self.label}-{name}", tree, goal, edits or {})

    async def _told(self, trial: Trial) -> TestReport:
        return (await self.trials.run(trial)).report or TestReport("")

    async def now(self) -> Tried:
        return await self._plain("plain", self.tree, self._moved())

    async def before(self) -> TestReport:
        return (await self._plain("before", self.base, {})).report or TestReport("")

    async def _plain(self, name: str, tree: str, edits: Mapping[str, bytes]) -> Tried:
        return await self.trials.run(replace(self._trial(name, tree, edits, self.runner.all), proves=True))

    async def twin_at_base(self, twin: Trial, names: frozenset[str]) -> TestReport:
        """The same tests as tripwires on the base, where nothing has moved."""
        edits, _ = self.runner.sabotaged(self.texts, names, self.chance)
        return await self._told(replace(twin, name=f"{twin.name}-at-base", tree=self.base, edits=edits))

    def _moved(self) -> dict[str, bytes]:
        return {path: text.encode() for path, text in self.followed.items()}


@dataclass(frozen=True, slots=True)
class Answer:
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()
    tripwires: int = 0
    """Tests that were told to fail and did."""


@dataclass(frozen=True, slots=True)
class _Judgement:
    asked: BaseTests
    known: TestReport
    """Of the base."""
    behind: Mapping[str, str]
    """Id → name of the test."""
    doomed: list[frozenset[str]]
    """For each twin the names of its tripwires."""
    twins: list[Trial]
    told: list[TestReport]

    async def answer(self) -> Answer:
        forged = next((each.forged for each in (self.known, *self.told) if each.forged), "")
        if forged:
            return Answer((found("results_forged", forged, subject="channel"),))
        listed = self.known.collected if self.asked.runner.collects else self.known.passed
        failing = [id for id in listed if not self._passes(id)]
        silent = [self._silent(number) for number in (0, 1)]
        findings: list[Finding] = []
        notes: list[str] = []
        if failing:
            now, before = await asyncio.gather(self.asked.now(), self._before())
            if why := _never_began(now, self.asked.own):
                return Answer(unmeasured=(f"the base's tests could not be run on the new code: {why}",))
            findings, notes = await self._held_against(failing, now.report or TestReport(""), before)
        for number in (0, 1):
            if silent[number]:
                cannot = await self._cannot_fail_at_base(number, silent[number])
                lied = [id for id in silent[number] if id not in cannot]
                findings += self._each("tripwire_passed", "passed although it was made to fail", lied)
                if cannot:
                    notes.append(f"{len(cannot)} tests of the base cannot fail, so they prove nothing: {some(cannot)}")
        failed = sum(
            self.told[number].outcomes.get(id) is Outcome.FAILED for number in (0, 1) for id in self._tripwires(number)
        )
        return Answer(tuple(findings), tuple(notes), tripwires=failed)

    def _tripwires(self, number: int) -> list[str]:
        return [id for id in self.known.collected if self._is_doomed(id, number)]

    def _is_doomed(self, id: str, number: int) -> bool:
        return self.behind.get(id, "") in self.doomed[number]

    def _passes(self, id: str) -> bool:
        """Wherever it was not a tripwire."""
        plain = [self.told[number] for number in (0, 1) if not self._is_doomed(id, number)]
        return all(report.outcomes.get(id) in _GOOD for report in plain)

    def _silent(self, number: int) -> list[str]:
        """Tripwires that were told to have passed. One of a test that fails as it is may be what the new code does."""
        told = self.told[number].outcomes
        return [id for id in self._tripwires(number) if told.get(id) in _GOOD and self._passes(id)]

    async def _held_against(
        self, failing: list[str], now: TestReport, before: TestReport
    ) -> tuple[list[Finding], list[str]]:
        if now.forged:
            return [found("results_forged", now.forged, subject="channel")], []
        required = [id for id in failing if before.outcomes.get(id) in _GOOD]
        excused = len(failing) - len(required)
        notes = [f"{excused} tests do not pass on the base either"] if excused else []
        by = {outcome: [id for id in required if now.outcomes.get(id) is outcome] for outcome in Outcome}
        missing = [id for id in required if id not in now.outcomes]
        findings = self._each("base_test_failed", "fails, as the base has it", by[Outcome.FAILED])
        findings += self._each("base_test_skipped", "skips itself", by[Outcome.SKIPPED] + by[Outcome.EXPECTED_FAILURE])
        why = (
            f": {error_line(now.problems[0])}" if now.problems else "" if now.finished else ", the run ended before it"
        )
        findings += self._each("base_test_missing", f"was not run{why}", missing)
        unsteady = [id for id in required if now.outcomes.get(id) in _GOOD]
        if unsteady:
            known = await self._unsteady_at_base(unsteady)
            findings += self._each(
                "runs_disagree", "passed in one run and not in another", [id for id in unsteady if id not in known]
            )
            if known:
                notes.append(f"{len(known)} tests are not steady on the base either: {some(known)}")
        return findings, notes

    def _each(self, rule: str, what: str, ids: Collection[str]) -> list[Finding]:
        return [found(rule, f"{id} {what}", self.asked.runner.file(id), subject=id) for id in ids]

    async def _before(self) -> TestReport:
        return await self.asked.before() if self.asked.runner.collects else self.known

    async def _cannot_fail_at_base(self, number: int, silent: list[str]) -> list[str]:
        at_base = await self.asked.twin_at_base(self.twins[number], self.doomed[number])
        return [id for id in silent if at_base.outcomes.get(id) in _GOOD]

    async def _unsteady_at_base(self, unsteady: list[str]) -> list[str]:
        """Those that tripwires beside them, or chance, disturb on the base as well."""
        found: list[str] = []
        for number in (0, 1):
            concerned = [id for id in unsteady if not self._is_doomed(id, number)]
            if concerned:
                at_base = await self.asked.twin_at_base(self.twins[number], self.doomed[number])
                found += [id for id in concerned if at_base.outcomes.get(id) not in _GOOD]
        return found


def _never_began(tried: Tried, own: Collection[str]) -> str:
    """Why no test was run for a reason that is the environment's; "" where one was run or the code is to blame.

    A missing module of the project itself was taken away or left out.
    """
    if tried.report is None:
        return tried.result.reason
    if tried.report.outcomes or tried.report.forged:
        return ""
    told = error_line("\n".join(tried.report.problems)) or error_line(tried.output)
    missing = MISSING_MODULE.match(told)
    return told if missing and missing["name"] not in own else ""
