"""Verifies a change: looks at it with every layer, has measured what must be measured, and says what stands against it.

Decides nothing by what code under test prints or by what anybody claims. Where something cannot be measured it says so.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field, replace

from andon.checks.comparing import compared
from andon.checks.failing_before import tests_compared
from andon.checks.results.commands import MANIFEST, Reported, reported
from andon.checks.tamper.golden import golden_findings
from andon.checks.tamper.secrets import given_findings
from andon.checks.tamper.test_paths import belongs_to_tests
from andon.checks.verifying.base_tests import Answer, BaseTests
from andon.checks.verifying.following import followed
from andon.checks.verifying.layers import ground_of, static_findings
from andon.checks.verifying.oracle import Case, ask_oracle
from andon.checks.verifying.runners import RUNNERS, Runner, product_of, tests_of
from andon.checks.verifying.sorting import sorted_out
from andon.checks.verifying.vacuous import AddedTests
from andon.domain.auto.diffs import is_source
from andon.domain.changeset import ChangeSet
from andon.domain.goal import Goal
from andon.domain.testing import TestReport
from andon.domain.trial import Trial
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.domain.verification import Layer, Question, Verification, found, sorted_findings
from andon.ports import Trees, Trials

COMPARED = ("lint", "typecheck", "test")
"""What of these the base has too is not held against the change."""
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Verifier:
    trees: Trees
    trials: Trials
    cases: tuple[Case, ...] = ()
    """Of a hidden oracle."""
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    """Secrets that a person gave, by name: they stand in no file of the change."""

    async def verify(self, question: Question) -> Verification:
        change = await asyncio.to_thread(self.trees.change_set, question.base, question.tree)
        looked, tests, goals, oracle = await asyncio.gather(
            asyncio.to_thread(self._looked, question.base, change),
            self._tests(question, change),
            self._goals(question, change),
            ask_oracle(question.tree, self.cases, self.trials),
        )
        results = (*tests.results, *goals, *oracle.results)
        findings = [*looked, *tests.findings, *oracle.findings, *_goal_findings(results)]
        against, excused = sorted_out(question, sorted_findings(findings), change.before)
        return Verification(
            question.base,
            question.tree,
            against,
            excused,
            results,
            layers=_layers(bool(self.cases), tests),
            notes=tests.notes,
            unmeasured=(*tests.unmeasured, *oracle.unmeasured),
        )

    def _looked(self, base: str, change: ChangeSet) -> list[Finding]:
        return [*static_findings(change, ground_of(self.trees, base, change)), *given_findings(change, self.given)]

    # --- goals ------------------------------------------------------------------------------------------------

    async def _goals(self, question: Question, change: ChangeSet) -> tuple[CheckResult, ...]:
        """All but the tests, measured on the new tree."""
        wanted = [goal for goal in question.goals if goal.name != "test"]
        return tuple(await asyncio.gather(*(self._goal(question, change, goal) for goal in wanted)))

    async def _goal(self, question: Question, change: ChangeSet, goal: Goal) -> CheckResult:
        if known := next((each for each in question.known if each.goal == goal.name), None):
            return known
        if goal.settled is not None:
            return CheckResult(goal.name, goal.settled, goal.reason, tree=question.tree)
        now = await self.trials.run(Trial(goal.name, question.tree, goal, proves=True))
        if goal.name not in COMPARED or now.result.verdict is not Verdict.FAILED:
            return now.result
        before = await self.trials.run(Trial(f"{goal.name}-before", question.base, goal))
        if goal.name == "test":
            return tests_compared(before, now)
        return compared(goal, before.result, before.output, now.result, now.output, change.renamed)

    # --- tests ------------------------------------------------------------------------------------------------

    async def _tests(self, question: Question, change: ChangeSet) -> _Told:
        goal = next((goal for goal in question.goals if goal.name == "test"), None)
        if goal is None or goal.settled is not None:
            return _Told((await self._goal(question, change, goal),) if goal else ())
        restored = await asyncio.to_thread(self._with_base_tests, question, change)
        asked = [
            self._command(question, change, restored, number, argv)
            for number, argv in enumerate(goal.commands, start=1)
        ]
        head, answers = await asyncio.gather(self._goal(question, change, goal), asyncio.gather(*asked))
        return _joined(head, answers)

    def _with_base_tests(self, question: Question, change: ChangeSet) -> str:
        """The new code with the tests, their configuration and their data as the base has them.

        Data that may change, as the plan or a person says, stays as the change has it: its tests expect it so.
        """
        _, excused = sorted_out(question, tuple(golden_findings(change)))
        paths = {each.path for each in change if belongs_to_tests(each.path)}
        paths -= {each.finding.path for each in excused}
        kept = {path for path in change.before if belongs_to_tests(path)}
        above = {"/".join(path.split("/")[:depth]) for path in kept for depth in range(1, path.count("/") + 1)}
        paths |= above & change.after  # a file or link where the base has a folder of tests
        return self.trees.with_paths_of(question.tree, question.base, sorted(paths)) if paths else question.tree

    async def _command(
        self, question: Question, change: ChangeSet, restored: str, number: int, argv: tuple[str, ...]
    ) -> Answer:
        """Of one test command: do the base's tests hold, and do the added ones prove anything? Both at once."""
        manifest = await asyncio.to_thread(self._texts, question.base, [MANIFEST])
        command = reported(argv, manifest.get(MANIFEST))
        if command is None:
            return await self._unreported(number, argv, restored, question)
        runner = RUNNERS[command.runner]
        texts = await asyncio.to_thread(self._texts, question.base, tests_of(runner, change.before))
        chance = random.Random(f"{question.seed} {number}")
        moved = await asyncio.to_thread(self._followed, question.base, change)
        moved |= dict.fromkeys(runner.blanks(change), "")
        label = f"base-{number}"
        own = {part.partition(".")[0] for path in (*change.before, *change.after) for part in path.split("/")}
        base = BaseTests(question.base, restored, command, runner, texts, moved, self.trials, own, chance, label)
        listed = asyncio.ensure_future(base.listed())
        answer, vacuous = await asyncio.gather(
            base.answer(listed), self._added(question, change, command, runner, listed, f"added-{number}")
        )
        return replace(answer, findings=(*answer.findings, *vacuous))

    def _followed(self, base: str, change: ChangeSet) -> dict[str, str]:
        """Files of the base's tests that name modules which the change moved, with the new names."""
        moved = {old: new for old, new in change.renamed.items() if not belongs_to_tests(old)}
        if not moved:
            return {}
        texts = self._texts(base, [path for path in change.before if belongs_to_tests(path) and is_source(path)])
        return {path: told for path, text in texts.items() if (told := followed(path, text, moved)) != text}

    async def _unreported(self, number: int, argv: tuple[str, ...], restored: str, question: Question) -> Answer:
        """A runner that does not tell of each test: all there is are the base's tests, and how their run ends."""
        if restored == question.tree:
            return Answer(notes=(f"{argv[0]} tells nothing of single tests",))
        tried = await self.trials.run(Trial(f"base-{number}-plain", restored, Goal("test", (argv,)), proves=True))
        if tried.result.verdict is Verdict.PASSED:
            return Answer(notes=(f"{argv[0]} tells nothing of single tests",))
        before = await self.trials.run(Trial(f"base-{number}-before", question.base, Goal("test", (argv,))))
        if before.result.verdict is not Verdict.PASSED:
            return Answer(notes=(f"{' '.join(argv)} does not pass on the base either",))
        told = f"`{' '.join(argv)}` with the base's tests: {tried.result.reason}"
        return Answer((found("base_test_failed", told, subject=" ".join(argv)),))

    def _texts(self, tree: str, paths: list[str]) -> dict[str, str]:
        return _decoded(self.trees.contents(tree, paths))

    async def _added(
        self,
        question: Question,
        change: ChangeSet,
        command: Reported,
        runner: Runner,
        listed: Awaitable[TestReport],
        label: str,
    ) -> list[Finding]:
        """Only of files that the change touches: a test that was there before is not an added one."""
        touched = tests_of(runner, (each.path for each in change if each.new is not None))
        tests = {path: change.by_path[path].new or "" for path in touched}
        if not tests:
            return []
        tests_of_change = sorted(each.path for each in change if belongs_to_tests(each.path))
        without = await asyncio.to_thread(self.trees.with_paths_of, question.base, question.tree, tests_of_change)
        product = await asyncio.to_thread(self._texts, question.tree, product_of(runner, change.after))
        asked = AddedTests(
            tree=question.tree,
            without=without,
            known={*(await listed).collected},
            tests=tests,
            product=product,
            changed=_changed_lines(change),
            command=command,
            runner=runner,
            trials=self.trials,
            label=label,
        )
        return await asked.findings()


