"""What ends work that does not end by itself: teammates that crash or hang, and budgets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psutil


def run_out_then_get_more(story: Any) -> None:
    story.auto()
    story.andon("resume", "--budget-tokens", "100000")


def test_A_156_G_41_a_crashing_teammate_gets_one_successor_with_the_same_prompt(story: Callable[..., Any]) -> None:
    told = story("failing")

    first, second = told.of("spawn", name="doc-analyst")
    assert (first.data["attempt"], second.data["attempt"]) == (1, 2)
    assert first.data["prompt"] == second.data["prompt"] and first.data["instance"] != second.data["instance"]
    [result] = told.of("result", name="doc-analyst")
    assert (result.data["outcome"], result.data["detail"]) == ("crashed", "exit code 3")
    assert told.of("task_update", name="doc-analyst")[0].data["status"] == "failed"


def test_A_156_a_silent_teammate_is_given_up_at_its_time_limit_twice(story: Callable[..., Any]) -> None:
    told = story("failing")

    assert told.spawned.count("issue-analyst") == 2
    [result] = told.of("result", name="issue-analyst")
    assert result.data["outcome"] == "limit" and "3 seconds" in result.data["detail"]
    assert 6.0 <= result.data["seconds"] < 60.0


def test_A_156_E_26_the_step_fails_and_a_person_is_told(story: Callable[..., Any]) -> None:
    told = story("failing")

    [notice] = told.of("user_notified")
    assert notice.data["text"] == "doc-analyst: crashed (exit code 3)"
    assert told.first.code == 1 and "planner" not in told.spawned


def test_A_156_E_27_a_run_that_fails_leaves_nobody_at_work(story: Callable[..., Any]) -> None:
    told = story("failing")

    after = [e.kind for e in told.journal if e.seq > told.of("team_deleted")[0].seq]
    assert after == ["run_ended"]
    left = [
        p.info["cmdline"] for p in psutil.process_iter(["cmdline"]) if told.row.id in " ".join(p.info["cmdline"] or ())
    ]
    assert left == []


def test_E_17_a_person_is_warned_once_at_four_fifths(story: Callable[..., Any]) -> None:
    told = story("budget", run_out_then_get_more)

    [warned] = [e for e in told.of("budget_warning") if e.place[0] == 1]

    assert (warned.data["line"], warned.data["spent"], warned.data["limit"]) == ("tokens", 2000, 2400)


def test_E_17_no_order_is_given_when_the_budget_is_used_up(story: Callable[..., Any]) -> None:
    told = story("budget", run_out_then_get_more)

    first = [e for e in told.journal if e.place[0] == 1]
    spawned = [e.data["name"] for e in first if e.kind == "spawn" and e.data["model"]]
    assert spawned[-1] == "executor"  # it used the rest; what costs nothing is still done
    assert (first[-1].data["status"], first[-1].data["reason"]) == ("needs_user", "budget")
    assert first[-1].data["spent"]["tokens"] == 6000
    [notice] = [e for e in first if e.kind == "user_notified"]
    assert "6,000 tokens" in notice.data["text"]
    assert told.first.code == 2


def test_E_17_with_a_larger_budget_it_goes_on_and_what_was_spent_stays_spent(story: Callable[..., Any]) -> None:
    told = story("budget", run_out_then_get_more)

    second = [e for e in told.journal if e.place[0] == 2]
    assert [e.data["name"] for e in second if e.kind == "spawn"] == ["qa-runner", "verifier", "reporter"]
    used = sum(
        e.data["usage"].get("input_tokens", 0) + e.data["usage"].get("output_tokens", 0) for e in told.of("result")
    )
    assert told.ending["spent"]["tokens"] == used > 6000
    assert told.last.code == 0
