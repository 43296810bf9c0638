"""The phase controller at the end of a turn."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

SPRINT, GATE, FIX, FINALIZE = "phase2-sprint", "phase3-gate", "phase4-fix", "phase5-finalize"


def gates(one: bool | None, two: bool | None, three: bool | None, **more: Any) -> dict[str, Any]:
    return {"gate_results": {"gate1_passed": one, "gate2_passed": two, "gate3_passed": three, **more}}


def test_C_78_a_plan_is_not_left_by_the_hook(project: Any) -> None:
    project.stands("phase1-plan", (" ", " "))

    assert project.stop().passed
    assert project.phase == "phase1-plan"


def test_C_79_open_todos_keep_the_turn_going(project: Any) -> None:
    said = project.stands(SPRINT, (" ", " ")).stop()

    assert "2 TODOs" in said.blocked
    assert project.phase == SPRINT


@pytest.mark.parametrize("boxes", [("x", "x"), ("x", "FAILED")], ids=["C-38 all done", "X-30 failed is not open"])
def test_no_open_todo_leads_to_the_gates(project: Any, boxes: tuple[str, str]) -> None:
    said = project.stands(SPRINT, boxes, **gates(True, True, True)).stop()

    assert "Phase 3" in said.blocked
    assert project.phase == GATE
    assert set(project.state()["gate_results"].values()) == {None}, "C-50: evaluated anew"


AT_THE_GATES = {
    "C-80 all that is needed": (gates(True, True, None), ("x", "x"), FINALIZE),
    "C-80 one failed": (gates(True, False, None), ("x", "x"), FIX),
    "C-80 still evaluating": (gates(True, None, None), ("x", "x"), GATE),
    "X-32 not performed": (gates(True, None, None, gate2_status="SKIPPED"), ("x", "x"), FINALIZE),
    "X-30 a TODO has failed": (gates(True, True, None), ("x", "FAILED"), FIX),
    "G-13 small has one gate": ({**gates(True, None, None), "pipeline": "small"}, ("x", "x"), FINALIZE),
}


@pytest.mark.parametrize(("state", "boxes", "after"), AT_THE_GATES.values(), ids=AT_THE_GATES)
def test_the_gates_decide(project: Any, state: dict[str, Any], boxes: tuple[str, str], after: str) -> None:
    said = project.stands(GATE, boxes, **state).stop()

    assert said.blocked
    assert project.phase == after


@pytest.mark.parametrize(("count", "after"), [(9, FIX), (10, FINALIZE)], ids=["C-81 nine", "C-81 ten"])
def test_fix_loops_end(project: Any, count: int, after: str) -> None:
    said = project.stands(FIX, ("x", "x"), fix_loop_count=count).stop()

    assert said.blocked
    assert project.phase == after


def test_C_82_completed_lets_the_turn_end(project: Any) -> None:
    assert project.stands("completed", ("x", "x")).stop().passed


def test_C_03_the_plan_knows_better_than_the_counters(project: Any) -> None:
    wrong = {"total_todos": 9, "completed_todos": 9, "in_progress_todos": 5, "failed_todos": 3}

    project.stands(SPRINT, ("x", " "), sprint_status=wrong).stop()

    counted = {"total_todos": 2, "completed_todos": 1, "in_progress_todos": 1, "failed_todos": 0}
    assert project.state()["sprint_status"] == counted


def test_X_29_a_plan_at_the_root_counts_only_without_the_other(project: Any) -> None:
    project.stands(SPRINT, ("x", "x"))
    (project.folder / "PLAN.md").write_text("# PLAN: x\n### [ ] TODO 1: a\n")
    assert project.stop() and project.phase == GATE

    (project.folder / ".uam/PLAN.md").unlink()
    assert "1 TODO of" in project.stands(SPRINT).stop().blocked


def test_reminders_that_change_nothing_end_before_the_program_gives_up(project: Any) -> None:
    """Claude Code ends a session after eight blocks in a row, and its last word is lost then."""
    project.stands(SPRINT, (" ", " "))

    said = [project.stop(stop_hook_active=number > 0) for number in range(9)]

    assert [bool(each.blocked) for each in said] == [True] * 7 + [False] * 2
    assert "rests" in said[-1].answer["systemMessage"]
    assert project.phase == SPRINT


def test_progress_between_reminders_begins_the_count_anew(project: Any) -> None:
    project.stands(SPRINT, (" ", " "))
    for number in range(7):
        project.stop(stop_hook_active=number > 0)
    plan = project.folder / ".uam/PLAN.md"
    plan.write_text(plan.read_text().replace("[ ]", "[x]", 1))

    assert project.stop(stop_hook_active=True).blocked


LET_GO = {
    "agents still work": ({"background_tasks": [{"id": "b1"}]}, {}),
    "another session": ({"session_id": "s2"}, {"session_id": "s1"}),
    "a person is asked": ({}, {"waiting_for": "May I?"}),
    "andon drives": ({}, {"driver": "andon"}),
}


@pytest.mark.parametrize(("event", "state"), LET_GO.values(), ids=LET_GO)
def test_turns_that_are_let_go(project: Any, event: dict[str, Any], state: dict[str, Any]) -> None:
    before = project.stands(SPRINT, (" ", " "), **state).files()

    assert project.stop(**event).passed
    assert project.files() == before


def test_C_66_the_answer_of_a_person_ends_the_waiting(project: Any) -> None:
    project.stands(FINALIZE, ("x", "x"), waiting_for="Is it beautiful?")
    project.prompt("<task-notification> something ended </task-notification>")
    assert project.state()["waiting_for"]

    project.prompt("It is.")

    assert not project.state()["waiting_for"]
    assert project.stop().blocked


def test_stops_at_the_same_time_change_the_phase_once(project: Any) -> None:
    project.stands(SPRINT, ("x", "x"))

    with ThreadPoolExecutor(6) as pool:
        said = list(pool.map(lambda _: project.stop(), range(6)))

    assert all(each.code == 0 for each in said)
    assert project.phase == GATE
