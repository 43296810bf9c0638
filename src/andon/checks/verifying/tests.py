"""Judges a change by its tests: has the four results of each measured, and what the touched ones are worth.

One plain run of the new tree, one of the base (kept from one verification to the next), the touched files of each on
the product of the other, the mutants of what they reach, and a few tripwires in a process of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from andon.checks.error_lines import MISSING_MODULE, error_line
from andon.checks.mutants import Mutant
from andon.checks.tamper.test_paths import belongs_to_tests
from andon.checks.verifying.comparison import Four, Results, Sorted, Standing, file_of, sort_tests
from andon.checks.verifying.material import Material, Texts, stem
from andon.checks.verifying.runners import Runner
from andon.checks.verifying.runs import NOTHING, TestRuns
from andon.checks.verifying.sorting import some
from andon.checks.verifying.strength import EditedMutants, Lost, Mutants, Strength
from andon.checks.verifying.tripwires import Sprung, Tripwires
from andon.checks.verifying.unsteady import Steadiness, Unsteady
from andon.domain.counting import counted
from andon.domain.testing import Outcome, TestReport
from andon.domain.trial import Tried
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.domain.verification import found

MOST_UNLOADED = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """Of one test command."""

    result: CheckResult | None = None
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()
    tripwires: int = 0
    """Tests that were made to fail and did."""
    measured: frozenset[str] = frozenset()
    """Paths that belong to the tests, of which it was measured that the change took nothing from them."""
    explained: frozenset[str] = frozenset()
    """Those with a measured finding, of which syntax has nothing more to say."""
    told: bool = False
    """The results of single tests were told."""


@dataclass
class ChangedTests:
    """The question: does the change keep what the tests refused?"""

    material: Material
    runs: TestRuns
    findings: list[Finding] = field(default_factory=list[Finding])
    notes: list[str] = field(default_factory=list[str])

    @property
    def _runner(self) -> Runner:
        return self.runs.runner

    async def answer(self) -> Answer:
        given = self.material
        before, now = await asyncio.gather(
            self.runs.whole("base", given.base, keep=given.base != given.tree, proves=given.base == given.tree),
            self.runs.whole("head", given.tree, proves=True),
        )
        if forged := _forged(before, now):
            return self._answer(now.result, found("results_forged", forged, subject="channel"))
        base, head = before.report or NOTHING, now.report or NOTHING
        if not base.collected and head.collected:
            why = error_line("\n".join(base.problems)) or before.result.reason or "the runner told of none"
            self.notes.append(f"no test of the base could be run: {why}")
        if why := self._never_began(now, head):
            return replace(self._answer(now.result), unmeasured=(f"the tests could not be run on the new code: {why}",))
        restored = await self._restored(head, base)
        four = Four(Results(base), Results(restored), Results(head), self.material.touches)
        told = sort_tests(four)
        self._match_unsteady_names(told, four)
        without = Results(await self._without(head, base) if told.changed or told.removed else NOTHING)
        if forged := restored.forged or without.report.forged:
            return self._answer(now.result, found("results_forged", forged, subject="channel"))
        steady, strength, sprung = await asyncio.gather(
            Unsteady(self.runs, given.base, given.tree).look(told.fails),
            self._strength(told, four, without, before.result.seconds),
            self._spring(four),
        )
        self._tell_failures(told, steady)
        self._tell_changes(told, four, without, strength[1])
        self._tell_strength(strength, four)
        await self._tell_vacuous(told, strength[0], head, base)
        if sprung.forged:
            self.findings.append(found("results_forged", sprung.forged, subject="channel"))
        self._each("tripwire_passed", "passed although it was made to fail", sprung.silent)
        result = self._result(now, base, {*steady.harmless})
        answer = self._answer(result)
        return replace(
            answer,
            tripwires=sprung.failed,
            measured=self._measured(strength, told),
            explained=frozenset(each.path for each in answer.findings),
        )

    # --- runs -------------------------------------------------------------------------------------------------

    async def _restored(self, head: TestReport, base: TestReport) -> TestReport:
        """The base's tests on the new product."""
        given = self.material
        if given.restored == given.tree and not given.followed:
            return head
        if given.restored == given.base and not given.followed:
            return base
        edits = {path: text.encode() for path, text in given.followed.items()}
        if self.material.support_changed:
            return (await self.runs.whole("restored", given.restored, edits)).report or NOTHING
        files = [path for path in given.before if self.material.touches(path)]
        return await self.runs.of_files("restored", given.restored, files, edits)

    async def _without(self, head: TestReport, base: TestReport) -> TestReport:
        """The new tests on the base's product."""
        given = self.material
        if given.without == given.tree:
            return head
        if given.without == given.base:
            return base
        if given.after:
            return await self.runs.of_files("without", given.without, given.after)
        return (await self.runs.whole("without", given.without)).report or NOTHING

    async def _strength(self, told: Sorted, four: Four, without: Results, seconds: float) -> tuple[Strength, Strength]:
        """On the new product, for what passes there; on the base's, for what no longer does."""
        given = self.material
        on_new = on_base = Strength()
        if told.kept or told.added:
            edits = {path: text.encode() for path, text in given.followed.items()}
            touched = [id for id in four.head.report.passed if self.material.touches(file_of(id))]
            mutants = await asyncio.to_thread(self.material.mutants, given.product)
            meeting = self._meeting("new", mutants, given.product, seconds, told.kept)
            on_new = await meeting.compare(given.restored, edits, given.tree, told.kept, touched, told.added)
        gone = [*_lenient(told, without), *told.removed]
        if gone and not self._told_apart(four, without):
            passing = [id for id in without.report.passed if self.material.touches(file_of(id))]
            left = _names(await asyncio.to_thread(self.material.mutants, given.product))
            mutants = await asyncio.to_thread(self.material.mutants, given.product_before)
            mutants = [mutant for mutant in mutants if mutant.function.rpartition(".")[2] in left]
            meeting = self._meeting("old", mutants, given.product_before, seconds, gone)
            on_base = await meeting.compare(given.base, {}, given.without, gone, passing, ())
        return on_new, on_base

    def _meeting(
        self, label: str, mutants: list[Mutant], product: Texts, seconds: float, ids: Collection[str]
    ) -> Mutants | EditedMutants:
        if self._runner.in_one_process(self.runs.command, ()):
            first = [id for id in ids if self.material.rewrites(id)]
            return Mutants(
                self.runs, mutants, product, seconds, label, self.material.seed, self.material.new_literals, first
            )
        near = [mutant for mutant in mutants if self.material.concerns(mutant)]
        return EditedMutants(self.runs, near, product, label)

    async def _spring(self, four: Four) -> Sprung:
        given = self.material
        names = frozenset(stem(each.path) for each in given.change if not belongs_to_tests(each.path))
        used = self._runner.names_used
        first = [path for path, text in given.before.items() if self.material.touches(path) or names & used(text)]
        passing = [id for id in four.base.report.passed if self._as_it_was(id, four) is Standing.GOOD]
        wires = Tripwires(self.runs, given.before, first, given.seed)
        return await wires.spring(given.restored, given.base, passing, given.followed)

    def _as_it_was(self, id: str, four: Four) -> Standing:
        """A test of the base on the new product."""
        return (four.restored if self.material.touches(file_of(id)) else four.head).of(id)

    # --- what is told -----------------------------------------------------------------------------------------

    def _tell_failures(self, told: Sorted, steady: Steadiness) -> None:
        self._each("base_test_failed", "passes on the base and fails on the new code", steady.failing)
        now_and_then = "always passes on the base, and fails now and then on the new code"
        self._each("runs_disagree", now_and_then, steady.sometimes)
        self.notes.extend(steady.notes)
        self._each("base_test_missing", "was run on the base, nobody touched its file, and it is not run", told.lost)
        self._each("base_test_skipped", "was run on the base, and is skipped", told.skips)
        if told.red:
            self.notes.append(f"{len(told.red)} tests fail as they fail on the base: {some(told.red)}")

    def _tell_changes(self, told: Sorted, four: Four, without: Results, strength: Strength) -> None:
        """`strength`: what the tests that no longer pass on the new code are worth on the base's."""
        red = "failed on the base, and as it was it still fails on the new code: the test was changed, not the code"
        gone, changed = self._split(told.rewritten, four)
        self._each("red_test_rewritten", red, changed)
        self._each("test_deleted", "failed on the base, would still fail on the new code, and is gone", gone)
        lenient, lost = _lenient(told, without), {each.by for each in strength.lost}
        own = [id for id in told.changed if id not in lenient and self._is_changed(id)]
        self._each("test_changed", "fails on the new code as it was, and passes as it is now", own)
        told_apart = self._told_apart(four, without)
        left = [id for id in (*lenient, *told.removed) if id not in lost]
        asked = [id for id in left if told_apart or self._speaks_of_what_is_gone(id)]
        gone, changed = self._split(asked, four)
        self._each(
            "test_changed", "fails on the new code as it was, and as it is now passes on the old code too", changed
        )
        self._each("test_deleted", "fails on the new code, and is gone", gone, asks=True)
        gone, changed = self._split([id for id in left if id not in asked], four)
        nobody = "and now no test tells the new code from the old one"
        self._each("test_weakened", f"fails on the new code as it was, {nobody}", changed)
        self._each("test_deleted", f"fails on the new code, and is gone, {nobody}", gone)

    def _is_changed(self, id: str) -> bool:
        """Where only what stands around a test was changed, that is what is told."""
        return file_of(id) in self.material.change.by_path

    def _told_apart(self, four: Four, without: Results) -> bool:
        """Whether some touched test passes on the new code and fails on the base's."""
        passing = (id for id in four.head.report.passed if self.material.touches(file_of(id)))
        return any(without.of(id) is Standing.RED for id in passing)

    def _speaks_of_what_is_gone(self, id: str) -> bool:
        text = self.material.before.get(file_of(id), "")
        return bool(self._runner.names_of_test(text, id) & self.material.gone_names)

    async def _tell_vacuous(self, told: Sorted, strength: Strength, head: TestReport, base: TestReport) -> None:
        """Added tests must refuse something: a mutant, or else the base."""
        open_ones = [id for id in told.added if id not in strength.proved and self._is_doubtful(id, strength)]
        without = await self._without(head, base) if open_ones else NOTHING
        # Where the base lacks what a file imports, none of its tests has looked at anything.
        vacuous = [id for id in open_ones if without.outcomes.get(id) is not Outcome.FAILED]
        self._each("test_vacuous", "passes whatever the code does", vacuous)

    def _is_doubtful(self, id: str, strength: Strength) -> bool:
        text = self.material.after.get(file_of(id), "")
        return id in strength.idle or not self._runner.speaks_of_product(text, id)

    def _split(self, ids: Iterable[str], four: Four) -> tuple[list[str], list[str]]:
        gone = [id for id in ids if four.head.of(id) is Standing.GONE]
        return gone, [id for id in ids if four.head.of(id) is not Standing.GONE]

    def _tell_strength(self, strength: tuple[Strength, Strength], four: Four) -> None:
        """One finding for each file: what was noticed first, and of how many tests that is so."""
        for part in strength:
            lost: dict[tuple[str, str, bool], list[Lost]] = {}
            for each in part.lost:
                rule = "test_deleted" if four.head.of(each.by) is Standing.GONE else "test_weakened"
                lost.setdefault((rule, file_of(each.by), each.replaced), []).append(each)
            for (rule, path, replaced), of_file in lost.items():
                first, tests = of_file[0], {each.by for each in of_file}
                more = f" (one of {len(of_file)} mistakes that {counted(len(tests), 'test')} noticed)"
                instead = "; the new tests ask other things instead" if replaced else ""
                told = (
                    f"{first.by} noticed when {first.what}; no test does now{more if len(of_file) > 1 else ''}{instead}"
                )
                self.findings.append(replace(found(rule, told, path, subject=first.by), asks=replaced))
            if part.refused and not part.lost:
                self.notes.append(
                    f"all {part.refused} mistakes that the base's tests notice are noticed by the new ones"
                )
            if part.unknown:
                told = "what the changed tests refuse could not be measured"
                self.findings.append(found("strength_unknown", told, subject="strength"))
            if part.untried:
                self.notes.append(f"the time was not enough to try {part.untried} further mistakes")

    def _each(self, rule: str, what: str, ids: Collection[str], *, asks: bool = False) -> None:
        for id in ids:
            finding = found(rule, f"{id} {what}", file_of(id), subject=id)
            self.findings.append(replace(finding, asks=asks or finding.asks))

    def _measured(self, strength: tuple[Strength, Strength], told: Sorted) -> frozenset[str]:
        """Touched files of tests whose worth was measured, and, where all of it was, what stands around them."""
        lost = {file_of(each.by) for part in strength for each in part.lost}
        files = strength[0].files - lost
        if not files or lost or not all(map(self._is_changed, told.changed)):
            return files
        return files | {each.path for each in self.material.change if belongs_to_tests(each.path)}

    def _result(self, now: Tried, base: TestReport, harmless: Collection[str]) -> CheckResult:
        """How the goal stands: what fails on the base too, or now and then everywhere, is not held against it."""
        result, head = now.result, now.report
        if result.verdict is not Verdict.FAILED or head is None or result.environment_error:
            return result
        lacking = [(path, why) for path, why in _unloaded(head).items() if self._is_foreign(why)]
        broken = [(path, why) for path, why in _unloaded(head).items() if path not in _unloaded(base)]
        for cause, verdict in ((lacking, Verdict.NOT_MEASURED), (broken, result.verdict)):
            if cause:
                told = "; ".join(f"{path} cannot be loaded: {why}" for path, why in cause[:MOST_UNLOADED])
                return replace(result, verdict=verdict, reason=told)
        if not head.finished or head.unfinished:
            return result
        known = {*base.failed, *harmless}
        fresh = [id for id in head.failed if id not in known]
        if fresh:
            return replace(result, reason=f"{some(fresh)} {'fails' if len(fresh) == 1 else 'fail'}")
        if not head.passed:
            return result
        count = len(head.failed) + len(_unloaded(head))
        told = "the only test that fails fails" if count == 1 else f"all {count} that fail do so"
        return replace(result, verdict=Verdict.PASSED, reason=f"nothing new: {told} on the base too", signatures=())

    def _is_foreign(self, why: str) -> bool:
        """Whether a module is missing that is not the project's own."""
        missing = MISSING_MODULE.match(why)
        paths = (*self.material.change.before, *self.material.change.after)
        own = {part.partition(".")[0] for path in paths for part in path.split("/")}
        return missing is not None and missing["name"] not in own

    def _answer(self, result: CheckResult, *findings: Finding) -> Answer:
        return Answer(result, (*self.findings, *findings), tuple(self.notes), told=True)

    def _match_unsteady_names(self, told: Sorted, four: Four) -> None:
        """Tests whose names differ from run to run (a time, an address in them) are matched by their function."""
        fresh: dict[str, int] = {}
        known = {*four.base.report.collected}
        for id in four.head.report.passed:
            if id not in known:
                name = id.partition("[")[0]
                fresh[name] = fresh.get(name, 0) + 1
        left: list[str] = []
        for id in told.lost:
            name = id.partition("[")[0]
            if name != id and fresh.get(name, 0) > 0:
                fresh[name] -= 1
            else:
                left.append(id)
        told.lost = left

    def _never_began(self, now: Tried, head: TestReport) -> str:
        """Why no test was run for a reason that is the environment's; "" where one was run or the code is to blame."""
        if head.outcomes or head.forged:
            return ""
        if now.report is None:
            return now.result.reason
        told = error_line("\n".join(head.problems)) or error_line(now.output)
        return told if self._is_foreign(told) else ""


def _forged(*tried: Tried) -> str:
    return next((each.report.forged for each in tried if each.report and each.report.forged), "")


def _unloaded(report: TestReport) -> dict[str, str]:
    """Files that could not be loaded, with the error itself."""
    problems = (problem.partition(": ") for problem in report.problems)
    return {file_of(id): error_line(text) for id, _, text in problems}


def _lenient(told: Sorted, without: Results) -> list[str]:
    """As it was it fails on the new code; as it is now it passes on both, so that nobody notices the difference."""
    return [id for id in told.changed if without.of(id) is Standing.GOOD]


def _names(mutants: Iterable[Mutant]) -> frozenset[str]:
    return frozenset(mutant.function.rpartition(".")[2] for mutant in mutants)
