"""A-66, A-123 to A-128, X-03, G-07, E-18: Phase 5 decides and always ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.act import (
    CheckOutcome,
    Counters,
    Move,
    Reason,
    improvement_guard,
    judge,
    next_step,
    reentry_guard,
)
from andon.domain.auto.mode import Mode
from andon.domain.language import Language
from andon.domain.limits import AutoLimits

LIMITS = AutoLimits()


@pytest.mark.parametrize(
    ("mode", "outcome", "move", "reason"),
    [
        (Mode.STANDARD, CheckOutcome(True, 85), Move.ITERATE, Reason.GAP),
        (Mode.STANDARD, CheckOutcome(True, 89.9), Move.ITERATE, Reason.GAP),
        (Mode.STANDARD, CheckOutcome(True, 90), Move.REPORT, Reason.GOAL_MET),
        (Mode.STANDARD, CheckOutcome(True, 92), Move.REPORT, Reason.GOAL_MET),
        (Mode.HEAVY, CheckOutcome(False, 95), Move.FIX, Reason.REJECTED),
        (Mode.HEAVY, CheckOutcome(False, 10), Move.FIX, Reason.REJECTED),
        (Mode.HEAVY, CheckOutcome(True, 95, 1), Move.FIX, Reason.CRITICAL_FINDINGS),
        (Mode.HEAVY, CheckOutcome(True, None), Move.ITERATE, Reason.GAP),
        (Mode.HEAVY, CheckOutcome(True, float("nan")), Move.ITERATE, Reason.GAP),
        (Mode.LIGHT, CheckOutcome(True, None), Move.REPORT, Reason.GOAL_MET),
        (Mode.LIGHT, CheckOutcome(False, None), Move.FIX, Reason.REJECTED),
    ],
)
def test_A_123_G_07_decision_table(mode: Mode, outcome: CheckOutcome, move: Move, reason: Reason) -> None:
    step = judge(mode, outcome, LIMITS)

    assert (step.move, step.reason) == (move, reason)


def test_A_127_checks_that_never_pass_run_phase_4_three_times() -> None:
    counters, phase_4_runs = Counters(), 1
    while (step := next_step(Mode.STANDARD, CheckOutcome(False, 95), counters, LIMITS)).move is not Move.STOP:
        counters = counters.improved().reentered()
        phase_4_runs += 1

    assert (phase_4_runs, step.reason) == (3, Reason.REENTRIES)
    assert step.message(Language.KO) == "[Phase 5] Phase 4 재진입 3회 초과. 미해결 이슈 보고 후 종료."
    assert step.message(Language.EN).startswith("[Phase 5] ")


def test_A_127_the_guard_counts_the_return_first() -> None:
    assert reentry_guard(Counters(reentries=2), LIMITS) is None
    assert reentry_guard(Counters(reentries=3), LIMITS) is not None


def test_A_128_three_repetitions_then_two_end_the_run() -> None:
    first = Counters().improved(3)
    second = first.reentered().improved(2)

    assert improvement_guard(first, LIMITS) is None
    step = improvement_guard(second, LIMITS)
    assert step is not None and step.reason is Reason.IMPROVEMENTS
    assert step.message(Language.KO) == "[Phase 5] 누적 5회 개선 시도 초과. 최종 결과 보고."


@pytest.mark.parametrize(("rejections", "limit"), [(0, 5), (1, 5), (2, 7), (5, 7)])
def test_A_66_X_03_two_rejections_raise_both_limits(rejections: int, limit: int) -> None:
    counters = Counters()
    for _ in range(rejections):
        counters = counters.rejected()

    assert counters.improvement_limit(LIMITS) == counters.iterator_limit(LIMITS) == limit


def test_X_03_an_iterator_gets_what_the_run_has_left() -> None:
    assert Counters(improvements=3).iterator_limit(LIMITS) == 2
    assert Counters(improvements=3, rejections=2).iterator_limit(LIMITS) == 4


def test_A_128_an_iterator_that_reports_nothing_used_its_turn() -> None:
    assert Counters().improved(0).improvements == 1


def test_A_123_a_met_goal_is_reported_even_at_the_limit() -> None:
    step = next_step(Mode.HEAVY, CheckOutcome(True, 99), Counters(9, 9, 9), LIMITS)

    assert step.move is Move.REPORT and step.message(Language.KO) == ""


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 89), st.integers(0, 9)), min_size=12, max_size=12))
def test_E_18_the_loop_ends_with_a_reason_whatever_is_found(rounds: list[tuple[bool, float, int]]) -> None:
    counters = Counters()
    for turn, (approved, gap, repetitions) in enumerate(rounds):
        if not approved:
            counters = counters.rejected()
        step = next_step(Mode.HEAVY, CheckOutcome(approved, gap), counters, LIMITS)
        if step.move is Move.STOP:
            assert step.reason in (Reason.REENTRIES, Reason.IMPROVEMENTS) and step.limit > 0
            break
        counters = counters.improved(repetitions).reentered()
        assert turn < 3
    else:
        raise AssertionError("it did not end")
