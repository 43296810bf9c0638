"""`andon uam adopt`: going on with what a session began; its ticks are claims until andon has measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from andon.domain.uam import plan, state

FIRST, SECOND, THIRD = "test -f notes/one.md", "test -f notes/two.md", "test -f notes/three.md"


def written_plan() -> str:
    made = plan.Plan()
    made.feature, made.summary, made.risk, made.irreversible = "notes", "Write three notes.", "LOW", "none"
    for number, (title, box, command) in enumerate(
        (("Write one note", "x", FIRST), ("Write another", "x", SECOND), ("Write the last", " ", THIRD)), start=1
    ):
        todo = plan.Todo(number, title, box)
        todo.description, todo.risk, todo.complexity = title, "LOW", "S"
        todo.criteria = [plan.Criterion("A", f"`{command}`")]
        made.todos.append(todo)
    return plan.written(made)


def adopt(story: Any) -> None:
    uam = story.repository / ".uam"
    uam.mkdir()
    begun = state.fresh("uam-20261101-notes", "2026-11-01T10:00:00Z") | {"current_phase": "phase2-sprint"}
    (uam / "state.json").write_text(json.dumps(begun | {"plan_approved": True, "sessions": "of the plugin"}))
    (uam / "PLAN.md").write_text(written_plan())
    (story.repository / "notes").mkdir()
    (story.repository / "notes/one.md").write_text("one, by the session\n")
    refused = story.andon("uam", "another task", "--runtime", "scripted", "--scenario", str(story.scenario))
    story.facts["refused"] = [refused.code, refused.stderr]
    story.andon("uam", "adopt", "--runtime", "scripted", "--scenario", str(story.scenario))


def test_a_sessions_pipeline_is_not_started_over(story: Callable[..., Any]) -> None:
    [code, said] = story("uam-adopted", adopt).facts["refused"]

    assert code == 3 and "A session drives the pipeline uam-20261101-notes here" in said and "andon uam adopt" in said


def test_a_tick_of_a_session_is_measured_before_it_counts(story: Callable[..., Any]) -> None:
    told = story("uam-adopted", adopt)

    assert told.ending["status"] == "done", told.last.stdout
    workers = [name for name in told.spawned if name.startswith("worker")]
    assert "worker-1" not in workers  # what holds is not done again
    assert "worker-2-r1" in workers and "worker-3" in workers
    assert len([e for e in told.of("warning") if "is ticked, but andon has not seen" in e.data["text"]]) == 2
    assert "planner" not in told.spawned


def test_what_the_session_wrote_comes_along_and_its_state_keeps_what_is_strange(story: Callable[..., Any]) -> None:
    told = story("uam-adopted", adopt)

    assert told.document("notes/one.md") == "one, by the session\n"
    subjects = told.git("log", "--format=%s", "--reverse", f"main..{told.row.branch}").splitlines()
    assert subjects[0] == "Take over what a session wrote" and len(subjects) == 4
    assert ".uam" not in told.git("ls-tree", "-r", "--name-only", told.row.branch)
    found = json.loads((told.repository / ".uam/state.json").read_text())
    assert found["sessions"] == "of the plugin" and found["pipeline_id"] == "uam-20261101-notes"
    assert found["current_phase"] == "completed" and found["driver"] == "andon"
    assert (told.repository / "notes/one.md").read_text() == "one, by the session\n"  # the checkout is left alone
