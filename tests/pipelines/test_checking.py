"""Phase 4: what andon measures decides; what was not run is not passed; then others judge. See test_qa_cycles.py."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from andon.domain.auto.messages import GoalStatus, read_qa
from andon.roles.library import fill
from published import mistakes


def qa_report(told: Any) -> Any:
    [posted] = told.of("result", name="qa-runner")
    return read_qa(posted.data["text"])


def test_A_98_G_06_a_failed_qa_is_reported_and_nothing_is_fixed(story: Callable[..., Any]) -> None:
    told = story("lying")

    assert told.spawned.count("qa-runner") == 1
    assert not [name for name in told.spawned if name.startswith(("diagnostician", "fixer"))]
    [notice] = told.of("user_notified")
    assert "test:tests/test_words.py::test_words_are_counted_in_lower_case FAILED" in notice.data["text"]
    assert told.ending["status"] == "failed" and told.ending["reason"] == "qa_failed"


def test_A_98_a_passed_qa_leads_to_the_architect(story: Callable[..., Any]) -> None:
    told = story("green")

    [posted] = told.of("result", name="qa-runner")
    [judging] = told.of("spawn", name="verifier")

    assert posted.data["text"].startswith("QA_PASSED: ") and posted.seq < judging.seq


def test_A_101_A_102_A_103_the_six_goals_of_a_python_project(story: Callable[..., Any]) -> None:
    told = story("green")

    report = qa_report(told)

    assert [(goal.goal, goal.status) for goal in report.goals] == [
        ("lint", GoalStatus.PASS),
        ("test", GoalStatus.PASS),
        ("build", GoalStatus.SKIP),
        ("typecheck", GoalStatus.SKIP),
        ("custom", GoalStatus.SKIP),
        ("interactive", GoalStatus.SKIP),
    ]


def test_A_102_A_103_one_failed_goal_fails_the_qa(story: Callable[..., Any]) -> None:
    told = story("lying")

    report = qa_report(told)

    assert not report.claimed_passed and report.claimed_failures == 1
    assert [goal.goal for goal in report.goals if goal.status is GoalStatus.FAIL] == ["test"]


def test_A_07_custom_only_with_a_pattern(story: Callable[..., Any]) -> None:
    [measured] = story("options").of("check", goal="custom")
    [skipped] = story("green").of("check", goal="custom")

    assert measured.data["verdict"] == "passed"
    assert skipped.data["verdict"] == "not_needed"


def test_A_07_the_qa_runner_is_told_the_pattern(story: Callable[..., Any]) -> None:
    [told] = [line for line in story("options").prompts["qa-runner"].splitlines() if line.startswith("custom: ")]
    [skipped] = [line for line in story("green").prompts["qa-runner"].splitlines() if line.startswith("custom: ")]

    assert told == "custom: pytest tests/ -v; what it prints must contain 'READY TO SHIP'"
    assert skipped.startswith("custom: not_needed: ")


def test_A_106_G_46_a_missing_program_ends_the_run_before_phase_5(story: Callable[..., Any]) -> None:
    told = story("missing-tool")

    [notice] = told.of("user_notified")
    assert notice.data["text"].startswith("[Phase 4] Environment error: ")
    assert "frobnicate" in notice.data["text"] and "not found" in notice.data["text"]
    assert "act" not in told.phases and "verifier" not in told.spawned
    assert (told.ending["status"], told.ending["reason"]) == ("needs_user", "environment")
    assert told.first.code == 4


def test_A_114_only_the_architect_judges_and_against_the_plan(story: Callable[..., Any]) -> None:
    told = story("green")

    judges = [e for e in told.of("spawn") if e.phase == "check" and e.data["model"]]

    assert [(e.data["name"], e.data["role"]) for e in judges] == [("verifier", "architect")]
    prompt = judges[0].data["prompt"]
    assert f"docs/01-plan/{told.row.feature}.plan.md" in prompt
    assert "modified: src/tally/__init__.py" in prompt and "test: passed (pytest tests/ -v)" in prompt
    assert "VERDICT: APPROVE" in prompt and "VERDICT: REJECT" in prompt


def test_E_19_the_executors_claim_counts_for_nothing(story: Callable[..., Any]) -> None:
    told = story("lying")

    [claim] = told.of("result", name="executor")
    assert "IMPLEMENTATION_COMPLETED" in claim.data["text"] and "QA_PASSED" in claim.data["text"]

    assert told.first.code == 1
    assert "verifier" not in told.spawned
    assert told.git("branch", "--list", "feat/*") == ""
    failed = [r.predicate for r in told.evidence if r.predicate["goal"] == "test"]
    assert [each["result"] for each in failed] == ["FAILED"]


def test_E_19_what_passed_was_measured_by_andon_on_the_tree_that_was_committed(story: Callable[..., Any]) -> None:
    told = story("green")

    measured = {r.predicate["goal"]: r for r in told.evidence if r.predicate["measured"]}
    assert set(measured) == {"lint", "test", "verification"}
    for record in measured.values():
        [subject] = record.statement["subject"]
        assert record.predicate["result"] == "PASSED" and record.predicate["sandbox"]
        assert subject["digest"]["gitTree"] == told.of("result", name="executor")[0].data["tree"]
    assert told.store.ledger.verify(told.row.id) == []
    since = set(told.git("show", "--name-only", "--format=", told.row.branch).split())
    assert {path for path in since if not path.startswith("docs/")} == {"src/tally/__init__.py", "tests/test_words.py"}


def test_E_21_tests_that_were_skipped_are_not_passed(story: Callable[..., Any]) -> None:
    told = story("skipped")

    [measured] = told.of("check", goal="test")
    assert (measured.data["verdict"], measured.data["reason"]) == ("not_measured", "every test was skipped")
    assert told.ending["status"] == "failed" and "verifier" not in told.spawned


def test_E_21_the_report_keeps_what_was_not_run_apart(story: Callable[..., Any]) -> None:
    told = story("green")

    report = told.document(f"docs/04-report/{told.row.feature}.report.md")

    assert "| test | passed | `pytest tests/ -v` |" in report
    for goal in ("build", "typecheck", "custom", "interactive"):
        assert f"| {goal} | not needed |" in report


@pytest.mark.parametrize(("name", "verifier"), [("green", "APPROVE"), ("lying", None)])
def test_G_39_what_phase_4_found_is_a_document(story: Callable[..., Any], name: str, verifier: str | None) -> None:
    told = story(name)

    path = f"docs/03-check/{told.row.feature}.check.json"
    text = told.document(path) if name == "green" else (told.worktree / path).read_text()
    found = json.loads(text)

    assert (found["kind"], found["version"], found["verifier"]) == ("andon.check", 1, verifier)
    assert [goal["goal"] for goal in found["goals"]] == ["lint", "test", "build", "typecheck", "custom", "interactive"]
    assert [failure["type"] for failure in found["history"]] == ([] if name == "green" else ["test"])


@pytest.mark.parametrize("name", ["green", "lying"])
def test_E_08_what_a_run_writes_is_as_published(story: Callable[..., Any], name: str) -> None:
    told = story(name)
    path = f"docs/03-check/{told.row.feature}.check.json"
    [posted] = told.of("result", name="qa-runner")
    keyword, _, message = posted.data["text"].partition(": ")

    written = {
        "check": told.document(path) if name == "green" else (told.worktree / path).read_text(),
        "pdca-status": (told.repository / "docs/.pdca-status.json").read_text(),
        keyword.lower().replace("_", "-"): message,
    }

    for kind, text in written.items():
        assert mistakes(kind, json.loads(text)) == []


# --- STANDARD and HEAVY ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["standard", "heavy"])
def test_A_115_three_judges_one_after_the_other(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    judges = [e.data["name"] for e in told.of("spawn") if e.phase == "check" and e.data["model"]]
    assert judges == ["verifier", "gap-checker", "quality-checker"]
    for before, after in pairwise(judges):
        [gone] = told.of("shutdown_request", recipient=before)
        assert gone.seq < told.of("spawn", name=after)[0].seq
    assert not any(e.data["writes"] for e in told.of("spawn") if e.data["name"] in judges)


def test_A_115_A_116_judges_compare_with_the_design_and_name_the_pass_line(story: Callable[..., Any]) -> None:
    told = story("standard")

    for name in ("verifier", "gap-checker"):
        assert f"docs/02-design/{told.row.feature}.design.md" in told.prompts[name]
    gap = told.prompts["gap-checker"]
    assert gap.startswith("[Gap Analysis]") and "90 % is the pass line" in gap and "GAP: NN%" in gap
    quality = told.prompts["quality-checker"]
    assert all(word in quality for word in ("quality", "security", "performance"))


def test_A_117_S_02_a_python_project_has_no_vercel_rules(story: Callable[..., Any]) -> None:
    assert "Vercel" not in story("search").prompts["quality-checker"]


def test_A_118_the_vercel_rules_are_nineteen_in_five_groups() -> None:
    text = fill("auto/parts/vercel-rules", {})

    groups = [part.count("\n- ") for part in text.split("### ")[1:]]
    assert groups == [4, 5, 4, 3, 3]
    assert len(text) / 4 < 600  # tokens


def test_G_39_A_116_the_check_document_of_standard_tells_cycles_gap_and_quality(story: Callable[..., Any]) -> None:
    told = story("standard")

    found = json.loads(told.document(f"docs/03-check/{told.row.feature}.check.json"))

    assert (found["mode"], found["cycles"], found["gap"]) == ("STANDARD", 1, 96)
    assert found["quality"] == ["minor: src/tally/report.py:6: n may be negative"]
    assert mistakes("check", found) == []


def test_A_28_the_record_in_the_report_has_what_was_judged_whatever_the_reporter_wrote(
    story: Callable[..., Any],
) -> None:
    told = story("standard")

    _, _, record = told.document(f"docs/04-report/{told.row.feature}.report.md").partition("## Record")

    assert [line for line in record.splitlines() if line.startswith("- ")][:4] == [
        "- Verifier: APPROVE",
        "- Architect (impl-verifier): APPROVE",
        "- Gap: 96% match, 90% are needed",
        "- Quality finding: minor: src/tally/report.py:6: n may be negative",
    ]


def test_G_39_a_run_that_ends_in_phase_4_has_its_check_document_too(story: Callable[..., Any]) -> None:
    told = story("forced")

    found = json.loads((told.worktree / f"docs/03-check/{told.row.feature}.check.json").read_text())

    assert (found["mode"], found["cycles"], found["verifier"], found["gap"]) == ("HEAVY", 3, None, None)
    assert [each["cycle"] for each in found["history"]] == [1, 2, 3]


def test_A_119_with_skip_e2e_they_are_not_run_and_the_run_says_so(story: Callable[..., Any]) -> None:
    told = story("short-of-it")  # which has a Playwright configuration

    assert told.of("check", goal="e2e") == [] and told.spawned.count("gap-checker") == 2
    assert {e.data["text"] for e in told.of("notice")} == {"End-to-end tests were not run (--skip-e2e)."}


def test_A_119_light_runs_none(story: Callable[..., Any]) -> None:
    assert story("green").of("check", goal="e2e") == [] == story("green").of("check", goal="coverage")


def test_A_121_coverage_is_told_with_its_holes_and_warned_about_below_80(story: Callable[..., Any]) -> None:
    told = story("search")

    measured = told.of("check", goal="coverage")
    assert {tuple(e.data["command"]) for e in measured} == {("pytest", "--cov", "--cov-report=term-missing")}
    [notice, _] = [e.data["text"] for e in told.of("notice") if "커버리지" in e.data["text"]]
    assert "lib/slack/__init__.py: 7-" in notice
    warnings = [e.data["text"] for e in told.of("warning") if "커버리지" in e.data["text"]]
    assert len(warnings) == 2 and all(text.endswith("기준 80% 미만.") for text in warnings)  # one for each Phase 4
    found = json.loads(told.document(f"docs/03-check/{told.row.feature}.check.json"))
    assert [each["goal"] for each in found["further"]] == ["coverage"]
    report = told.document(f"docs/04-report/{told.row.feature}.report.md")
    assert re.search(r"^- 커버리지: \d+%$", report, re.MULTILINE)
    assert told.ending["status"] == "done"  # it blocks nothing
