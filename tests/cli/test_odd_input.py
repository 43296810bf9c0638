"""Odd but possible paths, tasks, agents and files. Whatever it is, the run ends in a state that is true."""

from __future__ import annotations

import json
from typing import Any

import pytest

ODD_PATH = 'it\'s "a" 저장소\nof two lines'


# --- repositories ---------------------------------------------------------------------------------------------------


def test_a_repository_may_lie_anywhere(person: Any) -> None:
    person.repository = person.folder / ODD_PATH
    person.make_repository(person.repository)

    ran = person.auto()

    assert ran.code == 0, ran.stdout + ran.stderr
    assert person.git("show", "feat/greet:a.txt") == "good day\n"
    assert json.loads(person.andon("status", "--json").stdout)["repository"] == str(person.repository)


def test_a_detached_head_is_a_base_like_any_other(person: Any) -> None:
    person.git("checkout", "--quiet", "--detach")

    ran = person.auto()

    assert ran.code == 0, ran.stdout + ran.stderr
    assert person.git("rev-parse", "feat/greet~1") == person.git("rev-parse", "main")
    assert person.git("rev-parse", "--abbrev-ref", "HEAD") == "HEAD\n"


def test_with_allow_dirty_the_run_starts_from_head_and_leaves_the_changes_alone(person: Any) -> None:
    (person.repository / "a.txt").write_text("half a thought\n")
    (person.repository / "b.txt").write_text("another\n")

    ran = person.auto("--allow-dirty")

    assert ran.code == 0, ran.stdout + ran.stderr
    assert (person.repository / "a.txt").read_text() == "half a thought\n"
    assert person.git("ls-tree", "--name-only", "feat/greet").split() == ["a.txt", "docs"]


def test_G_02_the_person_says_where_visible_worktrees_are(person: Any) -> None:
    person.play(without="executor")

    ran = person.auto("--worktree", env={"ANDON_WORKTREE_ROOT": str(person.folder / "my trees")})

    assert ran.code == 2, ran.stdout + ran.stderr
    [run] = person.runs()
    assert run["worktree"] == str(person.folder / "my trees/greet")
    assert (person.folder / "my trees/greet/a.txt").read_text() == "hello\n"


# --- tasks ----------------------------------------------------------------------------------------------------------


def test_E_12_a_task_of_only_symbols_gets_a_name(person: Any) -> None:
    person.play(task="task")

    ran = person.andon("auto", "--scenario", str(person.scenario), "--", "!!! --- ???")

    assert ran.code == 0, ran.stdout + ran.stderr
    [run] = person.runs()
    assert (run["task"], run["branch"]) == ("!!! --- ???", "feat/task")


def test_a_task_of_100_kilobytes_is_kept_whole_and_shown_short(person: Any) -> None:
    task = "word " * 20_000
    person.play(task="word-word-word-word-word-word-word-word")

    ran = person.andon("auto", "--scenario", str(person.scenario), task)

    assert ran.code == 0, ran.stdout + ran.stderr
    [run] = person.runs()
    assert run["task"] == task.strip()
    assert max(len(line) for line in ran.stdout.splitlines()) <= 150
    assert max(len(line) for line in person.andon("status").stdout.splitlines()) <= 320
    title = person.git("log", "-1", "--format=%s", run["branch"])
    assert len(title) <= 73


# --- agents ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("doing", "outcome", "told"),
    [
        ([{"print": {"bytes": 200_000_000, "to": "stdout"}}], "limit", "printed more than is kept"),
        ([{"garbage": {"bytes": 4096, "invalid_utf8": True}}], "unparseable", "ended without a reply"),
        ([{"garbage": {"bytes": 0}}], "unparseable", "ended without a reply"),
    ],
    ids=["200 megabytes", "no text in any language", "nothing"],
)
def test_A_156_an_agent_that_babbles_fails_and_the_run_says_so(
    person: Any, doing: list[dict[str, Any]], outcome: str, told: str
) -> None:
    rule: dict[str, Any] = {"do": doing}
    if "print" in doing[0]:
        rule["reply"] = "Nobody reads this."
    person.play({"executor": rule})

    ran = person.auto()

    assert ran.code == 1, ran.stdout + ran.stderr
    assert told in ran.stdout and "andon resume" in ran.stdout
    [run] = person.runs()
    assert (run["status"], run["reason"]) == ("failed", f"teammate_{outcome}")
    spawned = [
        e["data"]["attempt"] for e in person.journal() if e["kind"] == "spawn" and e["data"]["name"] == "executor"
    ]
    assert spawned == [1, 2]
    orders = sum(f.stat().st_size for f in (person.home / "runs").rglob("stdout"))
    assert orders < 150_000_000  # two orders, each within its limit on output


