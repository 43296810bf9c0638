"""Verifies a change: looks at it with every layer, has measured what must be measured, and says what stands against it.

Decides nothing by what code under test prints or by what anybody claims. Where something cannot be measured it says so.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from andon.checks.comparing import compared
from andon.checks.failing_before import tests_compared
from andon.checks.results.commands import MANIFEST, Reported, reported
from andon.checks.tamper.golden import golden_findings
from andon.checks.tamper.secrets import given_findings
from andon.checks.tamper.test_paths import belongs_to_tests
from andon.checks.verifying.following import followed
from andon.checks.verifying.layers import ground_of, static_findings
from andon.checks.verifying.material import Material
from andon.checks.verifying.oracle import Case, ask_oracle
from andon.checks.verifying.runners import RUNNERS, Runner, product_of, tests_of
from andon.checks.verifying.runs import TestRuns
from andon.checks.verifying.sorting import sorted_out
from andon.checks.verifying.tests import Answer, ChangedTests
from andon.domain.auto.diffs import is_source
from andon.domain.changeset import ChangeSet
from andon.domain.goal import Goal
from andon.domain.trial import Trial
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.domain.verification import RULES, Layer, Question, Verification, found, sorted_findings
from andon.ports import Trees, Trials

COMPARED = ("lint", "typecheck", "test")
"""What of these the base has too is not held against the change."""


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
        looked = [each for finding in looked if (each := _in_the_light_of(finding, tests, change))]
        findings = [*looked, *_without_twins(tests.findings, looked), *oracle.findings, *_goal_findings(results)]
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
        manifest = await asyncio.to_thread(self._texts, question.base, [MANIFEST])
        commands = [(argv, reported(argv, manifest.get(MANIFEST))) for argv in goal.commands]
        untold = tuple(argv for argv, command in commands if command is None)
        asked = [
            self._command(question, change, restored, number, command)
            for number, (_, command) in enumerate(commands, start=1)
            if command is not None
        ]
        asked += [self._unreported(number, argv, restored, question) for number, argv in enumerate(untold, start=1)]
        if untold:
            asked.append(self._plain(question, change, replace(goal, commands=untold)))
        return _joined(await asyncio.gather(*asked))

    async def _plain(self, question: Question, change: ChangeSet, goal: Goal) -> Answer:
        return Answer(await self._goal(question, change, goal))

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
        self, question: Question, change: ChangeSet, restored: str, number: int, command: Reported
    ) -> Answer:
        runner = RUNNERS[command.runner]
        material = await asyncio.to_thread(self._material, question, change, restored, runner)
        seed = f"{question.seed} {number}"
        return await ChangedTests(replace(material, seed=seed), TestRuns(command, runner, self.trials, number)).answer()

    def _material(self, question: Question, change: ChangeSet, restored: str, runner: Runner) -> Material:
        tests = sorted(each.path for each in change if belongs_to_tests(each.path))
        touched = tests_of(runner, (each.path for each in change if each.new is not None))
        return Material(
            runner=runner,
            base=question.base,
            tree=question.tree,
            restored=restored,
            without=self.trees.with_paths_of(question.base, question.tree, tests) if tests else question.base,
            change=change,
            before=self._texts(question.base, tests_of(runner, change.before)),
            after={path: change.by_path[path].new or "" for path in touched},
            product_before=self._texts(question.base, product_of(runner, change.before)),
            product=self._texts(question.tree, product_of(runner, change.after)),
            followed=self._followed(question.base, change) | dict.fromkeys(runner.blanks(change), ""),
            seed=question.seed,
        )

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
        return Answer(findings=(found("base_test_failed", told, subject=" ".join(argv)),))

    def _texts(self, tree: str, paths: list[str]) -> dict[str, str]:
        return _decoded(self.trees.contents(tree, paths))


@dataclass(frozen=True, slots=True)
class _Told:
    results: tuple[CheckResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()
    measured: frozenset[str] = frozenset()
    explained: frozenset[str] = frozenset()
    told_of_each: bool = False
    """Some runner told of each test, so what became of them was measured."""


def _joined(answers: list[Answer]) -> _Told:
    tripwires = sum(answer.tripwires for answer in answers)
    count = "1 tripwire failed as it must" if tripwires == 1 else f"{tripwires} tripwires failed as they must"
    told = (count,) if tripwires else ()
    results = [answer.result for answer in answers if answer.result]
    return _Told(
        (_worst(results),) if results else (),
        tuple(finding for answer in answers for finding in answer.findings),
        (*told, *(note for answer in answers for note in answer.notes)),
        tuple(reason for answer in answers for reason in answer.unmeasured),
        frozenset(path for answer in answers for path in answer.measured),
        frozenset(path for answer in answers for path in answer.explained),
        any(answer.told for answer in answers),
    )


def _worst(results: list[CheckResult]) -> CheckResult:
    """Several commands of one goal are one result: that of the first which does not hold."""
    order = (Verdict.FAILED, Verdict.NOT_MEASURED, Verdict.PASSED, Verdict.NOT_NEEDED)
    worst = min(results, key=lambda each: order.index(each.verdict))
    if len(results) == 1:
        return worst
    counted = Counter[str]()
    for each in results:
        counted.update(each.tests)
    return replace(worst, tests=dict(counted), failing=tuple(id for each in results for id in each.failing))


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


MEASURABLE = frozenset({"test_support_changed", "runner_settings"})
_HOOK = re.compile(
    r"^def (pytest_(?:sessionfinish|runtest_\w+|collection_modifyitems|ignore_collect|report_teststatus|pyfunc_call"
    r"|runtestloop|cmdline_main|unconfigure|pycollect_makeitem|generate_tests|exception_interact))\b",
    re.MULTILINE,
)
"""What decides which tests are run and what is told of them."""


def _in_the_light_of(finding: Finding, tests: _Told, change: ChangeSet) -> Finding | None:
    """What syntax suspects of tests, after they were measured: nothing where it was refuted, else a question."""
    rule = RULES[finding.rule]
    if not tests.told_of_each or (rule.layer is not Layer.TESTS and finding.rule not in MEASURABLE):
        return finding
    if finding.path in tests.explained:
        harmed = any(each.path == finding.path and not each.asks for each in tests.findings)
        return finding if harmed or finding.rule in _MARKS else None
    if finding.path in tests.measured and not _steers(finding, change):
        return None
    return replace(finding, asks=True)


_MARKS = frozenset({"test_skipped", "test_expected_to_fail", "test_focused"})
"""What is read off a line of code with certainty."""


def _without_twins(measured: tuple[Finding, ...], looked: list[Finding]) -> list[Finding]:
    """A test that is skipped is told once: by the line that says so, where that was found."""
    marked = {finding.path for finding in looked if finding.rule in _MARKS}
    return [each for each in measured if each.rule != "base_test_skipped" or each.path not in marked]


def _steers(finding: Finding, change: ChangeSet) -> bool:
    """Whether a file newly decides what is run: of that the tests that were run say nothing."""
    changed = change.by_path.get(finding.path)
    if changed is None or finding.rule not in MEASURABLE:
        return False
    if finding.rule == "runner_settings":
        return True
    return bool({*_HOOK.findall(changed.new or "")} - {*_HOOK.findall(changed.old or "")})


def _layers(oracle: bool, tests: _Told) -> tuple[Layer, ...]:
    without = {*(() if oracle else (Layer.ORACLE,)), *(() if tests.results else (Layer.RESULTS, Layer.VACUOUS))}
    return tuple(layer for layer in Layer if layer not in without)


def _decoded(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {path: content.decode("utf-8", "replace") for path, content in contents.items()}
