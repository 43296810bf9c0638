"""Phase 3 in LIGHT: one executor, the build that andon measures, one retry, promotion; tests come first."""

from __future__ import annotations

import signal
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from andon.pipelines.auto.judging import TDD_NOTE, lacks_tests
from andon.ports import Change


def interrupt_the_promoted_run(story: Any) -> None:
    """Ctrl+C when the promotion has put an impl-manager to work; then resume to the end."""
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the impl-manager works", lambda: story.entries() and (story.worktree / "AT-WORK").exists())
    process.send_signal(signal.SIGINT)
    story.finish(process, words)
    story.facts["stopped"] = story.status_file
    story.andon("resume")


def test_E_11_the_status_file_says_when_the_run_last_moved(story: Callable[..., Any]) -> None:
    told = story("unbuildable", interrupt_the_promoted_run)

    stopped, ended = (datetime.fromisoformat(s["updatedAt"]) for s in (told.facts["stopped"], told.status_file))
    second = next(e.at for e in told.of("run_started") if e.data["leg"] == 2)

    assert int(told.row.created_at) < stopped.timestamp() <= second < ended.timestamp() <= told.row.ended_at


@pytest.mark.parametrize("name", ["green", "korean"])
def test_A_68_S_01_light_has_no_design(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    files = told.git("ls-tree", "-r", "--name-only", told.row.branch).splitlines()

    assert not [path for path in files if path.startswith("docs/02-design/")]
    assert "design-writer" not in told.spawned and "design" not in told.phases


def test_A_72_one_executor_implements_from_the_plan_tests_first(story: Callable[..., Any]) -> None:
    told = story("green")

    [spawned] = [e for e in told.of("spawn") if e.phase == "do"]
    prompt = spawned.data["prompt"]

    assert (spawned.data["name"], spawned.data["role"]) == ("executor", "executor")
    assert "There is no design document" in prompt and "Tests come first" in prompt
    assert "`top(text, n)` returns the n most frequent words" in prompt  # the plan itself


def test_A_90_X_01_a_failed_build_is_tried_once_more_and_phase_4_waits_for_it(story: Callable[..., Any]) -> None:
    told = story("buildable")

    builds = [(e.seq, e.data["verdict"]) for e in told.of("check", goal="build")]
    first, second = told.of("spawn", name="executor")
    [checking] = told.of("phase_entered", name="check")

    assert [verdict for _, verdict in builds] == ["failed", "passed"]
    assert first.seq < builds[0][0] < second.seq < builds[1][0] < checking.seq
    assert "the build refuses src/tally/broken.py" in second.data["prompt"]
    assert told.of("promoted") == [] and told.ending["status"] == "done"


def test_A_63_S_08_A_96_two_failed_builds_promote_to_standard_and_an_impl_manager_takes_over(
    story: Callable[..., Any],
) -> None:
    told = story("unbuildable", interrupt_the_promoted_run)

    [promoted] = told.of("promoted")
    assert (promoted.data["before"], promoted.data["after"]) == ("LIGHT", "STANDARD")
    assert (promoted.data["cause"], promoted.data["count"]) == ("build_failures", 2)
    builds = [e for e in told.of("check", goal="build") if e.seq < promoted.seq]
    assert [e.data["verdict"] for e in builds] == ["failed", "failed"]
    following = next(e for e in told.of("spawn") if e.seq > promoted.seq)
    assert (following.data["name"], following.data["role"]) == ("impl-manager", "executor")
    assert "design-writer" not in told.spawned and "there is no design document" in following.data["prompt"]


def test_A_63_A_67_the_promoted_run_follows_the_higher_mode_to_its_end(story: Callable[..., Any]) -> None:
    told = story("unbuildable", interrupt_the_promoted_run)

    assert told.spawned[-6:] == [
        *("impl-verifier", "qa-runner-1", "verifier", "gap-checker", "quality-checker", "reporter"),
    ]
    assert told.ending["status"] == "done" and told.last.code == 0
    assert [e.data["verdict"] for e in told.of("check", goal="build")][-1] == "passed"
    assert "against the plan" in told.prompts["verifier"] and "02-design" not in told.prompts["verifier"]


def test_A_63_A_67_A_155_the_promotion_is_in_the_status_file_and_holds_when_resumed(story: Callable[..., Any]) -> None:
    told = story("unbuildable", interrupt_the_promoted_run)

    for status in (told.facts["stopped"], told.status_file):
        assert status["mode"] == "STANDARD" and status["counters"]["buildFailures"] == 2
        [recorded] = status["promotions"]
        assert (recorded["cause"], recorded["phase"]) == ("build_failures", 3)
    again = [e for e in told.journal if e.place[0] == 2]
    assert next(e.data["name"] for e in again if e.kind == "spawn") == "impl-manager"  # nothing of LIGHT is done again
    assert not [e for e in again if e.kind == "warning" and "design" in e.data["text"]]


def test_A_154_the_work_is_on_a_branch_of_its_own_and_the_person_stays_on_theirs(story: Callable[..., Any]) -> None:
    told = story("green")

    branch = f"feat/{told.row.feature}"
    assert told.git("rev-list", "--count", f"main..{branch}").strip() == "1"
    assert told.git("rev-parse", f"{branch}~1") == told.git("rev-parse", "main")
    assert told.git("branch", "--show-current").strip() == "main"
    assert "def top" in told.document("src/tally/__init__.py")


def test_A_154_source_without_a_test_is_pointed_out_to_the_verifier(story: Callable[..., Any]) -> None:
    assert TDD_NOTE in story("mended").prompts["verifier"]
    assert TDD_NOTE not in story("green").prompts["verifier"]
    assert TDD_NOTE not in story("short-plan").prompts["verifier"]  # a document has no test


@pytest.mark.parametrize(
    ("paths", "lacking"),
    [
        (["src/a.py"], True),
        (["src/a.py", "tests/test_a.py"], False),
        (["src/a.py", "a_test.go"], False),
        (["src/a.ts", "src/a.spec.ts"], False),
        (["src/a.ts", "src/__tests__/a.ts"], False),
        (["src/a.py", "conftest.py"], False),
        (["src/latest.py"], True),
        (["src/inspector.py", "src/contest.ts"], True),
        (["README.md", "pyproject.toml"], False),
        (["docs/03-check/x.check.json", "docs/01-plan/x.plan.md"], False),
        ([], False),
    ],
)
def test_A_154_what_counts_as_source_and_as_test(paths: list[str], lacking: bool) -> None:
    assert lacks_tests(tuple(Change(path, "modified") for path in paths)) is lacking


def test_A_146_X_59_what_an_agent_forgot_is_neither_measured_nor_committed(story: Callable[..., Any]) -> None:
    told = story("leftovers")
    forgotten = {
        *("temp_probe.py", "tests/temp_run.txt", "docs/temp_notes.md", "tmpclaude-7f3a-cwd"),
        *("src/tally/draft.tmp", "src/tally/__init__.py.bak"),
    }

    [notice] = told.of("notice")
    assert set(notice.data["paths"]) == forgotten and all(path in notice.data["text"] for path in forgotten)
    committed = told.git("ls-tree", "-r", "--name-only", told.row.branch).splitlines()
    assert not forgotten & set(committed) and "ralph-counter.txt" in committed
    [dropped] = {e.data["tree"] for e in told.of("check")}
    assert dropped != told.of("result", name="executor")[0].data["tree"]
    assert [e.data["verdict"] for e in told.of("check", goal="lint")] == ["passed"]
    assert told.ending["status"] == "done"


def test_A_146_a_file_of_the_base_is_the_projects_whatever_its_name(story: Callable[..., Any]) -> None:
    told = story("leftovers")

    assert told.document("notes.bak") == "An old file of the project, renewed.\n"


def test_E_19_whoever_implements_cannot_rewrite_what_the_work_is_judged_by(story: Callable[..., Any]) -> None:
    told = story("shrinking")

    [tried] = [tool for tool in told.tools("impl-manager") if tool["tool"] == "run"]
    assert tried["ok"]  # it expected to fail, and did
    for path in (f"docs/01-plan/{told.row.feature}.plan.md", f"docs/02-design/{told.row.feature}.design.md"):
        assert "Nothing to do" not in told.document(path)
    assert told.ending["status"] == "done"
