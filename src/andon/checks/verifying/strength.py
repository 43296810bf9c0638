"""Has measured what tests are worth: which mutants of the product they refuse, as they were and as they are.

What the tests of the base refused, some test must still refuse. An added test must refuse something. The mutants are
few and bounded in time; what was not reached is told and never held against a change.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from andon.checks.mutants import Kind, Mutant, choose
from andon.checks.results.instruments import STRENGTH
from andon.checks.verifying.runs import GOOD, NOTHING, TestRuns
from andon.domain.goal import Goal
from andon.domain.testing import Asked, Met, TestReport
from andon.domain.trial import Trial

MOST_EDITED = 10
"""Mutants that are met one by one, each in a run of its own."""
MOST_OFFERED = 5000
"""Mutants that a run may choose from: it tries those only that some test reaches."""
MOST_TRIED = 60
MOST_NEAR, MOST_FAR = 240, 60
"""Wrong answers to what changed tests ask, and to what others do. By number, so that the answer is the same again."""
LEAST_SECONDS = 20.0
MOST_SECONDS = 240.0
SHARE = 0.5
"""Of the time of the plain suite: in more nothing is begun. It ends what would take too long, and is seldom reached."""


@dataclass(frozen=True, slots=True)
class Lost:
    """What a test of the base noticed, and no test notices any more."""

    by: str
    """The test that noticed it."""
    what: str
    """For people: `a - b` became `a + b` in `total` …"""
    replaced: bool = False
    """The new tests ask the same function other things instead."""


@dataclass(frozen=True, slots=True)
class Strength:
    lost: tuple[Lost, ...] = ()
    refused: int = 0
    """Mutants and wrong answers that the base's tests refused, and that were offered to the new ones."""
    files: frozenset[str] = frozenset()
    """Test files of the base that refused something."""
    proved: frozenset[str] = frozenset()
    """Added tests that refused something."""
    idle: frozenset[str] = frozenset()
    """Added tests that pass though what they call fails."""
    untried: int = 0
    unknown: bool = False
    """The tests could not be met with mutants."""


@dataclass(frozen=True, slots=True)
class Mutants:
    """Meets tests with mutants and wrong answers, many in one process (`results/pytest_mutants.py`)."""

    runs: TestRuns
    mutants: Sequence[Mutant]
    """Those that may be tried, in the order in which they are."""
    product: Mapping[str, str]
    seconds: float
    """Of the plain suite."""
    label: str
    seed: str
    literals: Sequence[str | int | float] = ()
    """That the new tests speak of, and the old ones did not: an answer may be loosened to take one of them too."""
    first: Collection[str] = ()
    """Ids of tests that were changed themselves."""

    @property
    def budget(self) -> float:
        return min(max(LEAST_SECONDS, SHARE * self.seconds), MOST_SECONDS)

    async def meet(
        self,
        name: str,
        tree: str,
        ids: Collection[str],
        edits: Mapping[str, bytes],
        mutants: Sequence[Mutant],
        *,
        answers: Sequence[Asked] | None = None,
        prove: Collection[str] = (),
        spare: Collection[str] = (),
        by: _Noticed | None = None,
        seconds: float = 0.0,
    ) -> TestReport:
        """`ids`: of tests that take part, none for all; `answers`: none given, those, or all where the list is empty;
        `spare`: ids of mutants that are for the tests to prove alone; `by`: which test meets which, where it is known.
        """
        runner, command = self.runs.runner, self.runs.command
        words = runner.selected(sorted(ids)) if ids else ()
        order = {
            "mutants": [_told(mutant, spare=mutant.id in spare) for mutant in mutants],
            "answers": None if answers is None else [[*asked.case, asked.kind] for asked in answers],
            "prove": sorted(prove),
            "product": sorted(self.product),
            "literals": [*self.literals],
            "by": by.who(mutants, answers or ()) if by else None,
            "seconds": (seconds or self.budget) + self.seconds,
            "most": MOST_TRIED,
            "first": sorted(self.first),
            "most_near": MOST_NEAR,
            "most_far": MOST_FAR,
            "seed": self.seed,
        }
        goal = Goal("strength", (runner.in_one_process(command, words),), stdin=json.dumps(order), like=STRENGTH)
        trial = Trial(f"strength-{self.runs.number}-{self.label}-{name}", tree, goal, edits)
        return (await self.runs.trials.run(trial)).report or NOTHING

    async def compare(
        self,
        restored: str,
        edits: Mapping[str, bytes],
        head: str,
        kept: Collection[str],
        now: Collection[str],
        added: Collection[str],
    ) -> Strength:
        """`kept`: the base's tests that must be matched; `now`: the new tree's that should; `added`: to be proved."""
        plain = [mutant for mutant in self.mutants if mutant.kind is not Kind.RAISING]
        before = await self.meet("before", restored, kept, edits, plain, answers=()) if kept else NOTHING
        noticed = _Noticed.of(before, plain, {*kept})
        strength = Strength(refused=len(noticed), files=frozenset(map(self.runs.runner.file, noticed.by)))
        strength = replace(strength, untried=_count(before, "untried"), unknown=bool(kept) and not before.finished)
        if not noticed and not added:
            return strength
        after, proof = await asyncio.gather(
            self._same(noticed, head, now), self._proof(noticed, head, added) if added else _nothing()
        )
        missed, seen = noticed.without(after), before
        if missed:
            answers = [*missed.answers] or None
            seen = await self.meet("after", head, now, {}, [*missed.mutants], answers=answers, seconds=2 * self.budget)
            missed = missed.without(seen)
        if missed:
            missed = await self._confirm(missed, restored, edits, head)
        return replace(
            strength,
            lost=missed.tell(self.product, _asked_anew(before, seen)),
            proved=proof.proved,
            idle=proof.idle,
            unknown=strength.unknown or (bool(added) and not proof.finished),
            untried=strength.untried + _count(after, "untried"),
        )

    async def _same(self, noticed: _Noticed, head: str, now: Collection[str]) -> TestReport:
        """Do the very tests that noticed something notice it as they are now? Nothing need be watched for that."""
        if not noticed:
            return NOTHING
        ids = noticed.by & {*now}
        answers = [*noticed.answers] or None
        return (
            await self.meet("same", head, ids, {}, [*noticed.mutants], answers=answers, by=noticed) if ids else NOTHING
        )

    async def _proof(self, noticed: _Noticed, head: str, added: Collection[str]) -> TestReport:
        every = {mutant.id for mutant in self.mutants}
        return await self.meet("proof", head, added, {}, self.mutants, prove=added, spare=every)

    async def _confirm(self, missed: _Noticed, restored: str, edits: Mapping[str, bytes], head: str) -> _Noticed:
        """What the very tests notice once more, and none of all the tests of the new tree does."""
        answers = [*missed.answers] or None
        again = await self.meet("confirmed", restored, missed.by, edits, [*missed.mutants], answers=answers)
        missed = missed.confirmed(again)
        if not missed:
            return missed
        answers, seconds = [*missed.answers] or None, max(2 * self.budget, 2 * self.seconds)
        others = await self.meet("others", head, (), {}, [*missed.mutants], answers=answers, seconds=seconds)
        return missed.without(others)