def test_E_15_limits_of_a_person_bound_a_run_and_its_resume(person: Any) -> None:
    (person.home / "settings.toml").write_text(
        "[limits]\nrespawns = 2\nlight_plan_rerequests = 0\nprompt_plan_characters = 500\n"
    )
    text = "# Plan\n" + "word " * 200
    plan = {"do": [{"write": {"path": "docs/01-plan/greet.plan.md", "text": text}}], "reply": "Planned."}
    person.play({"planner": plan, "executor": {"do": [{"crash": {"code": 3}}]}})

    failed = person.auto()
    (person.home / "settings.toml").write_text("")
    resumed = person.andon("resume")

    assert (failed.code, resumed.code) == (1, 1), failed.stdout + failed.stderr
    prompts = [e["data"] for e in person.journal() if e["kind"] == "spawn"]
    spawned = [each["name"] for each in prompts]
    assert spawned.count("planner") == 1
    assert all(
        "`limits.prompt_plan_characters` is 500" in each["prompt"] for each in prompts if each["name"] == "executor"
    )
    assert spawned.count("executor") == 3 + 3  # the limits the run was started with, on every leg


def test_what_an_agent_says_cannot_command_the_terminal(person: Any) -> None:
    person.play({"executor": {"reply": "\x1b]0;owned\x07\x1b[2J\x1b[31mred\u202eder"}})

    ran = person.auto()

    assert "\x1b" not in ran.stdout and "\u202e" not in ran.stdout
    assert "\x1b" not in person.andon("logs").stdout


def test_an_order_that_no_rule_serves_is_named_and_a_mended_scenario_goes_on(person: Any) -> None:
    person.play(without="verifier")

    stopped = person.auto()
    [run] = person.runs()
    mended = person.play()
    resumed = person.andon("resume", "--scenario", str(mended))

    assert stopped.code == 2, stopped.stdout + stopped.stderr
    assert "serves the order to verifier (architect, phase check, call 1, attempt 1)" in " ".join(
        stopped.stdout.split()
    )
    assert f"andon resume {run['id']} --scenario {mended}" in stopped.stdout
    assert (run["status"], run["reason"]) == ("needs_user", "teammate_refused")
    assert resumed.code == 0, resumed.stdout + resumed.stderr
    spawned = [e["data"]["name"] for e in person.journal() if e["kind"] == "spawn"]
    assert spawned.count("planner") == spawned.count("executor") == 1  # what was finished was not done again


def test_a_broken_scenario_does_not_resume_and_changes_nothing(person: Any) -> None:
    person.play(without="verifier")
    assert person.auto().code == 2
    before = person.runs()
    person.scenario.write_text("scenario: 1\nrules: 7\n")

    ran = person.andon("resume", "--scenario", str(person.scenario))

    assert ran.code == 3 and f"{person.scenario}:2: " in ran.stderr
    assert person.runs() == before


# --- files ----------------------------------------------------------------------------------------------------------


BROKEN = {"cut off": b"{ half a fi", "a wrong type": b'{"primaryFeature": "greet", "phaseNumber": "three"}'}
"""Two of the ways; tests/app/test_statefile.py has the others."""


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_E_11_a_broken_status_file_is_kept_aside_and_the_run_goes_on(person: Any, content: bytes) -> None:
    status = person.repository / "docs/.pdca-status.json"
    status.parent.mkdir()
    status.write_bytes(content)

    ran = person.auto()

    assert ran.code == 0, ran.stdout + ran.stderr
    [copy] = status.parent.glob(".pdca-status.json.broken-*")
    assert copy.read_bytes() == content
    assert copy.name in ran.stdout
    assert json.loads(status.read_text())["primaryFeature"] == "greet"
    assert person.andon("auto", "--dry-run", "again", "--scenario", str(person.scenario)).code == 0  # not called dirty


@pytest.mark.parametrize("broken", ["oops", '{"run": %s, "primaryFeature": "greet", "phaseNumber": "three"}'])
def test_E_11_a_status_file_broken_before_a_resume_is_kept_aside_too(person: Any, broken: str) -> None:
    person.play(without="executor")
    assert person.auto().code == 2
    status = person.repository / "docs/.pdca-status.json"
    content = broken.replace("%s", json.dumps(person.runs()[0]["id"]))
    status.write_text(content)

    resumed = person.andon("resume", "--scenario", str(person.play()))

    assert resumed.code == 0, resumed.stdout + resumed.stderr
    [copy] = status.parent.glob(".pdca-status.json.broken-*")
    assert copy.read_text() == content and copy.name in resumed.stdout
    assert [e["data"]["phase"] for e in person.journal() if e["kind"] == "resumed"] == [3]  # by the run's own copy


def test_E_11_what_others_keep_in_the_status_file_stays_there(person: Any) -> None:
    status = person.repository / "docs/.pdca-status.json"
    status.parent.mkdir()
    status.write_text('{"primaryFeature": "older", "phaseNumber": 5, "status": "done", "mine": {"a": [1]}}')
    person.play(without="executor")

    stopped = person.auto()
    between = json.loads(status.read_text())
    status.write_text(json.dumps(between | {"yours": "b"}))
    resumed = person.andon("resume", "--scenario", str(person.play()))

    after = json.loads(status.read_text())
    assert (stopped.code, resumed.code) == (2, 0), resumed.stdout + resumed.stderr
    assert between["mine"] == after["mine"] == {"a": [1]} and after["yours"] == "b"
    assert (between["primaryFeature"], after["status"]) == ("greet", "done")
