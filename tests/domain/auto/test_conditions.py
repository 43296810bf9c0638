"""A-76 to A-82, A-86, A-87: the five conditions as andon measures them, and its own word on them."""

from __future__ import annotations

import pytest

from andon.domain.auto.conditions import (
    Unmet,
    asks_to_mend,
    completed_message,
    failed_message,
    feedback,
    unmet_conditions,
)
from andon.domain.auto.discovery import Choice, Tier, lint_task, tasks
from andon.domain.auto.messages import Completed, Failed, read_implementation
from andon.domain.goal import Goal
from andon.domain.language import Language
from andon.domain.verdict import CheckResult, Verdict

TESTED = Goal("test", (("pytest",),))
UNTESTED = Goal("test", settled=Verdict.NOT_NEEDED, reason="no tests found", fix="write tests first")


def result(goal: str, verdict: Verdict, reason: str = "", *signatures: str, output: str = "") -> CheckResult:
    return CheckResult(goal, verdict, reason, (goal, "it"), "4b825dc", output=output, signatures=signatures)


PASSED = tuple(result(goal, Verdict.PASSED) for goal in ("build", "test", "lint", "typecheck"))


def found(
    *results: CheckResult, wanted: tuple[str, ...] = (), changed: tuple[str, ...] = ("z.py",), goal: Goal = TESTED
) -> list[tuple[int, str]]:
    return [(each.condition, each.text) for each in unmet_conditions(wanted, changed, [goal], results or PASSED)]


def test_A_76_everything_measured_and_every_file_touched_leaves_nothing() -> None:
    assert found(wanted=("a.py", "src/api/"), changed=("a.py", "src/api/routes.py", "b.py")) == []


def test_A_76_two_of_three_items_name_the_third() -> None:
    [(condition, text)] = found(wanted=("a.py", "b.py", "c.py"), changed=("a.py", "c.py"))

    assert condition == 1 and text.startswith("b.py ")


def test_A_76_a_folder_is_touched_by_a_file_below_it_and_not_by_a_neighbour() -> None:
    assert [each[0] for each in found(wanted=("src/api",), changed=("src/apis/x.py",))] == [1]
    assert found(wanted=("src/api",), changed=("src/api/x.py",)) == []


def test_A_76_where_nothing_was_changed_that_is_what_is_wrong() -> None:
    [(condition, text)] = found(wanted=("a.py",), changed=("docs/01-plan/x.plan.md",))

    assert condition == 1 and text.startswith("nothing was changed")


def test_A_78_no_tests_is_not_passed_but_a_request_to_write_them() -> None:
    assert found(goal=UNTESTED) == [(3, "no tests found; write tests first")]


def test_A_78_a_project_without_code_needs_none() -> None:
    assert found(goal=Goal("test", settled=Verdict.NOT_NEEDED, reason="no code")) == []


@pytest.mark.parametrize(
    ("goal", "verdict", "condition"),
    [
        ("build", Verdict.FAILED, 2),
        ("test", Verdict.FAILED, 3),
        ("lint", Verdict.FAILED, 4),
        ("typecheck", Verdict.FAILED, 4),
        ("test", Verdict.NOT_MEASURED, 3),
        ("build", Verdict.NOT_MEASURED, 2),
    ],
)
def test_A_77_A_78_A_79_what_fails_or_was_not_measured_fails_its_condition(
    goal: str, verdict: Verdict, condition: int
) -> None:
    assert found(result(goal, verdict, "why")) == [(condition, f"{goal} {str(verdict).replace('_', ' ')}: why")]


@pytest.mark.parametrize("goal", ["build", "typecheck"])
def test_A_77_A_79_what_does_not_apply_is_met(goal: str) -> None:
    assert found(result(goal, Verdict.NOT_NEEDED, "there is none")) == []


def test_A_101_other_goals_are_phase_4s() -> None:
    assert found(result("custom", Verdict.FAILED, "not printed")) == []


def findings(*results: CheckResult) -> list[tuple[str, str]]:
    unmet = unmet_conditions(("a.py",), (), [TESTED], results)
    return [(each.kind, each.id) for one in unmet for each in one.findings]


def test_A_89_what_a_person_may_accept_keeps_its_name_whatever_was_printed() -> None:
    first = findings(result("test", Verdict.FAILED, "exit 1", "test:a FAILED", output="in 0.1 s"))
    second = findings(result("test", Verdict.FAILED, "exit 1", "test:a FAILED", output="in 0.2 s"))

    assert first == second and [kind for kind, _ in first] == ["scope", "check"]
    assert findings(result("test", Verdict.FAILED, "exit 1", "test:b FAILED"))[1] != first[1]


