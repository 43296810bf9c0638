"""A-99, A-104 to A-110, X-02, X-07, X-18, G-46: the QA cycle's history and exits."""

from __future__ import annotations

import pytest

from andon.domain.auto.messages import GoalResult, GoalStatus, QaReport
from andon.domain.auto.mode import Mode
from andon.domain.auto.qa import (
    CycleDecision,
    Exit,
    Failure,
    decide,
    max_cycles,
    record,
    signature,
    summary,
)
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.domain.verdict import Verdict

LIMITS = AutoLimits()


def failing(*signatures: str, output: str = "boom") -> QaReport:
    goals = tuple(GoalResult(each.partition(":")[0], GoalStatus.FAIL, output, each) for each in signatures)
    return QaReport(goals, claimed_passed=False)


PASSING = QaReport((GoalResult("lint", GoalStatus.PASS),), claimed_passed=True)


def play(
    mode: Mode, reports: list[QaReport], *, eco: bool = False, environment: str = ""
) -> tuple[int, Mode, CycleDecision]:
    history: tuple[Failure, ...] = ()
    decision, cycle = CycleDecision(), 0
    for cycle, report in enumerate(reports, start=1):
        history = record(history, cycle, report)
        decision = decide(mode, cycle, report, history, LIMITS, eco=eco, environment=environment)
        if decision.promotion:
            mode = decision.promotion.after
        if decision.exit:
            break
    return cycle, mode, decision


@pytest.mark.parametrize(
    ("mode", "eco", "cycles"),
    [
        (Mode.LIGHT, False, 1),
        (Mode.STANDARD, False, 3),
        (Mode.HEAVY, False, 5),
        (Mode.LIGHT, True, 1),
        (Mode.STANDARD, True, 2),
        (Mode.HEAVY, True, 3),
    ],
)
def test_A_99_G_01_cycles_per_mode(mode: Mode, eco: bool, cycles: int) -> None:
    assert max_cycles(mode, LIMITS, eco=eco) == cycles


def test_A_104_one_entry_per_failed_goal() -> None:
    report = QaReport(
        (
            GoalResult("lint", GoalStatus.FAIL, "E501", "lint:a E501"),
            GoalResult("test", GoalStatus.NOT_MEASURED, "no runner"),
            GoalResult("build", GoalStatus.PASS),
            GoalResult("custom", GoalStatus.SKIP),
        ),
        claimed_passed=False,
    )

    history = record((), 1, report)

    assert history == (Failure(1, "lint", "E501", "lint:a E501"), Failure(1, "test", "no runner", "test:no runner"))
    assert summary(history) == "cycle 1: lint:a E501\ncycle 1: test:no runner"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/a.py::t FAILED [ 50%]\n1 failed in 0.12s", "tests/a.py::t FAILED [100%]\n1 failed in 3.40s"),
        ("✕ renders (12 ms)", "✕ renders (7 ms)"),
        ("Error: object at 0x7f01 is gone", "Error: object at 0xabcd is gone"),
        ("\x1b[31mFAILED\x1b[0m tests/a.py::t", "FAILED tests/a.py::t"),
    ],
)
def test_A_105_signatures_ignore_clocks_and_addresses(one: str, other: str) -> None:
    assert signature("test", one) == signature("test", other)
    assert signature("test", one).startswith("test:")


def test_A_105_different_failures_differ() -> None:
    assert signature("test", "FAILED a::b") != signature("test", "FAILED a::c")
    assert signature("lint", "coordinator.py:142 E501 line too long") == "lint:coordinator.py:142 E501 line too long"
    assert signature("build", "") == "build:no output"


def test_A_106_environment_ends_at_once() -> None:
    cycle, _, decision = play(Mode.STANDARD, [failing("lint:x")] * 3, environment="ruff: command not found")

    assert (cycle, decision.exit) == (1, Exit.ENVIRONMENT)
    assert decision.message(Language.KO) == "[Phase 4] 환경 오류 감지: ruff: command not found. 환경 설정 필요."


def test_A_106_X_18_what_a_test_printed_is_no_environment_error() -> None:
    report = failing("test:x", output="captured: foo: command not found")

    assert decide(Mode.HEAVY, 1, report, record((), 1, report), LIMITS).exit is None


def test_A_107_the_same_failure_three_times() -> None:
    cycle, _, decision = play(Mode.HEAVY, [failing("test:a FAILED")] * 5)

    assert (cycle, decision.exit) == (3, Exit.SAME_FAILURE)
    assert decision.message(Language.KO) == "[Phase 4] 동일 실패 3회: test:a FAILED. Root cause 보고."


