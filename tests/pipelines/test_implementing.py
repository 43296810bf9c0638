"""Phase 3 of STANDARD and HEAVY: five conditions that andon measures, claims that count for nothing, the gate."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from typing import Any

import pytest

from andon.domain.auto.messages import Completed, Failed, read_implementation
from published import mistakes


def leg(told: Any, number: int) -> list[Any]:
    return [entry for entry in told.journal if entry.place[0] == number]


def orders_in(told: Any, number: int, name: str = "impl-manager") -> list[Any]:
    return [e for e in leg(told, number) if e.kind == "spawn" and e.data["name"] == name]


def refused(told: Any) -> dict[int, str]:
    """Why each claim of completion was refused, by iteration."""
    return {e.data["iteration"]: "\n".join(e.data["reasons"]) for e in told.of("claim_refused")}


def to_lead(told: Any) -> list[str]:
    return [e.data["content"] for e in told.of("message", recipient="lead")]


def interrupt_give_up_and_go_on(story: Any) -> None:
    """Ctrl+C in the fourth iteration; resume until all ten are used up; resume once more, to the end."""
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the fourth iteration works", lambda: story.entries() and (story.worktree / "AT-WORK").exists())
    process.send_signal(signal.SIGINT)
    story.finish(process, words)
    story.facts["stopped"] = story.status_file
    story.andon("resume")
    story.facts["failed"] = story.status_file
    story.andon("resume")


# --- the loop -------------------------------------------------------------------------------------------------------


def test_A_73_A_83_X_15_the_impl_manager_is_told_all_its_rules(story: Callable[..., Any]) -> None:
    told = story("standard")

    [spawned] = told.of("spawn", name="impl-manager")
    assert (spawned.data["role"], spawned.data["model"]) == ("executor", "sonnet")
    [started] = told.of("message", recipient="impl-manager")
    assert started.data["content"] == "Start the five-condition implementation loop."
    prompt = spawned.data["prompt"]
    rules = [
        *("TODO == 0", "build succeeds", "tests are green", "lint or type errors", "Self-review", "Iteration 1 of 10"),
        *("Iron law", "Completion promise", "independent architect", "REJECTED", "grading yourself is not enough"),
        *("Zero tolerance", "Red flags", "in the background", "IMPLEMENTATION_COMPLETED", "IMPLEMENTATION_FAILED"),
    ]
    assert [rule for rule in rules if rule not in prompt] == []
    assert f"docs/02-design/{told.row.feature}.design.md" in prompt


def test_A_82_A_84_S_11_a_claim_that_the_tests_pass_does_not_make_them_pass(story: Callable[..., Any]) -> None:
    told = story("search")

    [claimed, _] = told.of("result", name="impl-manager")
    assert '"test_results": "99 passed' in claimed.data["text"]
    assert refused(told) == {1: "condition 3 (tests): test failed: test:tests/test_search.py::test_search FAILED"}
    second = told.of("spawn", name="impl-manager")[1].data["prompt"]
    assert "condition 3 (tests)" in second and "E       AssertionError" in second  # what the failed check printed


def test_A_79_what_the_linter_says_of_the_base_is_held_against_nobody(story: Callable[..., Any]) -> None:
    told = story("search")

    [before] = told.of("check_at_base")  # once, however often the work is measured
    assert (before.data["goal"], before.data["verdict"]) == ("lint", "failed")
    [kept] = [record for record in told.evidence if record.at_base]
    assert (kept.predicate["goal"], kept.predicate["output"]) == ("lint", before.data["output_digest"])
    raw, compared, *_ = told.of("check", goal="lint")
    assert raw.data["signatures"] == ["lint:tools/old.py F401 `os` imported but unused"] == before.data["signatures"]
    assert (compared.data["verdict"], compared.data["signatures"]) == ("passed", [])
    assert compared.data["reason"] == "nothing new: the only finding is the base's too"
    [completed] = [read_implementation(text) for text in to_lead(told)]
    assert isinstance(completed, Completed) and "nothing new" in completed.lint_results


@pytest.mark.parametrize(
    ("iteration", "reason"),
    [
        (1, "condition 1 (every item of the design): tests/test_report.py is to be changed or created"),
        (2, "condition 3 (tests): test failed"),
        (2, "test deletion: tests/test_words.py"),
        (2, 'uncertain language: self_review: "should work"'),
        (2, 'uncertain language: self_review: "probably"'),
        (3, "src/tally/report.py:11: bare except"),
        (3, "src/tally/report.py:13: todo comment"),
        (3, "condition 4 (lint and types)"),
        (3, "condition 5 (self-review): no evidence: self_review"),
        (10, "condition 3 (tests): test failed"),
    ],
)
def test_A_76_A_78_A_79_A_80_A_84_A_85_what_voids_a_claim_is_named(
    story: Callable[..., Any], iteration: int, reason: str
) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    assert reason in refused(told)[iteration]


def test_A_81_S_04_conditions_that_never_pass_fail_after_ten_iterations_in_a_row(story: Callable[..., Any]) -> None:
    told = story("bad-agents@claims-what-fails")

    assert [e.data["iteration"] for e in told.of("iteration")] == list(range(1, 11))
    [failed] = [read_implementation(text) for text in to_lead(told)]
    assert isinstance(failed, Failed) and failed.iterations == 10
    assert told.ending["status"] == "needs_user" and told.of("user_notified")


def test_A_81_S_04_S_11_ten_iterations_really_happen_and_then_a_person_is_asked(story: Callable[..., Any]) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    measured = [e.data["iteration"] for e in told.of("iteration") if e.place[0] in (1, 2)]
    assert measured == [1, 2, 3, 5, 6, 7, 8, 9, 10]  # the fourth was interrupted before it could be measured
    failed = next(e.data for e in leg(told, 2) if e.kind == "run_ended")
    assert (failed["status"], failed["reason"]) == ("needs_user", "implementation_failed")
    assert told.commands[1].code == 2


def test_A_84_S_11_one_failed_message_is_a_premature_stop_and_the_loop_goes_on(story: Callable[..., Any]) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    claims = {e.data["iteration"]: e.data["claim"] for e in told.of("iteration") if e.place[0] == 2}

    assert claims == {5: "FAILED", 6: "COMPLETED", 7: "FAILED", 8: "COMPLETED", 9: "COMPLETED", 10: "COMPLETED"}


def test_A_86_E_06_a_claim_in_prose_is_asked_for_again(story: Callable[..., Any]) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    [misread] = told.of("reply_misread", name="impl-manager")
    assert "no IMPLEMENTATION_COMPLETED or _FAILED message" in misread.data["detail"]
    first, again = orders_in(told, 2)[:2]
    assert (first.data["attempt"], again.data["attempt"]) == (1, 2)
    assert "could not be read" in again.data["prompt"]


def test_A_87_A_89_A_85_the_person_and_the_lead_are_told_what_is_left(story: Callable[..., Any]) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    [notice] = [e for e in leg(told, 2) if e.kind == "user_notified"]
    assert notice.data["text"].startswith("[Phase 3] Implementation failed. Open issues: ")
    assert "test deletion: tests/test_words.py" in notice.data["text"]
    failed, _ = to_lead(told)
    message = read_implementation(failed)
    assert isinstance(message, Failed) and message.iterations == 10
    assert any("bare except" in flag for flag in message.red_flags)
    assert any("test deletion" in issue for issue in message.remaining_issues)
    assert not [e for e in leg(told, 2) if e.kind == "spawn" and e.data["name"].startswith(("qa-", "impl-verifier"))]


def test_A_89_what_stays_open_is_listed_by_names_a_person_can_accept(story: Callable[..., Any]) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    kinds = {e.data["id"].rpartition("-")[0] for e in leg(told, 2) if e.kind == "open_finding"}

    assert {"check", "red-flag", "test-deleted"} <= kinds


@pytest.mark.parametrize("name", ["standard", "search"])
def test_A_82_A_18_E_19_the_lead_gets_one_message_with_andons_own_evidence(
    story: Callable[..., Any], name: str
) -> None:
    told = story(name)

    [message] = to_lead(told)
    found = read_implementation(message)
    assert isinstance(found, Completed)
    assert found.test_results.startswith("test: passed (pytest tests/ -v)") and "99 passed" not in found.test_results
    assert found.lint_results.startswith("lint: passed") and "typecheck: not needed" in found.lint_results
    assert found.build_results.startswith("build: not needed")
    assert found.self_review
    assert mistakes("implementation-completed", json.loads(message.partition(": ")[2])) == []


# --- interruption ---------------------------------------------------------------------------------------------------


def test_A_97_A_96_the_status_file_tells_how_far_the_loop_is(story: Callable[..., Any]) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    stopped, failed = told.facts["stopped"], told.facts["failed"]
    assert (stopped["implManagerIteration"], stopped["implManagerStatus"]) == (4, "in_progress")
    assert any("bare except" in issue for issue in stopped["implManagerRemainingIssues"])
    assert (failed["implManagerIteration"], failed["implManagerStatus"]) == (10, "failed")
    assert (told.status_file["implManagerIteration"], told.status_file["implManagerStatus"]) == (1, "completed")


def test_A_144_X_67_A_143_after_four_iterations_it_goes_on_with_the_fifth(story: Callable[..., Any]) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    prompt = orders_in(told, 2)[0].data["prompt"]

    assert "Iteration 5 of 10" in prompt and "as far as iteration 4" in prompt
    assert "test deletion: tests/test_words.py" in prompt and "already in the files" in prompt
    assert not [e for e in leg(told, 2) if e.kind == "spawn" and e.data["name"] in ("planner", "design-writer")]
    [created] = [e for e in leg(told, 2) if e.kind == "team_created"]
    assert created.data["team"] == f"pdca-{told.row.feature}"


def test_A_144_S_07_after_ten_it_begins_again_at_the_first_and_may_succeed(story: Callable[..., Any]) -> None:
    told = story("impossible", interrupt_give_up_and_go_on)

    [order] = orders_in(told, 3)
    assert "Iteration 1 of 10" in order.data["prompt"] and "as far as iteration 10" in order.data["prompt"]
    assert told.ending["status"] == "done" and told.last.code == 0
    assert "def report" in told.document("src/tally/report.py")
    assert "test_no_text_has_no_words" in told.document("tests/test_words.py")  # the deleted tests are back


# --- the gate -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["standard", "heavy"])
def test_A_90_A_91_an_architect_verifies_from_outside_before_phase_4(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    [verifying] = told.of("spawn", name="impl-verifier")
    assert (verifying.data["role"], verifying.data["model"], verifying.data["writes"]) == ("architect", "sonnet", [])
    asked_for = ("every item of the plan", "interfaces are as designed", "tests", "build or lint", "OWASP")
    assert all(item in verifying.data["prompt"] for item in asked_for)
    [entered] = told.of("phase_entered", name="check")
    [result] = told.of("result", name="impl-verifier")
    assert result.seq < entered.seq
    claimed = max(e.seq for e in told.of("result") if e.data["name"] in ("impl-manager", "impl-readers"))
    assert claimed < verifying.seq


def test_A_91_light_has_no_gate(story: Callable[..., Any]) -> None:
    assert "impl-verifier" not in story("green").spawned


def test_A_93_A_95_a_rejection_is_mended_once_by_the_agent_of_its_domain(story: Callable[..., Any]) -> None:
    told = story("search")

    [fixing] = told.of("spawn", name="domain-fixer")
    assert (fixing.data["role"], fixing.data["model"], fixing.data["writes"]) == ("designer", "sonnet", ["."])
    assert "Domain: UI" in fixing.data["prompt"] and "근거 V-1" in fixing.data["prompt"]
    order = [name for name in told.spawned if name in ("impl-verifier", "domain-fixer")]
    assert order == ["impl-verifier", "domain-fixer", "impl-verifier"]
    second = told.of("spawn", name="impl-verifier")[1].data["prompt"]
    assert "test: failed" in second  # it is told what the fix did to the tests


def test_A_93_the_second_rejection_is_a_persons_to_judge_and_phase_4_is_entered(story: Callable[..., Any]) -> None:
    told = story("search")

    [warning] = [e for e in told.of("warning") if "거부" in e.data["text"]]
    assert warning.data["text"] == "[Phase 3] Architect 2회 거부. 사용자 판단 필요."
    [notice] = told.of("user_notified")
    assert "근거 V-2" in notice.data["text"]
    assert told.of("phase_entered", name="check")[0].seq > notice.seq


def test_A_66_X_03_two_rejections_raise_the_iterators_limit_and_leave_the_mode(story: Callable[..., Any]) -> None:
    told = story("search")

    assert told.status_file["counters"]["rejections"] == 2
    assert "at most 7 rounds" in told.prompts["iterator"]
    assert told.row.mode == "STANDARD" and told.of("promoted") == []
