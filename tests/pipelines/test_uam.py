"""`andon uam` when everything is right the first time: phases, team, boxes, commits, files, and what is left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from andon.domain.line import Lamp
from andon.domain.todos import todos
from andon.domain.uam import graph, plan


@pytest.fixture
def told(story: Callable[..., Any]) -> Any:
    return story("uam")


def state(told: Any) -> dict[str, Any]:
    return json.loads((told.repository / ".uam/state.json").read_text())


def kept(told: Any, path: str) -> str:
    return (told.repository / ".uam" / path).read_text()


def test_C_21_the_phases_follow_each_other_and_the_run_is_done(told: Any) -> None:
    assert told.first.code == 0, told.first.stderr
    assert told.phases == ["plan", "sprint", "gate", "finalize"]
    assert [e.data["phase"] for e in told.of("phase_changed")] == [
        *("phase1-plan", "phase2-sprint", "phase3-gate", "phase5-finalize")
    ]


def test_C_23_C_24_C_70_the_four_explore_at_once_and_the_analyst_after_them(told: Any) -> None:
    explorers = {"explore", "gap-analyzer", "pm", "verification-planner"}
    begun = {e.data["name"]: e.seq for e in told.of("spawn")}
    ended = {e.data["name"]: e.seq for e in told.of("result")}

    assert explorers == {*told.spawned[:4]}
    assert max(begun[name] for name in explorers) < min(ended[name] for name in explorers)
    assert begun["tradeoff-analyzer"] > max(ended[name] for name in explorers)
    assert "## AI Pitfalls" in told.prompts["tradeoff-analyzer"]  # C-24: with their outputs


def test_C_71_everybody_has_the_tier_of_the_catalogue(told: Any) -> None:
    models = {e.data["name"]: e.data["model"] for e in told.of("spawn")}

    assert (models["explore"], models["gap-analyzer"], models["pm"], models["planner"]) == (
        *("haiku", "haiku", "opus", "opus"),
    )
    assert {models[name] for name in ("worker-1", "code-reviewer", "tradeoff-analyzer")} == {"sonnet"}


def test_C_26_X_38_X_64_the_plan_is_asked_about_once_and_proceeds_when_nobody_answers(told: Any) -> None:
    [asked] = told.of("hold_opened")
    [answered] = told.of("hold_answered")

    assert asked.data["options"] == ["proceed", "change", "replan"] and answered.data["by"] == "timeout"
    assert state(told)["plan_approved"] is True and state(told)["plan_approved_at"]


def test_C_67_nobody_is_asked_anything_else(told: Any) -> None:
    assert len(told.of("hold_opened")) == 1


def test_C_31_what_is_ready_begins_together_and_what_depends_on_it_afterwards(told: Any) -> None:
    begun = {e.data["name"]: e.seq for e in told.of("spawn")}
    ended = {e.data["name"]: e.seq for e in told.of("result")}
    ticked = {e.data["number"]: e.seq for e in told.of("todo", box="x")}

    assert max(begun["worker-1"], begun["worker-2"]) < min(ended["worker-1"], ended["worker-2"])
    assert begun["worker-3"] > max(ticked[1], ticked[2])


def test_C_33_X_69_workers_may_write_only_what_their_todo_names(told: Any) -> None:
    [worker] = told.of("spawn", name="worker-1")

    assert worker.data["writes"] == ["src/tally/ranking.py", "tests/test_ranking.py"]


def test_C_35_andon_runs_the_commands_of_each_todo_itself(told: Any) -> None:
    measured = [e.data["goal"] for e in told.of("check") if e.phase == "sprint"]

    for name in ("ranking", "lines", "report"):
        assert f"python -m pytest -q tests/test_{name}.py" in measured


def test_C_36_every_todo_is_committed_before_its_box_is_ticked(told: Any) -> None:
    commits = [e.seq for e in told.of("part_committed")]
    ticks = [e.seq for e in told.of("todo", box="x")]
    subjects = told.git("log", "--format=%s", f"main..{told.row.branch}").splitlines()

    assert len(ticks) == 3 and all(commit < tick for commit, tick in zip(commits, ticks, strict=False))
    # The first two are worked on side by side: whichever is ready first is brought in first.
    assert subjects[1] == "Report the ranking"
    assert sorted(subjects[2:]) == ["Format a line", "Rank words"]
    assert subjects[0] == "Learnings and report"


def test_C_63_a_todo_of_few_files_is_one_commit_that_says_what_and_why_and_nobody_is_asked_for_it(told: Any) -> None:
    whole = told.git("log", "--format=%B", "--grep=^Rank words$", f"main..{told.row.branch}")

    assert whole.startswith("Rank words\n\n") and "src/tally/ranking.py" in whole and "Andon-Run: " in whole
    assert not [name for name in told.spawned if name.startswith("git-master")]


def test_C_03_the_boxes_of_plan_md_are_the_progress_and_state_json_counts_them(told: Any) -> None:
    plan = kept(told, "PLAN.md")

    assert [plan.count(box) for box in ("### [x] TODO", "### [ ] TODO")] == [3, 0]
    assert state(told)["sprint_status"] == {
        **{"total_todos": 3, "completed_todos": 3, "in_progress_todos": 0, "failed_todos": 0}
    }


def test_C_39_results_and_learnings_accumulate(told: Any) -> None:
    records = json.loads(kept(told, "context/outputs.json"))

    assert sorted(record["todo_id"] for record in records) == ["TODO-1", "TODO-2", "TODO-3"]
    learnings = kept(told, "context/learnings.md")
    assert learnings.count("words() lower-cases its input") == 1 and "without an installation" in learnings


def test_C_41_C_44_X_26_X_65_gate_1_is_measured_by_andon_and_no_agent(told: Any) -> None:
    first = json.loads(kept(told, "gate-results/gate1-docker.json"))
    in_the_gate = [e.data["name"] for e in told.of("spawn") if e.phase == "gate"]

    assert first["passed"] is True and first["tests_passed"] == first["tests_total"] > 3
    assert first["tiers"]["unit"][0]["tests"]["passed"] >= 5  # test by test, from andon's own reporter
    assert in_the_gate == ["code-reviewer"]
    assert {row["sandbox"] for row in first["tiers"]["unit"]} == {e.data["sandbox"] for e in told.of("check")} != {""}


def test_C_48_gate_2_says_who_reviewed_and_what_follows(told: Any) -> None:
    second = json.loads(kept(told, "gate-results/gate2-review.json"))

    [row] = second["reviewers"]
    assert (row["reviewer"], row["status"], row["critical"], row["warnings"]) == ("uam-code-reviewer", "SHIP", 0, 0)
    assert second["verdict"] == "SHIP" and second["passed"] is True


def test_C_49_C_50_without_s_items_gate_3_is_not_run(told: Any) -> None:
    results = state(told)["gate_results"]

    assert (results["gate1_passed"], results["gate2_passed"], results["gate3_passed"]) == (True, True, None)
    assert not (told.repository / ".uam/gate-results/gate3-agent-user.json").exists()


def test_C_06_C_62_C_68_G_16_learnings_are_committed_and_the_project_remembers(told: Any) -> None:
    place = f"docs/learnings/{told.row.feature}"

    assert "words() lower-cases" in told.document(f"{place}/learnings.md")
    assert "Ties are ordered by name" in told.document(f"{place}/decisions.md")
    assert "No plural forms yet" in told.document(f"{place}/issues.md")
    metrics = told.document(f"{place}/metrics.md")
    assert "Pass rates: 100%" in metrics and "Fix loops: 0" in metrics and "Tokens: " in metrics
    memory = kept(told, "project-memory.md")
    assert "Ties are ordered by name" in memory and "plural" not in memory


def test_C_64_the_report_tells_todos_gates_loops_and_what_is_left(told: Any) -> None:
    report = told.document(f"docs/04-report/{told.row.feature}.report.md")

    assert "TODOs: 3 done, 0 failed" in report and "Gates: 1 passed, 2 passed, 3 not required" in report
    assert "Fix loops: 0" in report and "learnings.md" in report
    assert report == kept(told, "report.md")


def test_C_65_C_84_C_85_X_62_the_state_file_is_complete_and_inactive_at_the_end(told: Any) -> None:
    found = state(told)

    assert found["current_phase"] == "completed" and found["pipeline_id"].startswith("uam-2")
    assert found["pipeline_id"].endswith(told.row.feature)
    assert found["convergence"]["pass_rate_history"] == [1.0] and found["max_fix_loops"] == 10
    assert found["cost"]["total_tokens"] > 0 and found["cost"]["max_total_tokens"] == 500_000
    assert json.loads(kept(told, "config.json"))["limits"]["max_iteration_tokens"] == 80_000
    assert told.git("status", "--short") == ""  # .uam keeps itself out of the way


def test_C_25_the_plan_is_as_its_grammar_wants_it(told: Any) -> None:
    found = plan.parse(kept(told, "PLAN.md"))

    assert found.problems == [] and graph.cycles(found) == []
    assert [todo.dependencies for todo in found.todos] == [(), (), (1, 2)]
    assert found.edges == [(1, 3), (2, 3)] and found.risk == "LOW"


def test_C_25_screens_are_told_which_todo_comes_after_which(told: Any) -> None:
    found = todos(told.journal)

    assert [(todo.number, todo.after, todo.wave) for todo in found] == [(1, (), 0), (2, (), 0), (3, (1, 2), 1)]
    assert {todo.lamp for todo in found} == {Lamp.PASSED} and found[1].workers >= 1


def test_C_73_every_a_item_belongs_to_one_of_three_tiers(told: Any) -> None:
    [approved] = told.of("plan_approved")

    assert [*approved.data["tiers"]] == ["unit", "integration", "e2e"]
    assert len(approved.data["tiers"]["unit"]) == 4  # the strategy's own, and those of all TODOs


def test_C_12_status_shows_the_dashboard_and_changes_nothing(story: Callable[..., Any]) -> None:
    told = story("uam")
    before = {path: path.read_bytes() for path in (told.repository / ".uam").rglob("*") if path.is_file()}

    shown = told.andon("uam", "status")

    assert "TODOs        3/3 done" in shown.stdout and "Gates        1 passed, 2 passed, 3 not required" in shown.stdout
    assert "Pass rates   100%" in shown.stdout
    assert before == {path: path.read_bytes() for path in (told.repository / ".uam").rglob("*") if path.is_file()}
    assert json.loads(told.andon("uam", "status", "--json").stdout)["todos"][0] == {
        **{"number": 1, "title": "Rank words", "box": "x"}
    }


def test_the_evidence_of_a_uam_run_holds(told: Any) -> None:
    checked = told.andon("evidence", "verify", told.row.id)

    assert checked.code == 0, checked.stdout