def test_X_07_accumulated_not_in_a_row() -> None:
    reports = [failing("test:a"), failing("test:b"), failing("test:a"), failing("test:c"), failing("test:a")]

    cycle, _, decision = play(Mode.HEAVY, reports)

    assert (cycle, decision.exit, decision.detail) == (5, Exit.SAME_FAILURE, "test:a")


def test_A_108_max_cycles_lists_what_is_open() -> None:
    cycle, _, decision = play(Mode.HEAVY, [failing(f"test:{i}", f"lint:{i}") for i in range(9)])

    assert (cycle, decision.exit) == (5, Exit.MAX_CYCLES)
    assert decision.message(Language.KO) == "[Phase 4] QA 5회 도달. 미해결: test:4, lint:4"


def test_A_64_X_02_standard_is_promoted_once_and_goes_on_to_five() -> None:
    reports = [failing(f"test:{i}") for i in range(9)]

    third = play(Mode.STANDARD, reports[:3])
    assert third[2].promotion is not None and third[2].exit is None
    assert play(Mode.STANDARD, reports)[:2] == (5, Mode.HEAVY)
    assert play(Mode.STANDARD, reports, eco=True)[:2] == (3, Mode.HEAVY)


def test_A_98_light_runs_once() -> None:
    assert play(Mode.LIGHT, [failing("test:a")] * 3)[::2] == (1, CycleDecision(Exit.MAX_CYCLES, None, "test:a", 1))


def test_A_109_goal_met_even_in_the_last_cycle() -> None:
    cycle, mode, decision = play(Mode.STANDARD, [failing("a:1"), failing("a:2"), PASSING])

    assert (cycle, mode, decision.exit) == (3, Mode.STANDARD, Exit.GOAL_MET)
    assert decision.message(Language.KO) == ""


def test_A_110_environment_before_same_failure_before_max_cycles() -> None:
    history = tuple(Failure(i, "lint", "", "lint:x") for i in (1, 2))
    plain = failing("lint:x")
    history_now = record(history, 5, plain)

    assert decide(Mode.HEAVY, 5, plain, history_now, LIMITS, environment="no ruff").exit is Exit.ENVIRONMENT
    assert decide(Mode.HEAVY, 5, plain, history_now, LIMITS).exit is Exit.SAME_FAILURE
    assert decide(Mode.HEAVY, 5, plain, (), LIMITS).exit is Exit.MAX_CYCLES


def test_E_21_goals_that_could_not_be_measured_block() -> None:
    report = QaReport((GoalResult("test", GoalStatus.NOT_MEASURED, "x"),), claimed_passed=True)

    assert decide(Mode.HEAVY, 1, report, record((), 1, report), LIMITS).exit is None


# --- a later entry into Phase 4 -----------------------------------------------------------------------------------


def after(before: int, cycle: int, *history: Failure) -> CycleDecision:
    report = failing(f"test:{cycle}")
    return decide(Mode.HEAVY, cycle, report, record(history, cycle, report), LIMITS, before=before)


def test_A_99_A_108_numbers_go_on_but_every_entry_has_its_own_cycles() -> None:
    assert after(4, 6).exit is None
    decision = after(4, 9)
    assert (decision.exit, decision.count) == (Exit.MAX_CYCLES, 5)


def test_X_02_cycles_of_earlier_entries_promote_nobody() -> None:
    report = failing("test:a")

    first = decide(Mode.STANDARD, 4, report, record((), 4, report), LIMITS, before=3)
    third = decide(Mode.STANDARD, 6, report, record((), 6, report), LIMITS, before=3)

    assert first == CycleDecision()
    assert third.promotion is not None and third.promotion.count == 3


def test_X_07_the_same_failure_counts_over_all_entries() -> None:
    earlier = (Failure(1, "test", "", "test:9"), Failure(3, "test", "", "test:9"))

    decision = after(3, 9, *earlier)

    assert (decision.exit, decision.count) == (Exit.SAME_FAILURE, 3)


def test_A_102_what_a_person_accepted_blocks_nothing_and_is_no_failure() -> None:
    goals = (GoalResult("lint", GoalStatus.PASS), GoalResult("test", GoalStatus.ACCEPTED, "1 failed", "test:a FAILED"))
    report = QaReport(goals, claimed_passed=True)

    assert report.failures == () and record((), 1, report) == ()
    assert decide(Mode.STANDARD, 1, report, (), LIMITS).exit is Exit.GOAL_MET


def test_A_102_nothing_but_accepted_failures_is_not_passed() -> None:
    report = QaReport((GoalResult("test", GoalStatus.ACCEPTED, "", "test:a"),), claimed_passed=True)

    assert report.verdict is Verdict.NOT_NEEDED
