"""Which failed tests are the change's own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from andon.checks.failing_before import tests_compared as compared
from andon.domain.testing import Outcome, TestReport
from andon.domain.trial import Tried
from andon.domain.verdict import CheckResult, Verdict

BASE = {"a": Outcome.PASSED, "b": Outcome.FAILED, "c": Outcome.PASSED}


def tried(outcomes: dict[str, Outcome], *, code: int = 1) -> Tried:
    result = CheckResult("test", Verdict.FAILED, "pytest: exit code 1", exits=(code,), signatures=("test:b",))
    return Tried(result, TestReport("pytest", outcomes, (*outcomes,), finished=True, status=code))


def test_a_test_that_failed_before_is_not_held_against_the_change() -> None:
    told = compared(tried(BASE), tried({**BASE, "new": Outcome.PASSED}))

    assert told.verdict is Verdict.PASSED and told.reason.startswith("nothing new")
    assert told.signatures == ()


@pytest.mark.parametrize("id", ["a", "new"])
def test_another_one_is(id: str) -> None:
    told = compared(tried(BASE), tried({**BASE, id: Outcome.FAILED}))

    assert told.verdict is Verdict.FAILED
    assert told.reason == f"{id} fails; 1 more fails on the base too"


def test_where_nothing_passes_nothing_is_proven() -> None:
    assert compared(tried(BASE), tried({"b": Outcome.FAILED})).verdict is Verdict.FAILED


def test_another_way_to_end_is_something_new() -> None:
    assert compared(tried(BASE), tried(BASE, code=2)).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    "doubt",
    [
        {"finished": False},
        {"forged": "line 3"},
        {"problems": ("tests/test_x.py: cannot be imported",)},
        {"collected": ("a", "b", "c", "never-run")},
    ],
    ids=lambda doubt: next(iter(doubt)),
)
@pytest.mark.parametrize("side", ["before", "now"])
def test_what_is_not_told_whole_excuses_nothing(doubt: dict[str, object], side: str) -> None:
    sides = {"before": tried(BASE), "now": tried(BASE)}
    doubted = sides[side]
    assert doubted.report is not None
    sides[side] = replace(doubted, report=replace(doubted.report, **doubt))

    assert compared(**sides).verdict is Verdict.FAILED


def test_without_a_reporter_nothing_is_compared() -> None:
    assert compared(replace(tried(BASE), report=None), tried(BASE)).verdict is Verdict.FAILED