@dataclass(frozen=True, slots=True)
class _Noticed:
    """Mutants and wrong answers that tests refused, each with the test that did."""

    mutants: Mapping[Mutant, str]
    answers: Mapping[Asked, str]

    @classmethod
    def of(cls, report: TestReport, mutants: Sequence[Mutant], by: Collection[str]) -> _Noticed:
        met = {mutant: _by(report.mutants.get(mutant.id), by) for mutant in mutants}
        asked = {replace(asked, met=Met("")): _by(asked.met, by) for asked in report.answers}
        return cls({each: id for each, id in met.items() if id}, {each: id for each, id in asked.items() if id})

    def __len__(self) -> int:
        return len(self.mutants) + len(self.answers)

    @property
    def by(self) -> frozenset[str]:
        return frozenset({*self.mutants.values(), *self.answers.values()})

    def confirmed(self, report: TestReport) -> _Noticed:
        """Those that were refused in this run as well."""
        answers = {(asked.case, asked.kind) for asked in report.answers if asked.met.state == "refused"}
        return _Noticed(
            {each: id for each, id in self.mutants.items() if _state(report, each) == "refused"},
            {each: id for each, id in self.answers.items() if (each.case, each.kind) in answers},
        )

    def without(self, report: TestReport) -> _Noticed:
        """Those that nobody refused, save those for which there was no time."""
        told = {(asked.case, asked.kind): asked.met.state for asked in report.answers}
        return _Noticed(
            {each: id for each, id in self.mutants.items() if _state(report, each) not in _TOLD},
            {each: id for each, id in self.answers.items() if told.get((each.case, each.kind), "") not in _TOLD},
        )

    def who(self, mutants: Sequence[Mutant], answers: Sequence[Asked]) -> dict[str, object]:
        return {
            "mutants": {mutant.id: self.mutants[mutant] for mutant in mutants},
            "answers": [self.answers[asked] for asked in answers],
        }

    def tell(self, texts: Mapping[str, str], asked_anew: Mapping[tuple[str, int, str], int]) -> tuple[Lost, ...]:
        lost = Counter(asked.function for asked in self.answers)
        told = [Lost(id, f"{each.tell(texts[each.path])} in {each.path}") for each, id in self.mutants.items()]
        return (
            *told,
            *(
                Lost(id, f"{each.tell()} in {each.path}", asked_anew.get(each.function, 0) >= lost[each.function])
                for each, id in self.answers.items()
            ),
        )


_TOLD = ("refused", "untried", "unfit")


async def _nothing() -> TestReport:
    return NOTHING


def _asked_anew(before: TestReport, after: TestReport) -> Counter[tuple[str, int, str]]:
    """How many cases of each function the new tests ask that the old ones did not."""
    known = {asked.case for asked in before.seen}
    return Counter(asked.function for asked in after.seen if asked.case not in known)


def _by(met: Met | None, ids: Collection[str]) -> str:
    return next((id for id in met.by if id in ids), "") if met and met.state == "refused" else ""


