"""Interrupted runs: Ctrl+C, `andon stop`, and kills; and what is repeated, kept and said when they go on."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import psutil

KEYS = {
    *("primaryFeature", "phaseNumber", "implManagerIteration", "implManagerStatus", "implManagerRemainingIssues"),
    *("mode", "promotions", "counters", "qaCycle", "failureHistory"),
}
PROMPTLY = 15.0
"""Seconds: "within a few", on a loaded machine."""


def processes_of(story: Any, run: str) -> list[str]:
    """Command lines of everything that still works for the run: agents, checks, supervisors."""
    folder = str(story.home / "runs" / run)
    found: list[str] = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if folder in line:
            found.append(line)
    return found


def stop_twice_and_go_on(story: Any) -> None:
    """Ctrl+C in Phase 3; then, without the plan, resume and stop from elsewhere; then resume to the end."""
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the executor works", lambda: story.seen("spawn", name="executor") and half_done(story).exists())
    story.facts["at work"] = len(processes_of(story, story.row.id))
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    story.finish(process, words)
    story.facts["seconds"] = time.monotonic() - asked
    story.facts["left"] = processes_of(story, story.row.id)
    story.facts["after Ctrl+C"] = story.status_file

    plan = story.worktree / "docs" / "01-plan" / f"{story.row.feature}.plan.md"
    plan.unlink()
    process = story.begin("resume")
    story.until("it works again", lambda: len(story.seen("spawn", name="executor")) == 2 and half_done(story).exists())
    story.andon("status")
    story.andon("stop")
    story.finish(process, ("resume",))
    story.facts["after stop"] = story.status_file

    (story.worktree / "GO").touch()
    story.andon("resume")


def half_done(story: Any) -> Any:
    return story.worktree / "src" / "tally" / "half.py"


def leg(told: Any, number: int) -> list[Any]:
    return [entry for entry in told.journal if entry.place[0] == number]


def spawned_in(told: Any, number: int) -> list[str]:
    return [entry.data["name"] for entry in leg(told, number) if entry.kind == "spawn"]


def test_E_27_ctrl_c_ends_the_run_promptly_and_leaves_nobody_at_work(story: Callable[..., Any]) -> None:
    told = story("interrupted", stop_twice_and_go_on)

    assert told.facts["at work"] > 0
    assert told.facts["seconds"] < PROMPTLY
    assert told.facts["left"] == []
    assert told.first.code != 0
    assert not list((told.home / "runs" / told.row.id).rglob("*.tmp"))


def test_E_27_A_129_A_03_G_26_a_stopped_run_has_no_team_and_can_be_resumed(story: Callable[..., Any]) -> None:
    told = story("interrupted", stop_twice_and_go_on)

    for number, status in ((1, told.facts["after Ctrl+C"]), (2, told.facts["after stop"])):
        kinds = [entry.kind for entry in leg(told, number)]
        assert kinds[-2:] == ["team_deleted", "run_ended"]
        assert leg(told, number)[-1].data["status"] == status["status"] == "stopped"
        assert (status["phaseNumber"], status["mode"], status["exitReason"]) == (3, "LIGHT", "stopped")


def test_E_27_A_12_a_stopped_teammate_is_sent_home(story: Callable[..., Any]) -> None:
    told = story("interrupted", stop_twice_and_go_on)

    for number in (1, 2):
        closed = [e.data.get("recipient") for e in leg(told, number) if e.kind == "shutdown_request"]
        assert sorted(closed) == sorted(e.data["name"] for e in leg(told, number) if e.kind == "task_created")


def test_A_03_status_says_where_a_run_stands_and_spawns_nobody(story: Callable[..., Any]) -> None:
    told = story("interrupted", stop_twice_and_go_on)

    [asked] = [ran for ran in told.commands if ran.words == ("status",)]

    assert asked.code == 0
    for word in (told.row.feature, "running", "LIGHT", "do"):
        assert word in asked.stdout
    assert spawned_in(told, 2)[-1] == "executor"


def test_A_143_without_its_plan_a_run_goes_back_to_phase_1_and_says_so(story: Callable[..., Any]) -> None:
    told = story("interrupted", stop_twice_and_go_on)

    [warning] = [e.data["text"] for e in leg(told, 2) if e.kind == "warning" and "plan" in e.data["text"]]
    assert "The status says phase 3, but the plan is missing" in warning
    assert "planner" in spawned_in(told, 2)


def test_A_143_A_155_E_13_S_07_a_run_stopped_in_phase_3_goes_on_there(story: Callable[..., Any]) -> None:
    told = story("interrupted", stop_twice_and_go_on)

    [created] = [entry for entry in leg(told, 3) if entry.kind == "team_created"]
    assert created.data["team"] == f"pdca-{told.row.feature}"  # a fresh team of the same name
    assert spawned_in(told, 3) == ["executor", "qa-runner", "verifier", "reporter"]
    phases = [entry.data["name"] for entry in leg(told, 3) if entry.kind == "phase_entered"]
    assert phases == ["prepare", "do", "check", "act"]
    assert told.last.code == 0 and told.ending["reason"] == "goal_met"


def test_A_143_what_a_person_put_into_the_worktree_is_taken_along(story: Callable[..., Any]) -> None:
    told = story("interrupted", stop_twice_and_go_on)

    files = told.git("ls-tree", "-r", "--name-only", told.row.branch).splitlines()

    assert "GO" in files
    assert "src/tally/whole.py" in files and "src/tally/half.py" not in files


def kill_after_each_phase(story: Any) -> None:
    """SIGKILL as soon as a phase is over, when the next has begun; then resume."""
    words = story.auto_words()
    for phase in ("plan", "do", "check"):
        process = story.begin(*words)
        story.until(f"{phase} is over", lambda phase=phase: story.seen("phase_left", name=phase))
        os.kill(process.pid, signal.SIGKILL)
        story.finish(process, words)
        story.facts[phase] = story.status_file
        words = ("resume",)
    story.andon("resume")


def test_E_13_no_kill_makes_anything_happen_twice(story: Callable[..., Any]) -> None:
    told = story("killed", kill_after_each_phase)

    assert [ran.code for ran in told.commands] == [-9, -9, -9, 0]
    assert sorted(told.spawned) == sorted(
        ["doc-analyst", "issue-analyst", "planner", "executor", "qa-runner", "verifier", "reporter"]
    )
    assert told.document("executor-was-here.txt") == "done\n"
    assert told.phases == ["plan", "do", "check", "act"]


def test_A_142_A_155_G_40_the_status_file_is_whole_in_every_phase(story: Callable[..., Any]) -> None:
    told = story("killed", kill_after_each_phase)

    seen = [*(told.facts[phase] for phase in ("plan", "do", "check")), told.status_file]

    for status in seen:
        assert set(status) >= KEYS
        assert not [key for key in status if key.startswith("ralph")]
        assert status["primaryFeature"] == told.row.feature
    # The kill came when a phase was over: its successor's number may or may not be written yet.
    numbers = [status["phaseNumber"] for status in seen]
    assert all(number in may for number, may in zip(numbers, [(1, 3), (3, 4), (4, 5), (5,)], strict=True)), numbers
    assert all(status["mode"] == "LIGHT" for status in seen if status["phaseNumber"] > 1)
    assert seen[0]["mode"] in (None, "LIGHT")  # not scored yet when Phase 1 was written
    assert seen[-1]["phasesCompleted"] == [1, 3, 4, 5]
    assert json.dumps(seen[-1]["status"]) == '"done"'