def test_A_89_each_failure_of_a_check_is_accepted_by_itself() -> None:
    both = findings(result("test", Verdict.FAILED, "exit 1", "test:a FAILED", "test:b FAILED"))

    assert len(both) == 3 and findings(result("test", Verdict.FAILED, "exit 1", "test:a FAILED"))[1] in both


def test_the_next_iteration_is_told_each_point_and_what_the_failed_checks_printed() -> None:
    told = feedback(
        [Unmet(3, "test failed"), Unmet(0, "test deletion: tests/a.py")],
        [
            result("test", Verdict.FAILED, output="x" * 9000 + "assert 1 == 2"),
            result("lint", Verdict.PASSED, output="fine"),
        ],
        3000,
    )

    assert told.startswith("- condition 3 (tests): test failed\n- test deletion: tests/a.py\n")
    assert "assert 1 == 2" in told and "fine" not in told and len(told) < 4000
    assert told.endswith("(Only the last 3000 characters of it: `limits.prompt_output_characters`.)")


def test_A_82_A_86_the_completion_carries_what_andon_measured_and_the_agents_review() -> None:
    results = (
        result("test", Verdict.PASSED, output="collected\n=== 12 passed in 0.3s ===\n"),
        result("lint", Verdict.PASSED, output="All checks passed!"),
        result("typecheck", Verdict.NOT_NEEDED, "mypy is not configured"),
    )

    message = read_implementation(completed_message(3, ["a.py"], results, " fits "))

    assert message == Completed(
        3,
        ("a.py",),
        "test: passed (test it) 12 passed in 0.3s",
        "nothing to measure",
        "lint: passed (lint it) All checks passed!; typecheck: not needed (mypy is not configured)",
        "fits",
    )


def test_A_87_A_85_the_failure_lists_what_andon_saw_and_keeps_the_agents_advice() -> None:
    unmet = [Unmet(2, "build failed"), Unmet(0, "a.py:3: bare except")]

    message = read_implementation(failed_message(10, unmet, Failed(4, ("nothing",), "a retry", "redesign it")))

    assert message == Failed(
        10,
        ("condition 2 (build): build failed", "a.py:3: bare except"),
        "a retry",
        "redesign it",
        ("a.py:3: bare except",),
    )


@pytest.mark.parametrize(
    ("task", "about"),
    [
        ("Repair what the linter complains about: lint:src/a.py F401", True),
        ("Find why this fails: typecheck:src/a.py", True),
        ("mypy 오류를 없앤다", True),
        ("린트 오류를 고칩니다", True),
        ("Fix all type errors", True),
        ("Add a --json option to the list command", False),
        ("Show the client's splinter groups by type", False),
        ("fix: resolve the mypy errors in the parser", True),
        ("Clean up what eslint says of src/", True),
        ("The type-check fails on main, repair it", True),
        ("Make mypy pass", True),
        ("go vet 경고를 정리해 주세요", True),
        ("타입 오류를 수정", True),
        ("Raise TypeError when the name is empty", False),
        ("Fix the TypeError in the parser", False),
        ("Type checks for the form input", False),
        ("입력 타입 검사를 추가", False),
        ("Add a login page. Make sure that lint and tests pass", False),
        ("Fix the login page. Then run ruff", False),
        (tasks(Choice(Tier.WORK, (), ("a.py:3: add type checks",)), Language.EN)[0], False),
        (tasks(Choice(Tier.WORK, (), ("a.py:3: fix the type errors",)), Language.EN)[0], True),
        (tasks(Choice(Tier.WORK, (), ("#3 mypy finds 12 errors",)), Language.EN)[0], True),
        (tasks(Choice(Tier.URGENT, (), ("lint:src/a.py F401 `os`",)), Language.EN)[0], True),
        (tasks(Choice(Tier.URGENT, (), ("typecheck:src/a.py No",)), Language.KO)[0], True),
        (tasks(Choice(Tier.AUTONOMOUS, (), ("pyproject.toml: no rules for a linter (ruff)",)), Language.KO)[0], True),
        (tasks(Choice(Tier.AUTONOMOUS, (), ("pyproject.toml: no type checker",)), Language.EN)[0], True),
        (tasks(Choice(Tier.AUTONOMOUS, (), ("src/lint.py:1: 600 lines; split the file",)), Language.EN)[0], False),
        (lint_task(("lint:src/a.py F401 `os`",), Language.EN), True),
        (lint_task(("no output",), Language.EN), True),
        (lint_task(("no output",), Language.KO), True),
    ],
)
def test_A_79_what_the_base_fails_with_counts_when_mending_it_is_the_task(task: str, about: bool) -> None:
    assert asks_to_mend(task) is about
