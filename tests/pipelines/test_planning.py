"""Phase 1 in LIGHT: scouts, the score, one planner, the Lead's gate, related issues; and promotion by the plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from andon.domain.limits import AutoLimits

BLOCK = re.compile(
    r"""=== Complexity ===
File scope: ([01]) \(.+\)
Architecture: ([01]) \(.+\)
Dependencies: ([01]) \(.+\)
Module impact: ([01]) \(.+\)
Asked for by the user: ([01])
Total: (\d)/5 -> (LIGHT|STANDARD|HEAVY)
==================""",
)


def test_A_36_two_scouts_on_haiku_are_gone_before_anybody_plans(story: Callable[..., Any]) -> None:
    told = story("green")

    scouts = [e.data for e in told.of("spawn") if e.data["role"] == "explore"]
    assert {(each["name"], each["model"]) for each in scouts} == {("doc-analyst", "haiku"), ("issue-analyst", "haiku")}
    [planning] = told.of("spawn", name="planner")
    sent_home = [e for e in told.of("shutdown_request") if e.seq < planning.seq]
    assert {e.data["recipient"] for e in sent_home} == {"doc-analyst", "issue-analyst"}


def test_A_36_X_11_what_the_scouts_are_asked_for(story: Callable[..., Any]) -> None:
    told = story("korean")

    assert "`docs/` and `.claude/`" in told.prompts["doc-analyst"] and "overlap" in told.prompts["doc-analyst"]
    assert "설치 방법이 없습니다" in told.prompts["issue-analyst"]  # what `gh issue list` printed
    assert all("five lines" in told.prompts[name] for name in ("doc-analyst", "issue-analyst"))


def test_A_37_A_57_X_14_a_related_issue_is_told_where_the_plan_is(story: Callable[..., Any]) -> None:
    told = story("korean")

    calls = (told.folder / "gh.log").read_text().splitlines()

    assert calls == [
        "issue list --limit 50 --state open",
        f"issue comment 12 --body 관련 Plan: docs/01-plan/{told.row.feature}.plan.md",
    ]
    assert [e.data["number"] for e in told.of("issue_linked")] == [12]


def test_A_57_where_no_issue_is_related_one_is_created_if_asked_for(story: Callable[..., Any]) -> None:
    told = story("new-issue")

    calls = (told.folder / "gh.log").read_text().splitlines()

    feature = told.row.feature
    assert calls == [
        "issue list --limit 50 --state open",
        f"issue create --title {feature} --body Plan: docs/01-plan/{feature}.plan.md --label auto",
    ]
    assert [e.data["url"] for e in told.of("issue_created")] == ["https://github.example/issues/31"]


def test_A_57_E_22_an_issue_that_cannot_be_created_is_only_a_warning(story: Callable[..., Any]) -> None:
    told = story("no-risks")

    [warning] = [e for e in told.of("warning") if "No issue was created" in e.data["text"]]
    assert "gh is not installed" in warning.data["text"]
    assert told.ending["status"] == "done" and told.of("issue_created") == []


def test_A_37_what_the_scouts_found_reaches_the_planner(story: Callable[..., Any]) -> None:
    told = story("korean")

    assert "설치 절이 없습니다" in told.prompts["planner"]
    assert "#12" in told.prompts["planner"]


def test_E_22_without_gh_the_run_goes_on_and_says_what_is_missing(story: Callable[..., Any]) -> None:
    told = story("green")

    [warning] = told.of("warning")

    assert "gh is not installed" in warning.data["text"]
    assert "(not available)" in told.prompts["issue-analyst"]
    assert told.ending["status"] == "done"


def test_A_38_A_39_A_40_the_score_is_shown_once_and_adds_up(story: Callable[..., Any]) -> None:
    told = story("mended")

    [shown] = BLOCK.findall(told.first.stdout)

    assert sum(map(int, shown[:5])) == int(shown[5]) == 0
    assert shown[6] == "LIGHT" == told.row.mode
    assert [e.data["total"] for e in told.of("score")] == [0]


def test_A_41_one_planner_is_told_the_score_and_where_to_write(story: Callable[..., Any]) -> None:
    told = story("green")

    [planning] = told.of("spawn", name="planner")
    prompt = planning.data["prompt"]

    assert planning.data["model"] == "haiku"
    assert "LIGHT 0/5, single-file change expected" in prompt
    assert f"`docs/01-plan/{told.row.feature}.plan.md`" in prompt
    assert "Skip any confirmation or interview" in prompt
    in_phase_1 = {e.data["role"] for e in told.of("spawn") if e.phase == "plan"}
    assert in_phase_1 == {"explore", "planner"}


def test_A_06_user_stories_only_with_prd(story: Callable[..., Any]) -> None:
    assert "user stories" in story("options").prompts["planner"]
    assert "user stories" not in story("green").prompts["planner"]


def test_A_43_a_plan_of_49_characters_is_asked_for_again_with_what_it_needs(story: Callable[..., Any]) -> None:
    told = story("short-plan")

    text = told.document(f"docs/01-plan/{told.row.feature}.plan.md")
    assert len(text.strip()) == AutoLimits().light_plan_characters - 1
    [asked] = told.of("plan_rerequested")
    assert asked.data["missing"] in told.prompts["planner"]
    assert all(word in asked.data["missing"] for word in ("background", "scope", "affected files"))


def test_A_44_X_06_a_planner_that_never_gets_it_right_is_asked_twice_and_the_run_goes_on(
    story: Callable[..., Any],
) -> None:
    told = story("short-plan")

    assert told.spawned.count("planner") == 2
    assert [e for e in told.of("warning") if "still falls short after the re-request" in e.data["text"]]
    assert told.phases == ["plan", "do", "check", "act"] and told.ending["status"] == "done"


def test_A_58_X_06_a_plan_without_risks_is_completed_before_phase_3(story: Callable[..., Any]) -> None:
    told = story("no-risks")

    [asked] = told.of("plan_rerequested")
    assert asked.data["missing"] == "[Phase 1] The plan lacks: risks. Add what is missing."
    completed = told.of("result", name="planner")[-1]
    [doing] = told.of("phase_entered", name="do")
    assert completed.seq < doing.seq
    assert "\n## Risks\n" in told.document(f"docs/01-plan/{told.row.feature}.plan.md")
    assert not [e for e in told.of("warning") if "falls short" in e.data["text"]]


def test_A_59_the_plan_lies_at_its_path(story: Callable[..., Any]) -> None:
    told = story("green")

    assert told.document(f"docs/01-plan/{told.row.feature}.plan.md").startswith("# Plan")
    assert told.of("plan_approved")[0].data["path"] == f"docs/01-plan/{told.row.feature}.plan.md"


def test_A_65_A_67_a_plan_for_five_files_promotes_to_heavy_and_says_why(story: Callable[..., Any]) -> None:
    told = story("many-files")

    [promoted] = told.of("promoted")
    assert (promoted.data["before"], promoted.data["after"]) == ("LIGHT", "HEAVY")
    assert told.status_file["mode"] == "HEAVY" == told.row.mode
    assert told.status_file["promotions"] == [
        {"from": "LIGHT", "to": "HEAVY", "cause": "affected_files", "count": 5, "phase": 1}
    ]
    assert "executor" not in told.spawned  # LIGHT's matrix is left at once


def test_A_65_a_mode_that_is_not_there_yet_needs_a_person_and_says_so(story: Callable[..., Any]) -> None:
    told = story("many-files")

    assert told.first.code == 2
    assert (told.ending["status"], told.ending["reason"]) == ("needs_user", "mode_not_available")
    assert "HEAVY mode" in told.first.stdout


def test_A_40_a_score_of_2_needs_a_mode_that_is_not_there_yet_and_says_so(story: Callable[..., Any]) -> None:
    told = story("big")

    [scored] = told.of("score")
    assert (scored.data["total"], scored.data["mode"]) == (2, "STANDARD") and told.row.mode == "STANDARD"
    assert set(told.spawned) == {"doc-analyst", "issue-analyst"} and told.of("promoted") == []
    assert (told.ending["status"], told.ending["reason"]) == ("needs_user", "mode_not_available")
    assert told.first.code == 2 and "STANDARD mode" in told.first.stdout


def test_A_04_G_01_S_10_a_dry_run_scores_lists_and_leaves_nothing_behind(story: Callable[..., Any]) -> None:
    told = story("dry-run")

    assert [e.data["text"].split()[2] for e in told.of("notice")] == [
        *("doc-analyst", "issue-analyst", "planner", "executor", "qa-runner", "verifier", "reporter"),
    ]
    assert len(told.of("score")) == 1 and set(told.spawned) == {"doc-analyst", "issue-analyst"}
    assert told.git("status", "--porcelain", "--ignored") == ""
    assert told.git("for-each-ref", "--format=%(refname)") == "refs/heads/main\n"
    assert not told.worktree.exists()


def test_A_04_G_01_a_dry_run_estimates_what_the_run_would_use_up(story: Callable[..., Any]) -> None:
    told = story("dry-run")

    [said] = told.of("forecast")
    low, high = said.data["estimate"]["tokens"]
    cheap, dear = said.data["estimate"]["money"]
    assert 0 < low <= high and 0 <= cheap <= dear  # other stories, whose agents are cheap, may be its ground
    assert said.data["orders"][0] == {"name": "doc-analyst", "type": "explore", "model": "haiku", "phase": "plan"}
    assert {"name": "qa-runner", "type": "qa-tester", "model": "-", "phase": "check"} in said.data["orders"]
    assert f"estimate: {low:,} to {high:,} tokens, ${cheap:.2f} to ${dear:.2f}" in told.first.stdout