@dataclass(frozen=True, slots=True)
class _Told:
    results: tuple[CheckResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()


def _joined(head: CheckResult, answers: list[Answer]) -> _Told:
    tripwires = sum(answer.tripwires for answer in answers)
    count = "1 tripwire failed as it must" if tripwires == 1 else f"{tripwires} tripwires failed as they must"
    told = (count,) if tripwires else ()
    return _Told(
        (head,),
        tuple(finding for answer in answers for finding in answer.findings),
        (*told, *(note for answer in answers for note in answer.notes)),
        tuple(reason for answer in answers for reason in answer.unmeasured),
    )


def _goal_findings(results: tuple[CheckResult, ...]) -> list[Finding]:
    findings: list[Finding] = []
    for result in results:
        if result.goal == "oracle":
            continue
        if result.verdict is Verdict.FAILED:
            findings.append(found("goal_failed", f"{result.goal}: {result.reason}", subject=result.goal))
        elif result.verdict is Verdict.NOT_MEASURED:
            findings.append(found("goal_not_measured", f"{result.goal}: {result.reason}", subject=result.goal))
    return findings


def _layers(oracle: bool, tests: _Told) -> tuple[Layer, ...]:
    without = {*(() if oracle else (Layer.ORACLE,)), *(() if tests.results else (Layer.RESULTS, Layer.VACUOUS))}
    return tuple(layer for layer in Layer if layer not in without)


def _changed_lines(change: ChangeSet) -> dict[str, set[int]]:
    """Lines of the new version, by path, as the diff tells them."""
    found: dict[str, set[int]] = {}
    for part in re.split(r"^(?=diff --git )", change.diff, flags=re.MULTILINE):
        path = re.search(r"^\+\+\+ b/(.*)$", part, re.MULTILINE)
        if path:
            spans = [(int(hunk[1]), int(hunk[2] or 1)) for hunk in _HUNK.finditer(part)]
            found[path[1]] = {line for first, count in spans for line in range(first, first + count)}
    return found


def _decoded(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {path: content.decode("utf-8", "replace") for path, content in contents.items()}
