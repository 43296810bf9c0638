"""The command of the plugin: what it shows, what it refuses, and what it measures instead of believing."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

PLAN_PHASE, SPRINT, GATE, FIX, FINALIZE = "phase1-plan", "phase2-sprint", "phase3-gate", "phase4-fix", "phase5-finalize"


def written(project: Any, path: str, text: str = "x\n") -> None:
    (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
    (project.folder / path).write_text(text)


def plan(project: Any) -> str:
    return (project.folder / ".uam/PLAN.md").read_text()


def edited(project: Any, old: str, new: str) -> None:
    assert old in plan(project)
    (project.folder / ".uam/PLAN.md").write_text(plan(project).replace(old, new))


def test_C_12_status_shows_everything_and_changes_nothing(project: Any) -> None:
    project.stands(SPRINT, ("x", " "), convergence={"pass_rate_history": [0.5, 0.7]})
    before = project.files()

    shown = project.uam("status").stdout

    for part in ("phase2-sprint", "1/2 done", "1 not evaluated", "50% → 70%"):
        assert part in shown
    assert project.files() == before


def test_status_reads_a_run_of_andons_own_pipeline(project: Any) -> None:
    shown = project.stands(GATE, ("x", "x"), driver="andon").uam("status").stdout

    assert "2/2 done" in shown and "andon drives this run" in shown
    assert project.uam("gate", "1").returncode == 2


def test_C_13_and_C_14_a_cancelled_pipeline_goes_on_where_it_was(project: Any) -> None:
    project.stands(SPRINT, ("x", " ")).uam("cancel")
    assert (project.phase, project.state()["cancelled_from"]) == ("cancelled", SPRINT)

    project.uam("resume")

    assert project.phase == SPRINT
    assert "### [x] TODO 1" in plan(project)


@pytest.mark.parametrize(
    ("phase", "word"), [("cancelled", "resume"), (SPRINT, "resume"), (SPRINT, "start")], ids=lambda each: each
)
def test_C_14_a_pipeline_that_andon_drives_is_andons_to_go_on_with(project: Any, phase: str, word: str) -> None:
    # Given a run of andon's, under way or cancelled with `andon uam cancel`
    project.stands(phase, ("x", " "), driver="andon", cancelled_from=SPRINT)
    before = project.files()

    told = project.uam(word)

    # Then the plugin says who goes on with it, and has touched nothing
    assert told.returncode == 2 and "`andon uam resume`" in told.stderr
    assert project.files() == before


def test_C_13_force_forgets_the_state_and_nothing_else(project: Any) -> None:
    project.stands(SPRINT, ("x", " ")).uam("cancel", "--force")

    assert project.state() == {}
    assert "### [x] TODO 1" in plan(project)


def test_C_87_a_state_made_by_hand_is_enough_to_begin(project: Any) -> None:
    written(project, ".uam/state.json", "{}")

    assert project.uam("start", "--pipeline", "small", "a", "button").returncode == 0
    assert (project.phase, project.state()["max_fix_loops"]) == (PLAN_PHASE, 3)


def test_C_03_without_a_plan_there_is_no_sprint(project: Any) -> None:
    told = project.stands(PLAN_PHASE).uam("phase", SPRINT)

    assert told.returncode == 2
    assert "there is no TODO" in told.stdout
    assert project.phase == PLAN_PHASE


def test_C_26_approval_is_noted_with_its_time_and_its_commands(project: Any) -> None:
    project.stands(PLAN_PHASE, (" ", " ")).uam("approve")

    state = project.state()
    assert state["current_phase"] == SPRINT
    assert state["plan_approved"] is True and state["plan_approved_at"].endswith("Z")
    assert state["commands"] == ["test -s src/a.py", "test -s src/b.py"]


def test_C_89_lines_that_look_like_todos_and_are_none_are_named(project: Any) -> None:
    project.stands(SPRINT, (" ", " "))
    edited(project, "### [ ] TODO 1:", "### [X] TODO 1:")

    told = project.uam("plan")

    assert told.returncode == 1
    assert "line 12" in told.stdout and "[X] TODO 1:" in told.stdout


def test_C_30_ready_names_who_does_what_and_what_can_never_be_done(project: Any) -> None:
    assert "TODO 1: first → uam:uam-worker" in project.stands(SPRINT, (" ", " ")).uam("ready").stdout
    assert "TODO 2" in project.stands(SPRINT, ("x", " ")).uam("ready").stdout
    assert "uam fail 2" in project.stands(SPRINT, ("FAILED", " ")).uam("ready").stdout


def test_C_04_and_C_35_a_box_is_checked_by_exit_codes_not_by_claims(project: Any) -> None:
    project.stands(SPRINT, (" ", " "))
    claim = {"todo_id": "TODO-1", "status": "PASS", "outputs": {"files_changed": ["src/a.py"], "summary": ""}}
    written(project, ".uam/context/outputs.json", json.dumps([claim]))

    refused = project.uam("done", "1")
    assert (refused.returncode, "FAIL exit 1" in refused.stdout) == (1, True)
    assert "### [ ] TODO 1" in plan(project)

    written(project, "src/a.py")
    assert project.uam("done", "1").returncode == 0
    assert "### [x] TODO 1" in plan(project)
    assert project.state()["sprint_status"]["completed_todos"] == 1


def test_C_29_and_C_36_what_is_not_committed_is_not_done(project: Any) -> None:
    project.stands(SPRINT, (" ", " "))
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"]
    subprocess.run([*git, "init", "-q"], cwd=project.folder, check=True)
    written(project, "src/a.py")
    claim = {"todo_id": "TODO-1", "outputs": {"files_changed": ["src/a.py"]}}
    written(project, ".uam/context/outputs.json", json.dumps([claim]))

    told = project.uam("done", "1")
    assert (told.returncode, "Not committed yet: src/" in told.stdout) == (2, True)
    assert "### [ ] TODO 1" in plan(project)

    subprocess.run([*git, "add", "src/a.py"], cwd=project.folder, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "a"], cwd=project.folder, check=True)
    assert project.uam("done", "1").returncode == 0


def test_C_29_a_box_never_opens_again(project: Any) -> None:
    project.stands(SPRINT, ("x", "FAILED"))

    assert project.uam("fail", "1").returncode == 2
    written(project, "src/b.py")
    assert project.uam("done", "2").returncode == 0
    assert plan(project).count("### [x]") == 2


def test_changed_commands_need_approval_again(project: Any) -> None:
    project.stands(PLAN_PHASE, (" ", " ")).uam("approve")
    edited(project, "  - [A] `test -s src/a.py`", "  - [A] `true`")

    told = project.uam("done", "1")

    assert told.returncode == 2
    assert "not among the approved commands: true" in told.stderr


def test_C_40_to_C_43_gate_one_measures_and_says_what_failed(project: Any) -> None:
    project.stands(GATE, ("x", "x"))
    written(project, "src/a.py")

    told = project.uam("gate", "1")

    report = json.loads((project.folder / ".uam/gate-results/gate1-docker.json").read_text())
    assert told.returncode == 1
    assert told.stdout.startswith("Gate 1 Results: 1/2 passed (50%)")
    assert (report["passed"], report["total"], report["status"]) == (1, 2, "DEGRADED")
    assert len(report["summary"]) <= 500
    assert project.state()["gate_results"]["gate1_passed"] is False
    assert project.state()["convergence"]["pass_rate_history"] == [0.5]

    written(project, "src/b.py")
    assert project.uam("gate", "1").returncode == 0
    assert project.state()["gate_results"]["gate1_passed"] is True


def test_C_41_a_failed_tier_leaves_out_those_behind_it(project: Any) -> None:
    project.stands(GATE, ("x", "x"))
    edited(project, "- unit: `test -s src/a.py`", "- unit: `false`\n- e2e: `touch was-run`")

    project.uam("gate", "1")

    assert not (project.folder / "was-run").exists()


def test_nothing_to_measure_is_not_passed(project: Any) -> None:
    project.stands(GATE)
    written(project, ".uam/PLAN.md", "# PLAN: x\n### [x] TODO 1: a\n")

    assert project.uam("gate", "1").returncode == 2
    assert project.state()["gate_results"]["gate1_passed"] is None


REVIEWS = {
    "C-46 few warnings": (("--critical", "0", "--warnings", "2"), True, "SHIP"),
    "C-46 critical": (("--critical", "1", "--warnings", "0"), False, "NEEDS_FIXES"),
    "X-31 many warnings": (("--critical", "0", "--warnings", "3"), False, "NEEDS_FIXES"),
    "C-47 nobody to ask": (("--status", "SKIPPED"), None, "SKIPPED"),
    "C-47 too slow": (("--status", "DEGRADED"), None, "DEGRADED"),
}


@pytest.mark.parametrize(("words", "passed", "verdict"), REVIEWS.values(), ids=REVIEWS)
def test_gate_two_counts(project: Any, words: tuple[str, ...], passed: bool | None, verdict: str) -> None:
    project.stands(GATE, ("x", "x")).uam("gate", "2", *words)

    results = project.state()["gate_results"]
    report = json.loads((project.folder / ".uam/gate-results/gate2-review.json").read_text())
    assert (results["gate2_passed"], results["gate2_status"], report["verdict"]) == (passed, verdict, verdict)


@pytest.mark.parametrize(
    ("runs", "passed"),
    [("pass,pass,pass,pass,fail", True), ("pass,pass,pass,fail,fail", False), ("pass,pass", False)],
    ids=["C-49 four of five", "C-49 three of five", "C-49 too few"],
)
def test_gate_three_by_scenario(project: Any, runs: str, passed: bool) -> None:
    project.stands(GATE, ("x", "x")).uam("gate", "3", "--runs", "easy=pass,pass,pass", "--runs", f"login={runs}")

    assert project.state()["gate_results"]["gate3_passed"] is passed


def test_C_49_every_item_for_users_has_a_scenario_and_every_run_counts(project: Any) -> None:
    project.stands(GATE, ("x", "x"))
    edited(project, "### S-items (Sandbox Agent Testing)", "### S-items (Sandbox Agent Testing)\n- a login\n- a logout")

    told = project.uam("gate", "3", "--runs", "login=pass,pass,pass")
    assert told.returncode == 2 and "1 of 2" in told.stderr

    again = ("--runs", "login=fail,fail,fail", "--runs", "login=pass,pass,pass", "--runs", "logout=pass,pass,pass")
    assert project.uam("gate", "3", *again).returncode == 1
    assert project.state()["gate_results"]["gate3_passed"] is False


def test_C_41_a_command_that_was_approved_and_is_gone_keeps_the_gate_shut(project: Any) -> None:
    project.stands(GATE, ("x", "x"), commands=["test -s src/a.py", "test -s src/b.py", "make e2e"])
    written(project, "src/a.py")
    written(project, "src/b.py")

    told = project.uam("gate", "1")

    assert told.returncode == 2 and "no longer in PLAN.md: make e2e" in told.stderr
    assert project.state()["gate_results"]["gate1_passed"] is None


EDGES = {
    "C-57 fixed": (FIX, GATE, True),
    "C-60 circuit breaker": (FIX, PLAN_PHASE, True),
    "C-54 finish as it is": (FIX, FINALIZE, True),
    "C-21 no way back": (GATE, SPRINT, False),
    "C-40 gates decide": (GATE, FINALIZE, False),
    "C-21 no short cut": (SPRINT, FINALIZE, False),
    "C-38 open TODOs": (SPRINT, GATE, False),
}


@pytest.mark.parametrize(("before", "after", "possible"), EDGES.values(), ids=EDGES)
def test_phases_follow_edges(project: Any, before: str, after: str, possible: bool) -> None:
    told = project.stands(before, (" ", " "), fix_loop_count=2).uam("phase", after)

    assert (told.returncode == 0, project.phase) == (possible, after if possible else before)
    assert project.state()["fix_loop_count"] == (3 if possible else 2), "C-61: one more iteration has ended"


def test_C_66_what_a_person_has_to_confirm_is_waited_for(project: Any) -> None:
    project.stands(FINALIZE, ("x", "x"), gate_results={"gate1_passed": True})
    edited(project, "### H-items (Human-Required)", "### H-items (Human-Required)\n- the look")

    told = project.uam("complete")
    assert told.returncode == 2 and "the look" in told.stderr
    project.uam("wait", "Do you like it?")
    assert project.stop().passed

    assert project.uam("complete", "--confirmed").returncode == 0
    assert project.phase == "completed"


ENDS = {
    "whole": ({"gate1_passed": True, "gate2_passed": True}, False),
    "X-32 not reviewed": ({"gate1_passed": True, "gate2_passed": None, "gate2_status": "SKIPPED"}, False),
    "the first gate": ({"gate1_passed": False}, True),
    "the second gate": ({"gate1_passed": True, "gate2_passed": False}, True),
    "the second gate was left out": ({"gate1_passed": True}, True),
    "the third gate": ({"gate1_passed": True, "gate2_passed": True, "gate3_passed": False}, True),
}


@pytest.mark.parametrize(("gates", "part"), ENDS.values(), ids=ENDS)
def test_C_64_what_did_not_pass_is_completed_in_part(project: Any, gates: dict[str, Any], part: bool) -> None:
    told = project.stands(FINALIZE, ("x", "x"), gate_results=gates).uam("complete")

    assert ("IN PART" in told.stdout) is part
    assert project.state()["partial"] is part


def test_C_15_every_attempt_is_measured_by_the_command_that_showed_the_bug(project: Any) -> None:
    project.prompt("uam bugfix the login")
    project.uam("attempt", "idea 1", "--run", "test -s src/a.py")

    other = project.uam("attempt", "idea 2", "--run", "true")
    assert other.returncode == 2 and "test -s src/a.py" in other.stderr
    assert project.state()["fix_loop_count"] == 1 and project.phase == FIX

    written(project, "src/a.py")
    assert project.uam("attempt", "idea 2", "--run", "test -s src/a.py").returncode == 0


def test_C_15_a_bug_gets_three_attempts_which_are_written_down(project: Any) -> None:
    project.prompt("uam bugfix the login")

    codes = [project.uam("attempt", f"idea {number}", "--run", "false").returncode for number in (1, 2, 3)]
    fourth = project.uam("attempt", "idea 4", "--run", "true")

    attempts = (project.folder / ".uam/bugfix-attempts.md").read_text()
    assert codes == [1, 1, 1]
    assert [f"idea {number}" in attempts for number in (1, 2, 3, 4)] == [True, True, True, False]
    assert (project.phase, fourth.returncode) == ("completed", 2)


def test_C_15_success_ends_it_and_the_third_failure_offers_the_whole_pipeline(project: Any) -> None:
    project.prompt("uam bugfix the login")
    project.uam("attempt", "one", "--run", "test -s src/a.py")
    assert "attempt 2 of 3" in project.stop().blocked
    written(project, "src/a.py")
    assert project.uam("attempt", "two", "--run", "test -s src/a.py").returncode == 0
    assert project.phase == "completed"

    project.prompt("uam bugfix the logout")
    last = [project.uam("attempt", "again", "--run", "false") for _ in range(3)][-1]
    assert "/uam:uam" in last.stdout


def test_C_16_and_C_68_what_was_learnt_is_written_once(project: Any) -> None:
    project.stands(FINALIZE, ("x", "x"), convergence={"pass_rate_history": [0.5, 1.0]}, fix_loop_count=1)
    output = {"todo_id": "TODO-1", "learnings": ["short greetings"], "decisions": ["no emoji"], "issues": ["a typo"]}
    written(project, ".uam/context/outputs.json", json.dumps([output]))

    project.uam("compound")
    once = project.files()
    project.uam("compound")

    assert project.files() == once
    for name, part in (
        ("learnings", "- short greetings"),
        ("decisions", "- no emoji"),
        ("issues", "- a typo"),
        ("metrics", "50%, 100%"),
    ):
        assert part in (project.folder / f"docs/learnings/greeting/{name}.md").read_text()
    assert "short greetings (greeting)" in (project.folder / ".uam/project-memory.md").read_text()
