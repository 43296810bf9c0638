"""`andon uam`: back to planning, sessions that begin anew, limits that end it, reviewers who are missing or fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def with_a_broken_gemini(story: Any) -> None:
    (story.bin / "gemini").write_text("#!/bin/sh\nexit 3\n")
    (story.bin / "gemini").chmod(0o755)
    story.auto("--json")


def kill_and_stop_while_it_plans_again(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("it plans again", lambda: len(story.seen("spawn", name="planner")) == 2)
    process.kill()
    story.finish(process, words)
    story.andon("stop")  # takes it up where it was killed, and ends it in order
    story.facts["stopped"] = json.loads((story.repository / ".uam/state.json").read_text())
    story.facts["old plan"] = (story.repository / ".uam/PLAN.md").read_text()
    rules = json.loads(story.scenario.read_text())["rules"]
    later = story.folder / "later.yaml"  # what each of them does from the second time on
    later.write_text(json.dumps({"scenario": 1, "rules": [each for each in rules if "call" not in each["match"]]}))
    story.andon("resume", "--scenario", str(later))


def to_the_limit_and_on(story: Any) -> None:
    story.auto()
    story.facts["partial"] = json.loads((story.repository / ".uam/state.json").read_text())
    story.facts["report"] = (story.repository / ".uam/report.md").read_text()
    story.facts["branches"] = story.git("branch", "--list", "feat/*")
    story.andon("uam", "resume", "--direction", "write the note called never")
    ended = story.begin("uam", "cancel").finish(60.0)
    story.facts["cancelled"] = [ended.code, ended.stderr]


def kept(told: Any, path: str) -> str:
    return (told.repository / ".uam" / path).read_text()


# --- back to planning -----------------------------------------------------------------------------------------------


def test_C_51_C_60_a_structural_failure_goes_back_to_planning_with_what_is_known(story: Callable[..., Any]) -> None:
    told = story("uam-replanned", with_a_broken_gemini)

    assert told.phases == ["plan", "sprint", "gate", "fix", "plan", "sprint", "gate", "finalize"]
    assert told.ending["status"] == "done", told.last.stdout
    [loop] = told.of("fix_loop")
    assert loop.data["strategy"] == "replan"
    second = told.of("spawn", name="pm")[-1].data["prompt"]
    assert "Gate 1 Results: 1/4 passed (25%)" in second
    assert "circuit breaker" in kept(told, "bugfix-attempts.md")
    assert "test -f notes/four.md" in kept(told, "fix-loop/iteration-001/PLAN.md")
    assert "Write every note" in kept(told, "PLAN.md")


def test_C_60_a_replan_that_is_killed_and_stopped_goes_on_planning_with_what_is_known(
    story: Callable[..., Any],
) -> None:
    # Given a circuit breaker, and a second planner who had no plan yet when it was killed, and then stopped
    told = story("uam-replan-stopped", kill_and_stop_while_it_plans_again)

    assert told.facts["stopped"]["cancelled_from"] == "phase1-plan" and "Write one note" in told.facts["old plan"]
    # Then the next leg plans again, with the failure in the prompt, and does not take the old plan for the new one
    later = [e for e in told.journal if e.place[0] == 2]
    planner = next(e.data["prompt"] for e in later if e.kind == "spawn" and e.data["name"] == "planner")
    assert "Gate 1 Results: 1/4 passed (25%)" in planner
    [approved] = [e.data["todos"] for e in later if e.kind == "plan_approved"]
    assert approved == {"1": ["test -f notes/four.md"]} and "Write every note" in kept(told, "PLAN.md")
    assert told.ending["status"] == "done", told.last.stdout
    assert [e.data["strategy"] for e in told.of("fix_loop")] == ["replan"]


def test_C_47_X_32_who_is_missing_is_skipped_and_who_fails_is_degraded(story: Callable[..., Any]) -> None:
    told = story("uam-replanned", with_a_broken_gemini)

    review = json.loads(kept(told, "gate-results/gate2-review.json"))
    statuses = {row["reviewer"]: row["status"] for row in review["reviewers"]}
    assert statuses == {"uam-code-reviewer": "SHIP", "codex": "SKIPPED", "gemini": "DEGRADED", "scripted": "SHIP"}
    assert review["verdict"] == "SHIP"
    [two_warnings] = [row for row in review["reviewers"] if row["reviewer"] == "scripted"]
    assert two_warnings["warnings"] == 2  # C-46: at most two


# --- limits ---------------------------------------------------------------------------------------------------------


def test_C_55_C_61_after_the_last_fix_loop_it_is_finalized_as_partial(story: Callable[..., Any]) -> None:
    told = story("uam-limited", to_the_limit_and_on)

    first = [e for e in told.journal if e.place[0] == 1]
    entered = [e.data["name"] for e in first if e.kind == "phase_entered"]
    assert entered[-3:] == ["gate", "fix", "finalize"] and told.first.code == 2
    assert told.facts["partial"]["fix_loop_count"] == 4 and told.facts["partial"]["partial"] == "fix_limit"
    assert told.facts["partial"]["current_phase"] == "completed"
    assert "## What does not pass" in told.facts["report"] and "test -f notes/never.md" in told.facts["report"]
    assert told.facts["branches"] == ""  # nothing is published that does not pass


def test_C_55_at_the_limit_a_person_is_told_what_every_loop_tried(story: Callable[..., Any]) -> None:
    told = story("uam-limited", to_the_limit_and_on)

    assert "fix loops        4 ×  1 (fix): given up: debugger-1: limit" in told.first.stdout
    for line in ("2 (fix)", "3 (new session)", "4 (new session)"):
        assert f"{line}: changed nothing; then gate 1 failed: test -f no" in told.first.stdout
    assert "## What was tried\n\n- loop 2: Looked again, found nothing.\n" in told.facts["report"]


def test_C_55_a_loop_that_uses_too_much_is_given_up_and_the_next_one_tries(story: Callable[..., Any]) -> None:
    told = story("uam-limited", to_the_limit_and_on)

    [aborted] = [e for e in told.of("warning") if "was given up" in e.data["text"]]
    [second] = [e for e in told.of("fix_loop", number=2) if e.place[0] == 1]
    assert "Fix loop 1" in aborted.data["text"] and aborted.seq < second.seq
    assert len(told.of("spawn", name="debugger-1")) == 2  # one in each leg: no second try of what is too much


def test_C_51_C_53_C_58_C_59_the_same_error_three_times_is_a_new_session_and_another_approach(
    story: Callable[..., Any],
) -> None:
    told = story("uam-limited", to_the_limit_and_on)

    strategies = [e.data["strategy"] for e in told.of("fix_loop") if e.place[0] == 1]
    prompts = [e.data["prompt"] for e in told.of("spawn", name="fix-worker") if e.place[0] == 1]
    assert strategies == ["fix", "fix", "reset", "reset"]
    assert prompts[0].startswith("[Phase 4 Fix Loop] Mend what fails: test -f notes/never.md.")
    assert "different approach" in prompts[1] and "Looked again, found nothing" in prompts[1]
    models = {e.data["name"]: e.data["model"] for e in told.of("spawn") if e.place[0] == 1}
    assert (models["debugger-2"], models["debugger-3"]) == ("sonnet", "opus")  # C-72


def test_C_14_resumed_with_a_direction_somebody_is_told_first(story: Callable[..., Any]) -> None:
    told = story("uam-limited", to_the_limit_and_on)

    assert told.last.code == 0, told.last.stdout
    later = [e.data["name"] for e in told.of("spawn") if e.place[0] == 2]
    assert "worker-1" not in later and "planner" not in later  # what is done is not done again
    assert later[:2] == ["debugger-1", "fix-worker"]
    assert told.document("notes/never.md") == "after all\n"
    assert told.git("log", "--format=%s", f"main..{told.row.branch}").splitlines()[1:] == [
        *("Write the missing note", "Write one note")
    ]


def test_C_13_what_has_ended_cannot_be_cancelled(story: Callable[..., Any]) -> None:
    told = story("uam-limited", to_the_limit_and_on)

    code, said = told.facts["cancelled"]
    assert code == 3 and "No pipeline is active here" in said


# --- work that is taken back -----------------------------------------------------------------------------------------


def test_C_29_a_tick_of_which_nothing_is_left_is_not_done(story: Callable[..., Any]) -> None:
    told = story("uam-undone")

    assert (told.ending["status"], told.last.code) == ("needs_user", 2), told.last.stdout
    [finding] = told.of("open_finding")
    assert finding.data["text"] == "TODO-2 is ticked, and nothing is left of what it changed: notes/two.md"
    assert not told.git("branch", "--list", "feat/*")
