"""`andon uam` stopped by a person in the middle of a fix loop: what it used is told, and it is not counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.app.taking_over import take_over

ITERATION = ".uam/fix-loop/iteration-001"


def kept(story: Any, path: str) -> dict[str, Any]:
    return json.loads((story.repository / path).read_text())


def stop_in_the_first_loop(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("somebody mends", lambda: story.seen("spawn", name="fix-worker"))
    story.until("half of it is there", (story.worktree / "notes/half.md").exists)
    story.andon("uam", "cancel")
    story.finish(process, words)
    story.facts["metrics"] = kept(story, f"{ITERATION}/metrics.json")
    story.facts["state"] = kept(story, ".uam/state.json")
    resume(story)
    story.facts["state at the limit"] = kept(story, ".uam/state.json")
    story.facts["metrics of both"] = kept(story, f"{ITERATION}/metrics.json")
    by_hand(story, "notes/never.md")
    story.andon("resume")


def stop_in_the_last_attempt(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the second works", lambda: story.seen("spawn", name="worker-2"))
    story.andon("uam", "cancel")
    story.finish(process, words)
    resume(story)


def do_the_todo_by_hand(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the worker works", lambda: story.seen("spawn", name="worker-1"))
    story.until("half of it is there", Path(f"{story.worktree}-todo-1/notes/one.md").exists)
    story.andon("stop")
    story.finish(process, words)
    by_hand(story, "notes/one.md", area="todo-1")
    story.andon("resume")


def by_hand(story: Any, path: str, area: str = "") -> None:
    """What `andon take-over` does, which wants a terminal: here with a person who is a script."""
    shell = story.bin / "by-hand"
    shell.write_text(f"#!/bin/sh\necho mine > {path}\n")
    shell.chmod(0o755)
    take_over(story.store, story.row, story.environment | {"SHELL": str(shell)}, "ada", lambda folder: None, area)


def resume(story: Any) -> None:
    """With agents that do what they do from the second time on."""
    rules = json.loads(story.scenario.read_text())["rules"]
    later = story.folder / "later.yaml"
    later.write_text(json.dumps({"scenario": 1, "rules": [each for each in rules if "call" not in each["match"]]}))
    story.andon("resume", "--scenario", str(later))


@pytest.fixture
def told(story: Callable[..., Any]) -> Any:
    return story("uam-fix-stopped", stop_in_the_first_loop)


def test_C_56_C_84_a_stopped_loop_leaves_what_was_measured_until_then(told: Any) -> None:
    metrics = told.facts["metrics"]

    assert metrics["tokens"] >= 1000 and metrics["stopped"] is True  # 700 of the debugger, 300 of who mended
    assert metrics["pass_rate"] == 0.5 and metrics["seconds"] > 0 and metrics["ended_at"]


def test_C_55_C_61_a_stopped_loop_is_not_counted_as_used(told: Any) -> None:
    loops = [(e.place[0], e.data["number"], e.data["strategy"]) for e in told.of("fix_loop")]

    assert told.facts["state"]["fix_loop_count"] == 0
    # Its failure does not count as one more of the same, either: no loop is a reset.
    assert loops == [(1, 1, "fix"), (2, 1, "fix"), (2, 2, "fix")]
    stood = told.facts["state at the limit"]
    assert (stood["partial"], stood["fix_loop_count"]) == ("fix_limit", 2)


def test_C_53_what_is_measured_again_after_a_stop_is_no_further_pass_rate(told: Any) -> None:
    rates = told.facts["state at the limit"]["convergence"]["pass_rate_history"]

    assert len(rates) == 3  # before the first loop, and after each of two


def test_C_56_the_loop_that_is_made_again_tells_of_both(told: Any) -> None:
    metrics = told.facts["metrics of both"]

    assert metrics["tokens"] >= told.facts["metrics"]["tokens"] + 740 and "stopped" not in metrics
    assert metrics["seconds"] > told.facts["metrics"]["seconds"]


def test_C_63_what_was_changed_while_the_run_stood_still_is_a_commit_of_its_own(told: Any) -> None:
    # Given a worker that was stopped in the middle, and a person who took the run over
    commits = told.git("log", "--format=%x00%s", "--name-only", f"main..{told.row.branch}").split("\0")[1:]
    by_path = {path: commit.splitlines()[0] for commit in commits for path in commit.splitlines()[2:]}

    # Then the work of each has its own commit, and that of the learnings has none of it
    assert told.ending["status"] == "done", told.last.stdout
    assert by_path["notes/half.md"] == "Work under way when the run was stopped"
    assert by_path["notes/never.md"] == "Changes by hand"


def test_C_15_the_last_attempt_at_a_bug_is_made_again_when_it_was_stopped_and_no_other(
    story: Callable[..., Any],
) -> None:
    told = story("uam-bugfix@stopped", stop_in_the_last_attempt)

    assert [(e.place[0], e.data["number"]) for e in told.of("attempt")] == [(1, 1), (2, 2)]
    assert told.ending["reason"] == "attempts"


def test_C_14_a_todo_that_a_person_did_in_its_workers_folder_is_measured_and_not_done_again(
    story: Callable[..., Any],
) -> None:
    told = story("uam-by-hand", do_the_todo_by_hand)

    assert told.last.code == 0, told.last.stdout
    assert [e.data["name"] for e in told.of("spawn") if e.place[0] == 2] == ["code-reviewer"]
    assert told.document("notes/one.md") == "mine\n"
    assert told.git("log", "--format=%s", "--skip=1", f"main..{told.row.branch}") == "Write one note\n"
