"""`andon uam` when things go wrong and are mended: liars, failed TODOs, gates that stay shut, objections, people."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from published import mistakes


def confirm(story: Any) -> None:
    """With a history in a style of its own; and a person who confirms what only people can."""
    for number in range(3):
        story.git("commit", "--quiet", "--allow-empty", "--message", f"feat: step {number}")
    words = story.auto_words()
    process = story.begin(*words)
    [asked] = story.until("a person is asked", lambda: story.seen("hold_opened", category="human"))
    story.until("the run waits", lambda: story.row.status == "waiting")
    story.facts["waiting"] = story.row.status
    story.andon("answer", asked.data["hold"], "1")
    story.finish(process, words)


@pytest.fixture
def told(story: Callable[..., Any]) -> Any:
    return story("uam-fixed", confirm)


def state(told: Any) -> dict[str, Any]:
    return json.loads((told.repository / ".uam/state.json").read_text())


def kept(told: Any, path: str) -> str:
    return (told.repository / ".uam" / path).read_text()


def test_C_21_C_57_X_36_after_every_fix_all_gates_are_evaluated_again(told: Any) -> None:
    assert told.phases == ["plan", "sprint", "gate", "fix", "gate", "fix", "gate", "finalize"]
    assert told.ending["status"] == "done"


def test_C_04_a_claim_that_does_not_hold_is_refused_and_the_box_stays(told: Any) -> None:
    [refused] = told.of("claim_refused")
    [ticked] = told.of("todo", number=1)

    assert refused.data["name"] == "worker-1" and "exit code 1" in refused.data["reasons"][0]
    command = refused.data["reasons"][0].partition(": ")[0]
    assert refused.data["reasons"][0].count(command) == 1
    assert ticked.seq > refused.seq and "worker-1-r1" in told.spawned
    assert "test_the_most_frequent_word_comes_first" in told.prompts["worker-1-r1"]


def test_C_37_a_todo_gets_three_more_workers_and_has_then_failed(told: Any) -> None:
    workers = [name for name in told.spawned if name.startswith("frontend-2")]

    assert workers == ["frontend-2", "frontend-2-r1", "frontend-2-r2", "frontend-2-r3"]
    assert told.of("todo", number=2)[0].data["box"] == "FAILED"
    assert told.spawned.count("worker-1-r1") == 1  # whoever passed is not done again


def test_C_92_X_30_the_sprint_goes_on_and_phase_4_deals_with_what_failed(told: Any) -> None:
    boxes = [(e.data["number"], e.data["box"], e.phase) for e in told.of("todo")]

    assert (2, "x", "fix") in boxes  # C-29: from failed to done in the fix loop
    assert boxes.index((2, "FAILED", "sprint")) < boxes.index((2, "x", "fix")) < boxes.index((3, "x", "fix"))
    assert "### [x] TODO 2" in kept(told, "PLAN.md") and "### [x] TODO 3" in kept(told, "PLAN.md")


def test_C_32_G_15_words_of_screens_choose_the_front_end_worker(told: Any) -> None:
    roles = {e.data["name"]: e.data["role"] for e in told.of("spawn")}

    assert roles["frontend-2"] == "uam-frontend" and roles["worker-1"] == "uam-worker"


def test_C_72_a_large_todo_that_changes_the_architecture_is_worked_on_by_opus(told: Any) -> None:
    models = {e.data["name"]: e.data["model"] for e in told.of("spawn")}

    assert models["worker-3"] == "opus" and models["worker-1"] == "sonnet"


def test_C_40_a_failed_gate_leaves_out_those_behind_it(told: Any) -> None:
    [first, second, third] = [e.seq for e in told.of("phase_entered", name="gate")]
    spawned = [(e.seq, e.data["name"]) for e in told.of("spawn") if e.phase == "gate"]

    assert not [name for seq, name in spawned if seq < second]
    assert [name for seq, name in spawned if second < seq < third] == ["code-reviewer"]
    assert [e.data["gate"] for e in told.of("gate", passed=False)] == [1, 2] and first < second


def test_C_41_a_tier_that_fails_leaves_out_the_next(told: Any) -> None:
    integration = [e for e in told.of("check") if "import tally.report" in e.data["goal"]]
    [first_fix, *_] = told.of("fix_loop")

    assert integration and min(e.seq for e in integration) > first_fix.seq


def test_C_42_C_43_the_summary_is_structured_and_short(told: Any) -> None:
    summary = kept(told, "fix-loop/iteration-001/failure_summary.txt").rstrip("\n")

    assert summary.startswith("Gate 1 Results: ") and " passed (" in summary.splitlines()[0]
    assert "Failed tests:\n  - " in summary and summary.splitlines()[-1].startswith("Error categories: ")
    assert len(summary) <= 500


def test_C_46_a_critical_finding_needs_fixes_whatever_the_tests_say(told: Any) -> None:
    verdicts = [e.data["verdict"] for e in told.of("verdict", name="uam-code-reviewer")]

    assert verdicts == ["NEEDS_FIXES", "SHIP"]
    assert "nobody says what happens with long texts" in told.prompts["fix-worker"]


def test_C_49_X_33_four_of_five_users_are_enough(told: Any) -> None:
    third = json.loads(kept(told, "gate-results/gate3-agent-user.json"))

    [row] = third["scenarios"]
    assert (row["runs"], row["passed_runs"], row["passed"]) == (5, 4, True)
    assert "Given" in kept(told, "sandbox/test_suite/scenarios.feature")
    assert "litter.txt" not in told.git("ls-tree", "-r", "--name-only", told.row.branch)


def test_C_52_the_debugger_comes_first_and_its_diagnosis_is_told(told: Any) -> None:
    begun = {e.data["name"]: e.seq for e in told.of("spawn") if e.data["name"] in ("debugger-1", "debugger-2")}
    fixes = told.of("spawn", name="fix-worker")

    assert begun["debugger-1"] < fixes[0].seq < begun["debugger-2"] < fixes[1].seq
    assert "`line` was never finished" in fixes[0].data["prompt"]
    assert fixes[0].data["prompt"].startswith("[Phase 4 Fix Loop] Mend what fails: grep")  # C-58: names what fails


def test_C_56_every_fix_loop_leaves_its_three_files(told: Any) -> None:
    for number in ("001", "002"):
        files = sorted(path.name for path in (told.repository / f".uam/fix-loop/iteration-{number}").iterdir())
        assert files == ["failure_summary.txt", "metrics.json", "verdict.json"]
    assert json.loads(kept(told, "fix-loop/iteration-001/verdict.json"))["strategy"] == "fix"
    assert json.loads(kept(told, "fix-loop/iteration-001/metrics.json"))["tokens"] > 0
    assert state(told)["fix_loop_count"] == 2  # C-61


def test_C_63_three_files_are_two_commits_in_the_projects_style(told: Any) -> None:
    [misread] = told.of("reply_misread", name="git-master-1")
    models = {e.data["name"]: (e.data["model"], e.data["writes"]) for e in told.of("spawn")}
    subjects = told.git("log", "--format=%s", f"main..{told.row.branch}").splitlines()

    assert models["git-master-1"] == ("sonnet", [])  # C-71, X-02
    assert "at least 2 commits" in misread.data["detail"]
    assert {"feat: rank words", "docs: note the order of ties"} <= {*subjects}
    # The git-master of the fix crashed: andon groups and words by itself, in the same style.
    assert [subject for subject in subjects if subject.startswith("fix: Fix what gate 1 found")]
    assert all(subject.startswith(("feat: ", "docs: ", "test: ", "fix: ")) for subject in subjects)


def test_C_66_a_person_confirms_what_only_people_can(told: Any) -> None:
    [asked] = told.of("hold_opened", category="human")

    assert "The lines read well" in asked.data["question"] and asked.data.get("timeout") is None
    assert told.facts["waiting"] == "waiting"


def test_C_64_the_report_tells_of_failed_todos_and_fix_loops(told: Any) -> None:
    report = kept(told, "report.md")

    assert "Fix loops: 2" in report and "TODO 2 has failed, with 4 workers" in report
    assert "3 passed" in report  # Gate 3


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("uam-state", "state.json"),
        ("uam-gate1", "gate-results/gate1-docker.json"),
        ("uam-gate2", "gate-results/gate2-review.json"),
        ("uam-gate3", "gate-results/gate3-agent-user.json"),
        ("uam-worker", "context/outputs.json"),
    ],
)
def test_E_08_what_a_run_writes_is_as_its_schema_says(told: Any, schema: str, path: str) -> None:
    written = json.loads(kept(told, path))

    for value in written if isinstance(written, list) else [written]:
        assert mistakes(schema, value) == []


def test_S_16_the_patterns_are_all_seen_in_one_run(told: Any) -> None:
    begun = {e.data["name"]: e.seq for e in told.of("spawn")}
    ended = {e.data["name"]: e.seq for e in told.of("result")}
    models = {e.data["model"] for e in told.of("spawn")}

    assert max(begun["worker-1"], begun["frontend-2"]) < min(ended["worker-1"], ended["frontend-2"])  # side by side
    assert models == {"haiku", "sonnet", "opus"}
    assert {e.data["writes"] == [] for e in told.of("spawn") if e.phase in ("plan", "gate")} >= {True}
    assert told.of("check") and told.of("hold_opened", category="human") and "user-1-1" in begun  # A, H and S
    assert "claim_refused" in {e.kind for e in told.journal}  # a worker's word counts for nothing
    assert "there must be at least 2 commits" in told.of("reply_misread")[0].data["detail"]  # replies have a form
    assert [e.data["trend"] for e in told.of("fix_loop")] == ["unclear", "improving"]


def test_C_53_pass_rates_are_kept_for_the_convergence_detector(told: Any) -> None:
    rates = state(told)["convergence"]["pass_rate_history"]

    assert len(rates) == 3 and rates[0] < rates[1] == rates[2] == 1.0


def test_C_49_who_fixes_cannot_write_the_scenarios_it_is_judged_by(told: Any) -> None:
    assert "scenario-writer" in told.spawned
    assert "Scenario: easy" not in kept(told, "sandbox/test_suite/scenarios.feature")
