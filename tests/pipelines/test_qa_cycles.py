"""QA cycles of STANDARD and HEAVY: measured, diagnosed, mended by the agent of the domain; and their four exits."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

from andon.domain.auto.messages import read_qa


def leg(told: Any, number: int) -> list[Any]:
    return [entry for entry in told.journal if entry.place[0] == number]


def spawned_in(told: Any, number: int) -> list[str]:
    return [entry.data["name"] for entry in leg(told, number) if entry.kind == "spawn"]


def interrupt_the_third_cycle(story: Any) -> None:
    """Ctrl+C while the third fixer works; then resume to the end."""
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the third fixer works", lambda: story.entries() and (story.worktree / "AT-WORK").exists())
    process.send_signal(signal.SIGINT)
    story.finish(process, words)
    story.facts["stopped"] = story.status_file
    (story.worktree / "GO").touch()
    story.andon("resume")


def test_A_99_A_100_S_02_each_cycle_has_a_qa_runner_of_its_own_and_nothing_of_it_is_an_agents_word(
    story: Callable[..., Any],
) -> None:
    told = story("search")

    runners = [e for e in told.of("spawn") if e.data["name"].startswith("qa-runner")]
    assert [e.data["name"] for e in runners] == ["qa-runner-1", "qa-runner-2", "qa-runner-3"]
    assert {(e.data["role"], e.data["model"]) for e in runners} == {("qa-tester", "")}  # a teammate without a model
    for runner in runners:
        [posted] = told.of("result", name=runner.data["name"])
        report = read_qa(posted.data["text"])
        assert not report.problem and posted.data["usage"] == {}


def test_A_103_A_104_every_failed_goal_of_a_cycle_is_in_the_history(story: Callable[..., Any]) -> None:
    told = story("restless", interrupt_the_third_cycle)

    history = told.status_file["failureHistory"]

    assert [(each["cycle"], each["type"]) for each in history] == [(n, "test") for n in (1, 2, 3, 4, 5)]
    assert "test_state_0" in history[0]["detail"] and "test_trouble_0" in history[0]["signature"]


def test_A_109_a_cycle_that_passes_leads_to_the_verifier(story: Callable[..., Any]) -> None:
    told = story("search")

    order = [name for name in told.spawned if name.startswith(("qa-runner", "fixer", "verifier"))]

    assert order == ["qa-runner-1", "fixer-1", "qa-runner-2", "verifier", "qa-runner-3", "verifier"]


@pytest.mark.parametrize("name", ["search", "forced"])
def test_A_111_A_112_nobody_mends_before_the_diagnosis(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    fixers = [e for e in told.of("spawn") if e.data["name"].startswith("fixer-")]
    assert fixers
    for fixer in fixers:
        number = fixer.data["name"].removeprefix("fixer-")
        results = [e for e in told.of("result", name=f"diagnostician-{number}") if e.seq < fixer.seq]
        assert results and told.of("diagnosis", name=f"diagnostician-{number}")[0].seq < fixer.seq


def test_A_111_a_diagnosis_without_a_guide_is_asked_for_again(story: Callable[..., Any]) -> None:
    told = story("search")

    first, second = told.of("spawn", name="diagnostician-1")
    assert (first.data["role"], first.data["model"], first.data["writes"]) == ("architect", "sonnet", [])
    assert "FIX_GUIDE" in first.data["prompt"] and "lacked: FIX_GUIDE" in second.data["prompt"]
    [fixer] = told.of("spawn", name="fixer-1")
    assert second.seq < fixer.seq


def test_A_112_A_94_the_fixer_is_of_the_diagnosed_domain_and_is_told_all_of_it(story: Callable[..., Any]) -> None:
    told = story("search")

    [fixer] = told.of("spawn", name="fixer-1")
    assert (fixer.data["role"], fixer.data["model"]) == ("security-reviewer", "sonnet")
    assert fixer.data["writes"] == ["."]
    prompt = fixer.data["prompt"]
    assert "DIAGNOSIS: 비교가 틀립니다." in prompt and "FIX_GUIDE: lib/slack/search.py:8" in prompt
    assert "DOMAIN: security" in prompt
    assert "cycle 1: test:tests/test_search.py::test_search FAILED" in prompt  # the history


def test_A_64_X_02_three_failed_cycles_promote_to_heavy_once_and_the_fourth_runs(story: Callable[..., Any]) -> None:
    told = story("restless", interrupt_the_third_cycle)

    [promoted] = told.of("promoted")
    assert (promoted.data["before"], promoted.data["after"]) == ("STANDARD", "HEAVY")
    assert (promoted.data["cause"], promoted.data["count"]) == ("qa_cycles", 3)
    assert told.status_file["mode"] == "HEAVY" == told.row.mode
    assert told.of("spawn", name="qa-runner-3")[0].seq < promoted.seq < told.of("spawn", name="qa-runner-4")[0].seq


def test_A_99_A_108_failures_that_always_change_end_at_the_fifth_cycle(story: Callable[..., Any]) -> None:
    told = story("restless", interrupt_the_third_cycle)

    assert {name for name in told.spawned if name.startswith("qa-runner")} == {f"qa-runner-{n}" for n in range(1, 6)}
    assert "fixer-5" not in told.spawned and "verifier" not in told.spawned
    [notice] = [e for e in leg(told, 2) if e.kind == "user_notified"]
    assert notice.data["text"].startswith("[Phase 4] QA reached 5 cycles. Unresolved: test:tests/test_state.py::")
    assert (told.ending["status"], told.ending["reason"]) == ("needs_user", "limit")
    assert told.last.code == 2 and "act" not in told.phases


def test_A_155_A_143_G_40_a_run_interrupted_in_cycle_3_goes_on_there_with_its_history(
    story: Callable[..., Any],
) -> None:
    told = story("restless", interrupt_the_third_cycle)

    stopped = told.facts["stopped"]
    assert (stopped["phaseNumber"], stopped["mode"], stopped["qaCycle"]) == (4, "HEAVY", 3)
    assert [each["cycle"] for each in stopped["failureHistory"]] == [1, 2, 3]
    assert spawned_in(told, 2) == [
        *("qa-runner-3", "diagnostician-3", "fixer-3"),
        *("qa-runner-4", "diagnostician-4", "fixer-4", "qa-runner-5"),
    ]
    [diagnosing] = [e for e in leg(told, 2) if e.kind == "spawn" and e.data["name"] == "diagnostician-3"]
    assert "cycle 1: " in diagnosing.data["prompt"] and "cycle 2: " in diagnosing.data["prompt"]


def test_A_107_S_05_S_11_the_same_failure_three_times_ends_the_cycles(story: Callable[..., Any]) -> None:
    told = story("forced")

    assert told.row.mode == "HEAVY"  # which has five cycles
    assert [name for name in told.spawned if name.startswith(("qa-runner", "fixer"))] == [
        *("qa-runner-1", "fixer-1", "qa-runner-2", "fixer-2", "qa-runner-3")
    ]
    [notice] = told.of("user_notified")
    assert (
        notice.data["text"].startswith("[Phase 4] 동일 실패 3회: custom:") and "Root cause 보고" in notice.data["text"]
    )
    assert (told.ending["status"], told.ending["reason"]) == ("needs_user", "same_failure")
    assert "act" not in told.phases and told.first.code == 2


def test_A_107_what_stays_open_can_be_accepted_by_name(story: Callable[..., Any]) -> None:
    told = story("forced")

    [finding] = told.of("open_finding")
    assert finding.data["kind"] == "check" and finding.data["id"].startswith("check-")
    assert "설치 완료" in finding.data["text"]
