"""Phase 1: scouts, the score, the planner, its reviewers in the higher modes, the gate, related issues, promotion."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
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
    assert promoted.data["text"] == "[Phase 1] Promoted LIGHT -> HEAVY: affected_files (5)"
    assert told.status_file["mode"] == "HEAVY" == told.row.mode
    assert told.status_file["promotions"] == [
        {"from": "LIGHT", "to": "HEAVY", "cause": "affected_files", "count": 5, "phase": 1}
    ]


def test_A_67_A_74_what_follows_a_promotion_is_the_higher_modes(story: Callable[..., Any]) -> None:
    told = story("many-files")

    assert set(told.spawned[:2]) == {"doc-analyst", "issue-analyst"}
    assert told.spawned[2:10] == [
        *("planner", "design-writer", "impl-manager", "impl-verifier", "qa-runner-1"),
        *("verifier", "gap-checker", "quality-checker"),
    ]
    roles = {e.data["name"]: e.data["role"] for e in told.of("spawn")}
    assert roles["design-writer"] == roles["impl-manager"] == "executor-high"
    assert told.phases[:5] == ["plan", "design", "do", "check", "act"] and told.ending["status"] == "done"


# --- STANDARD -------------------------------------------------------------------------------------------------------


def test_A_42_X_58_the_planner_of_standard_runs_on_sonnet_and_is_told_the_score_and_why(
    story: Callable[..., Any],
) -> None:
    told = story("standard")

    [planning] = told.of("spawn", name="planner")
    prompt = planning.data["prompt"]
    assert planning.data["model"] == "sonnet"
    assert "STANDARD 2/5" in prompt and "a report layer is new here" in prompt
    assert "Skip any confirmation or interview" in prompt
    assert f"`docs/01-plan/{told.row.feature}.plan.md`" in prompt


def test_A_45_X_58_one_critic_reviews_the_plan_against_four_gates(story: Callable[..., Any]) -> None:
    told = story("standard")

    [reviewing] = told.of("spawn", name="critic-lite")
    assert (reviewing.data["role"], reviewing.data["model"], reviewing.data["writes"]) == ("critic", "sonnet", [])
    assert all(gate in reviewing.data["prompt"] for gate in ("QG1", "QG2", "QG3", "QG4", "VERDICT: REVISE"))
    assert told.spawned.count("planner") == 1


def test_A_46_an_unreadable_verdict_is_a_revision_which_is_not_reviewed_again(story: Callable[..., Any]) -> None:
    told = story("search")  # whose critic has its verdict on the second line

    [verdict] = told.of("verdict", name="critic-lite")
    assert verdict.data["verdict"] == "REVISE"
    assert (told.spawned.count("planner"), told.spawned.count("critic-lite")) == (2, 1)
    assert "근거 C-1" in told.prompts["planner"]
    assert "(2번째 판)" in told.document(f"docs/01-plan/{told.row.feature}.plan.md")


def test_A_47_G_04_an_approval_does_not_outweigh_gates_that_andon_saw_fail(story: Callable[..., Any]) -> None:
    told = story("big")

    [verdict] = told.of("verdict", name="critic-lite")
    assert verdict.data["verdict"] == "REVISE"
    assert all(f"{gate} FAIL" in verdict.data["overruled"] for gate in ("QG1", "QG3", "QG4"))
    revising = told.of("spawn", name="planner")[1].data["prompt"]
    assert "QG1 FAIL, line 8" in revising and "docs/setup.md" in revising
    assert "QG3 FAIL, line 5" in revising and "as needed" in revising
    assert "QG4 FAIL" in revising


def test_A_46_A_47_a_revision_is_measured_though_nobody_reviews_it(story: Callable[..., Any]) -> None:
    told = story("bad-agents@keeps-a-bad-plan")

    assert (told.spawned.count("critic-lite"), told.spawned.count("planner")) == (1, 4)
    first, second = told.of("plan_rerequested")
    assert first.data["missing"] == second.data["missing"] == told.ending["message"]
    assert all(f"{gate} FAIL" in first.data["missing"] for gate in ("QG1", "QG2", "QG3", "QG4"))
    assert "QG4 FAIL: 0 explicit edge cases" in told.prompts["planner"]
    assert told.phases == ["plan"]


def test_A_56_A_58_an_approved_plan_may_not_get_worse_by_being_completed(story: Callable[..., Any]) -> None:
    told = story("bad-agents@spoils-an-approved-plan")

    assert told.of("verdict", verdict="APPROVE", name="critic-1") and told.of("plan_forced") == []
    first, second = told.of("plan_rerequested")
    assert first.data["missing"] == "[Phase 1] The plan lacks: risks. Add what is missing."
    assert "QG1 FAIL" in second.data["missing"] and "lacks" not in second.data["missing"]


def test_A_58_X_06_a_plan_that_stays_incomplete_after_two_requests_is_a_persons(story: Callable[..., Any]) -> None:
    told = story("big")

    assert len(told.of("plan_rerequested")) == 2 and told.spawned.count("planner") == 4
    assert (told.ending["status"], told.ending["reason"]) == ("needs_user", "plan_incomplete")
    assert told.ending["message"].startswith("[Phase 1] The plan lacks: risks. Add what is missing.")
    assert told.phases == ["plan"] and told.first.code == 2


# --- HEAVY ----------------------------------------------------------------------------------------------------------

ROUND = ("planner", "arch", "critic")


def test_A_48_A_62_S_03_planner_architect_and_critic_go_round_until_the_critic_approves(
    story: Callable[..., Any],
) -> None:
    told = story("heavy")

    rounds = [name for name in told.spawned if name.startswith(("planner", "arch", "critic"))]
    assert rounds == [f"{name}-{number}" for number in (1, 2, 3) for name in ROUND]
    for before, after in pairwise(rounds):
        [gone] = told.of("shutdown_request", recipient=before)
        assert gone.seq < told.of("spawn", name=after)[0].seq
    models = {e.data["model"] for e in told.of("spawn") if e.data["name"] in rounds}
    assert models == {"sonnet"}


def test_A_49_A_53_the_planner_is_told_its_round_and_what_the_critic_said(story: Callable[..., Any]) -> None:
    told = story("heavy")

    first, second, third = (told.prompts[f"planner-{n}"] for n in (1, 2, 3))
    assert "[Phase 1 HEAVY]" in first and "Iteration 1/5" in first and "(point F-1)" not in first
    assert "Iteration 2/5" in second and "(point F-1)" in second and "(point F-2)" not in second
    assert "Iteration 3/5" in third and "(point F-1)" in third and "(point F-2)" in third
    for needed in ("계획 작성 완료", "the critic is the reviewer", "## Background", "## Scope", "## Risks"):
        assert needed in first
    assert told.row.task in first and f"docs/01-plan/{told.row.feature}.plan.md" in first


def test_A_50_the_architects_opinion_reaches_the_critic_of_its_round(story: Callable[..., Any]) -> None:
    told = story("heavy")

    assert all(item in told.prompts["arch-1"] for item in ("file paths exist", "dependency conflicts", "architecture"))
    assert "performance and security" in told.prompts["arch-1"] and "five lines" in told.prompts["arch-1"]
    for number in (1, 2, 3):
        assert f"arch-{number} says: nothing conflicts (opinion A!)." in told.prompts[f"critic-{number}"]


def test_A_51_S_11_the_critic_is_told_to_be_strict(story: Callable[..., Any]) -> None:
    prompt = story("heavy").prompts["critic-1"]

    assert "plans normally need three or more revisions" in prompt
    assert all(gate in prompt for gate in ("QG1", "QG2", "QG3", "QG4"))
    assert "The first line of your answer is exactly" in prompt and "APPROVE only if all four gates pass" in prompt


def test_A_54_beyond_its_budget_older_feedback_is_one_line(story: Callable[..., Any]) -> None:
    told = story("forced")  # which has a budget of 60 tokens

    prompt = told.prompts["planner-5"]
    assert "Iteration 1: Not yet (critic-1)." in prompt and "The second line of critic-1" not in prompt
    for number in (2, 3, 4):
        assert f"Iteration {number}:\nNot yet (critic-{number}).\nThe second line of critic-{number}" in prompt


def test_A_55_S_06_S_11_after_five_rounds_the_plan_goes_on_with_a_warning_in_it(story: Callable[..., Any]) -> None:
    told = story("forced")

    assert [name for name in told.spawned if name.startswith("critic")] == [f"critic-{n}" for n in range(1, 6)]
    assert [e.data["rounds"] for e in told.of("plan_forced")] == [5]
    plan = (told.worktree / f"docs/01-plan/{told.row.feature}.plan.md").read_text()
    assert plan.startswith("> WARNING: Critic 5회 반복으로 강제 승인\n\n# 계획")
    assert "design-writer" in told.spawned


def test_A_56_S_11_a_planner_that_says_it_is_done_does_not_end_phase_1(story: Callable[..., Any]) -> None:
    told = story("heavy")

    [first] = told.of("result", name="planner-1")
    assert first.data["text"] == "계획 작성 완료"
    [approval] = told.of("verdict", verdict="APPROVE", name="critic-3")
    [entered] = told.of("phase_entered", name="design")
    assert approval.seq < entered.seq


# --- the design -----------------------------------------------------------------------------------------------------


def test_A_69_the_design_of_standard(story: Callable[..., Any]) -> None:
    told = story("standard")

    [designing] = told.of("spawn", name="design-writer")
    path = f"docs/02-design/{told.row.feature}.design.md"
    assert (designing.data["role"], designing.data["model"], designing.data["writes"]) == ("executor", "sonnet", [path])
    items = ("## Target files", "## Interfaces", "## Data flow", "## Test strategy")
    assert all(item in designing.data["prompt"] for item in items) and "## Risks" not in designing.data["prompt"]
    assert told.document(path).startswith("# Design")


def test_A_70_the_design_of_heavy_has_risks_too_and_may_split_the_work(story: Callable[..., Any]) -> None:
    told = story("heavy")

    [designing] = told.of("spawn", name="design-writer")
    assert designing.data["role"] == "executor-high"
    items = ("## Target files", "## Interfaces", "## Data flow", "## Test strategy", "## Risks", "## Work items")
    assert all(item in designing.data["prompt"] for item in items)


def test_A_71_a_design_without_signatures_is_completed_before_phase_3(story: Callable[..., Any]) -> None:
    told = story("search")

    [asked] = told.of("design_rerequested")
    assert "시그니처" in asked.data["missing"]
    _, second = told.of("spawn", name="design-writer")
    assert asked.data["missing"] in second.data["prompt"]
    [entered] = told.of("phase_entered", name="do")
    assert second.seq < entered.seq
    assert "def search(" in told.document(f"docs/02-design/{told.row.feature}.design.md")


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
