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
MOST_TRIED = 160
LEAST_SECONDS = 10.0
MOST_SECONDS = 120.0
SHARE = 0.25
"""Of the time of the plain suite, for one round of mutants."""


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
        seconds: float = 0.0,
    ) -> TestReport:
        """`ids`: of tests that take part, none for all; `answers`: none given, those, or all where the list is empty;
        `spare`: ids of mutants that are for the tests to prove alone."""
        runner, command = self.runs.runner, self.runs.command
        words = runner.selected(sorted(ids)) if ids else ()
        order = {
            "mutants": [_told(mutant, spare=mutant.id in spare) for mutant in mutants],
            "answers": None if answers is None else [[*asked.case, asked.kind] for asked in answers],
            "prove": sorted(prove),
            "product": sorted(self.product),
            "literals": [*self.literals],
            "seconds": (seconds or self.budget) + self.seconds,
            "most": MOST_TRIED,
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
        strength = replace(strength, untried=_count(before, "untried"))
        if not noticed and not added:
            return strength
        spare = [mutant for mutant in self.mutants if mutant not in noticed.mutants] if added else []
        after = await self.meet(
            "after",
            head,
            {*now, *added},
            {},
            [*noticed.mutants, *spare],
            answers=[*noticed.answers] or None,
            prove=added,
            spare={mutant.id for mutant in spare},
            seconds=2 * self.budget,
        )
        missed = noticed.without(after)
        if missed:
            missed = await self._confirm(missed, restored, edits, head)
        return replace(
            strength,
            lost=missed.tell(self.product, _asked_anew(before, after)),
            proved=after.proved,
            idle=after.idle,
            untried=strength.untried + _count(after, "untried"),
        )

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
        """Those that were tried in this run, and that nobody refused. What no test calls any more, nobody refuses."""
        told = {(asked.case, asked.kind) for asked in report.answers if asked.met.state in _UNNOTICED}
        return _Noticed(
            {each: id for each, id in self.mutants.items() if _state(report, each) in _UNNOTICED},
            {each: id for each, id in self.answers.items() if (each.case, each.kind) in told},
        )

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


_UNNOTICED = ("survived", "unreached")


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