def _state(report: TestReport, mutant: Mutant) -> str:
    met = report.mutants.get(mutant.id)
    return met.state if met else ""


@dataclass(frozen=True, slots=True)
class EditedMutants:
    """Meets tests with mutants one by one, each in a copy of the tree: for runners that cannot fork."""

    runs: TestRuns
    mutants: Sequence[Mutant]
    product: Mapping[str, str]
    label: str

    async def compare(
        self,
        restored: str,
        edits: Mapping[str, bytes],
        head: str,
        kept: Collection[str],
        now: Collection[str],
        added: Collection[str],
    ) -> Strength:
        """As `Mutants.compare`."""
        tried = self._chosen() if kept else []
        before = await asyncio.gather(*(self._refusing("before", restored, kept, edits, mutant) for mutant in tried))
        refused = {mutant.id: by for mutant, by in zip(tried, before, strict=True) if by}
        offered = [mutant for mutant in tried if mutant.id in refused]
        after = await asyncio.gather(*(self._refusing("after", head, now, {}, mutant) for mutant in offered))
        missed = [mutant for mutant, by in zip(offered, after, strict=True) if not by]
        passing = (await self._run("others", head, (), {})).passed if missed else ()
        others = await asyncio.gather(*(self._refusing("others", head, passing, {}, each, ()) for each in missed))
        again = await asyncio.gather(
            *(self._refusing("again", restored, refused[each.id], edits, each) for each in missed)
        )
        lost = [
            Lost(refused[mutant.id][0], f"{mutant.tell(self.product[mutant.path])} in {mutant.path}")
            for mutant, by, confirmed in zip(missed, others, again, strict=True)
            if confirmed and not by
        ]
        proved = await self._proved(head, added)
        return Strength(
            tuple(lost),
            len(refused),
            frozenset(self.runs.runner.file(id) for by in refused.values() for id in by),
            proved,
            frozenset(added) - proved if self.mutants else frozenset(),
        )

    def _chosen(self) -> list[Mutant]:
        return [mutant for mutant in self.mutants if mutant.kind is not Kind.RAISING][:MOST_EDITED]

    async def _proved(self, head: str, added: Collection[str]) -> frozenset[str]:
        """Those that fail when all functions do nothing, or all fail: two runs, whatever the number of tests."""
        proved: set[str] = set()
        for kind in (Kind.HOLLOW, Kind.RAISING):
            if open_ones := {*added} - proved:
                report = await self._run(f"proof-{kind}", head, open_ones, self._all_of(kind))
                proved |= {id for id in open_ones if report.outcomes.get(id) not in GOOD}
        return frozenset(proved)

    def _all_of(self, kind: Kind) -> dict[str, bytes]:
        texts = dict(self.product)
        for mutant in sorted(self.mutants, key=lambda each: each.start, reverse=True):
            if mutant.kind is kind:
                texts[mutant.path] = mutant.mutate(texts[mutant.path])
        return {path: text.encode() for path, text in texts.items() if text != self.product[path]}

    async def _refusing(
        self,
        name: str,
        tree: str,
        ids: Collection[str],
        edits: Mapping[str, bytes],
        mutant: Mutant,
        only: Collection[str] | None = None,
    ) -> list[str]:
        """Which of these tests do not pass with the mutant. `only`: run those and no others; () means all."""
        if not ids:
            return []
        text = mutant.mutate(self.product[mutant.path]).encode()
        label = f"{name}-{self.mutants.index(mutant)}"
        report = await self._run(label, tree, ids if only is None else only, {**edits, mutant.path: text})
        return [id for id in ids if report.outcomes.get(id) not in GOOD]

    async def _run(self, name: str, tree: str, ids: Collection[str], edits: Mapping[str, bytes]) -> TestReport:
        runner, command = self.runs.runner, self.runs.command
        words = runner.selected(sorted(ids))
        argv = runner.only(command, words) if words else command.argv
        trial = Trial(f"strength-{self.runs.number}-{self.label}-{name}", tree, Goal("test", (argv,)), edits)
        return (await self.runs.trials.run(trial)).report or NOTHING


def order_mutants(made: Mapping[str, Sequence[Mutant]], first: Collection[str], seed: str) -> list[Mutant]:
    """Those of the files named first, then the others; in each the hollow bodies before the small mistakes."""
    wanted = [mutant for path in first for mutant in made.get(path, ())]
    others = [mutant for path, mutants in made.items() if path not in first for mutant in mutants]
    return [*choose(wanted, MOST_OFFERED, seed), *choose(others, MOST_OFFERED, seed)][:MOST_OFFERED]


def _told(mutant: Mutant, *, spare: bool) -> Mapping[str, object]:
    return {"id": mutant.id, "name": mutant.function, "spare": spare} | {
        key: value for key, value in asdict(mutant).items() if key in ("kind", "path", "line", "start", "end", "new")
    }


def _count(report: TestReport, state: str) -> int:
    met = [*report.mutants.values(), *(asked.met for asked in report.answers)]
    return sum(each.state == state for each in met)
