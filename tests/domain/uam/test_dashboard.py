"""What a person is shown of a pipeline, and what it leaves for the next."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.uam import gates, knowledge, pivots, state
from andon.domain.uam.dashboard import dashboard

PLAN = """# PLAN: login

## TODOs

### [x] TODO 1: the model
- Acceptance Criteria:
  - [A] `pytest a` passes
### [x] TODO 2: the route
- Acceptance Criteria:
  - [A] `pytest b` passes
### [x] TODO 3: the session
- Acceptance Criteria:
  - [A] `pytest c` passes
### [ ] TODO 4: the page
- Acceptance Criteria:
  - [A] `pytest d` passes
### [ ] TODO 5: the logout
- Acceptance Criteria:
  - [A] `pytest e` passes
"""


def sprint(**more: Any) -> dict[str, Any]:
    return state.fresh("uam-20260228-login", "2026-02-28T10:00:00Z") | {"current_phase": state.SPRINT} | more


def test_C_12_phase_todos_gates_and_convergence_are_shown() -> None:
    told = sprint(
        plan_approved=True,
        plan_approved_at="2026-02-28T10:02:30Z",
        sprint_status={"total_todos": 9, "completed_todos": 0, "in_progress_todos": 1, "failed_todos": 4},
        gate_results={"gate1_passed": True, "gate2_passed": False, "gate3_passed": None},
        fix_loop_count=2,
        convergence={"pass_rate_history": [0.7, 0.8]},
        cost={"total_tokens": 45000, "max_total_tokens": 500000, "estimated_usd": 0.45},
    )
    before = copy.deepcopy(told)

    shown = dashboard(told, "", PLAN)

    assert shown[:3] == [
        "Pipeline     uam-20260228-login",
        "Phase        phase2-sprint (2 of 5: MVP Sprint), plan approved 2026-02-28T10:02:30Z",
        "TODOs        3/5 done, 1 in progress, 0 failed",
    ]
    assert "             [ ] TODO 5: the logout" in shown
    assert shown[-4:] == [
        "Gates        1 passed, 2 FAILED, 3 not required",
        "Fix loops    2 of 10",
        "Pass rates   70% → 80% (improving)",
        "Tokens       45,000 of 500,000, about $0.45",
    ]
    assert told == before


def test_C_17_a_small_pipeline_has_three_phases_and_one_gate() -> None:
    shown = "\n".join(dashboard(sprint(current_phase=state.GATE, pipeline="small"), "", PLAN))

    assert "(3 of 3: Quality Gate)" in shown
    assert "1 not evaluated, 2 not required, 3 not required" in shown


def test_C_12_gates_that_were_not_performed_are_not_passed() -> None:
    told = sprint(gate_results={"gate1_passed": None, "gate2_passed": None, "gate2_status": "SKIPPED"})

    shown = "\n".join(dashboard(told, "", PLAN.replace("[A] `pytest e`", "[S] a login")))

    assert "Gates        1 not evaluated, 2 not performed (SKIPPED), 3 not evaluated" in shown


@pytest.mark.parametrize(
    ("told", "problem", "shown"),
    [
        ({}, "", "No pipeline is active here."),
        ({}, "not JSON", "state.json is not believed: not JSON"),
        (state.cancelled(sprint()), "", "cancelled in phase2-sprint; resume goes on there"),
        (sprint(current_phase=state.COMPLETED), "", "completed"),
        (sprint(current_phase=state.COMPLETED, partial="fix_limit"), "", "completed in part: fix_limit"),
        (sprint(current_phase=state.COMPLETED, partial=True), "", "completed in part"),
        (sprint(gate_results={"gate1_passed": ["yes"]}), "", "1 not evaluated"),
        ({"current_phase": state.PLAN, "cost": 3, "convergence": [], "gate_results": None}, "", "without a name"),
    ],
)
def test_C_12_whatever_the_state_is_something_is_shown(told: dict[str, Any], problem: str, shown: str) -> None:
    assert shown in "\n".join(dashboard(told, problem, None))


def test_C_89_lines_of_the_plan_that_cannot_be_read_are_shown() -> None:
    shown = dashboard(sprint(), "", PLAN.replace("### [ ] TODO 5", "### [X] TODO 5"))

    assert any(line.startswith("PLAN.md") and "line 17" in line and "[X] TODO 5" in line for line in shown)


@pytest.mark.parametrize(("counts", "verdict"), [((0, 2), "SHIP"), ((1, 0), "NEEDS_FIXES"), ((0, 3), "NEEDS_FIXES")])
def test_C_46_counts_decide_a_review(counts: tuple[int, int], verdict: str) -> None:
    assert gates.verdict_of(*counts) == verdict


@pytest.mark.parametrize(
    ("statuses", "passed", "status"),
    [
        (["SHIP", "SKIPPED"], True, "SHIP"),
        (["SHIP", "NEEDS_FIXES"], False, "NEEDS_FIXES"),
        (["SKIPPED", "SKIPPED"], None, "SKIPPED"),
        (["SKIPPED", "DEGRADED"], None, "DEGRADED"),
        ([], None, "SKIPPED"),
    ],
)
def test_C_47_who_did_not_judge_has_not_approved(statuses: list[str], passed: bool | None, status: str) -> None:
    assert gates.review_verdict(statuses) == (passed, status)


@pytest.mark.parametrize(("runs", "passed"), [("11110", True), ("11100", False), ("111", True), ("11", False)])
def test_C_49_four_of_five_runs_are_enough_and_two_are_no_proof(runs: str, passed: bool) -> None:
    assert gates.scenario_passed([run == "1" for run in runs]) is passed


ENTRIES = some.lists(some.text(some.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30), max_size=5)


@given(some.lists(some.fixed_dictionaries(dict.fromkeys(knowledge.KEPT, ENTRIES)), max_size=3))
def test_C_16_what_was_learnt_is_kept_once_however_often_it_is_added(records: list[Any]) -> None:
    found = knowledge.collected([*records, "nonsense", {"learnings": [1]}])

    once = knowledge.added("", "Patterns", found["learnings"])
    assert knowledge.added(once, "Patterns", found["learnings"]) == once
    assert once.startswith("# Patterns\n") and once.count("\n- ") == len(found["learnings"])
    memory = knowledge.remembered("", "login", found)
    assert knowledge.remembered(memory, "login", found) == memory


def test_C_62_a_persons_words_in_the_memory_stay() -> None:
    kept = knowledge.remembered("# Mine\n\n- never touch x\n", "login", {"learnings": ["a"], "issues": ["b"]})

    assert kept == "# Mine\n\n- never touch x\n- a (login)\n"


def test_C_68_metrics_tell_pass_rates_loops_and_tokens() -> None:
    told = knowledge.metrics("login", [0.5, 1.0], 2, 45000, {"gate1_passed": True, "gate3_passed": None})

    assert "- Pass rates: 50%, 100%\n- Fix loops: 2\n- Tokens: 45000\n" in told
    assert "- gate1: passed\n- gate3: not evaluated\n" in told


def test_C_19_C_39_a_number_that_no_program_reads_hides_nothing_beside_it() -> None:
    long = "9" * 5000
    points = pivots.read(f"- [CONFIRMED] PP-{long}: Never\n- [CONFIRMED] PP-2: No new dependency\n")
    records = [{"todo_id": f"TODO-{long}", "learnings": ["a"]}, {"todo_id": "TODO-1", "learnings": ["b"]}]

    assert [point.id for point in points] == ["PP-2"]
    assert knowledge.collected(records)["learnings"] == ["a", "b"]
