"""Agents that lie, loop, spend, hang and overstep: no run is done unless the work is, and its end can be acted on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

ROWS: dict[str, Any] = {
    name: row
    for name, row in yaml.safe_load((Path(__file__).parent / "stories/bad-agents.yaml").read_text())["rows"].items()
    if "ends" in row
}


@pytest.mark.parametrize("row", ROWS)
def test_E_18_E_19_S_11_whatever_an_agent_does_the_run_ends_for_the_right_reason(
    story: Callable[..., Any], row: str
) -> None:
    status, reason, code = ROWS[row]["ends"]

    told = story(f"bad-agents@{row}")

    assert (told.ending["status"], told.ending["reason"], told.first.code) == (status, reason, code)
    heard = "\n".join([told.ending["message"], *(e.data["text"] for e in told.of("user_notified"))])
    findings = told.of("open_finding")
    assert ROWS[row]["told"] in "\n".join([heard, *(e.data["text"] for e in findings)])
    if "finding" in ROWS[row]:
        assert ROWS[row]["finding"] in {e.data["kind"] for e in findings}
    done = status == "done"
    assert bool(told.of("committed")) is done and bool(told.git("branch", "--list", "feat/*")) is done
    assert [e.kind for e in told.journal][-2:] == ["team_deleted", "run_ended"]
    if not done:
        report = (told.worktree / f"docs/04-report/{told.row.feature}.report.md").read_text()
        assert told.ending["message"] in report and f"- `andon close {told.row.id}`: " in report
    left = [
        p.info["cmdline"] for p in psutil.process_iter(["cmdline"]) if told.row.id in " ".join(p.info["cmdline"] or ())
    ]
    assert left == []


def test_G_46_the_report_of_a_failed_implementation_can_be_acted_on(story: Callable[..., Any]) -> None:
    told = story("bad-agents@claims-what-fails")

    path = told.worktree / f"docs/04-report/{told.row.feature}.report.md"
    report = path.read_text()
    [finding] = told.of("open_finding")
    assert f"- {finding.data['id']}: {finding.data['text']}" in report
    assert "    FAILED tests/test_report.py::test_the_most_frequent_word_comes_first" in report  # as pytest printed it
    assert f'`andon accept {told.row.id} {finding.data["id"]} --reason "…"`' in report
    assert f"Plan: `docs/01-plan/{told.row.feature}.plan.md`" in report
    assert f"Design: `docs/02-design/{told.row.feature}.design.md`" in report
    assert "| lint | passed |" in report and "| test | failed |" in report
    assert "Advice" not in report and "Advice" not in told.ending["message"]  # nobody gave one
    assert [line.split() for line in told.first.stdout.splitlines() if "04-report" in line] == [["report", str(path)]]


def test_A_79_A_85_whoever_tells_the_linter_to_look_away_has_that_against_them(story: Callable[..., Any]) -> None:
    told = story("bad-agents@deletes-tests")

    found = {e.data["kind"]: e.data["text"] for e in told.of("open_finding")}
    assert found["settings"].startswith("ruff.toml: settings of a linter or type checker changed")
    assert found["red_flag"] == "src/tally/more.py:1: suppressed finding: import os  # noqa: F401"


def test_A_65_A_96_work_that_touches_more_than_its_plan_said_raises_the_mode(story: Callable[..., Any]) -> None:
    told = story("bad-agents@speaks-korean")  # whose plan names two files, and whose implementer writes five

    [raised] = [e.data for e in told.of("promoted")]
    assert (raised["before"], raised["after"]) == ("STANDARD", "HEAVY")
    assert (raised["cause"], raised["count"]) == ("affected_files", 5)
    assert told.of("spawn", name="gap-checker")[0].data["role"] == "code-reviewer"  # as HEAVY has it
    [noted] = (told.repository / ".omc/notepad.md").read_text().splitlines()
    assert "Promoted STANDARD -> HEAVY" in noted and told.row.id in noted
    assert ".omc" not in told.git("status", "--porcelain", "--untracked-files=all")


def test_G_39_a_check_phase_that_breaks_off_leaves_its_document(story: Callable[..., Any]) -> None:
    told = story("bad-agents@judges-in-riddles")

    document = json.loads((told.worktree / f"docs/03-check/{told.row.feature}.check.json").read_text())
    assert (document["verifier"], document["gap"], document["cycles"]) == ("APPROVE", None, 1)
    assert [goal["goal"] for goal in document["goals"]][:2] == ["lint", "test"]


@pytest.mark.parametrize("row", ["leaves-its-area", "gives-up-its-area"])
def test_A_75_when_one_of_several_implementers_fails_phase_4_is_not_entered(
    story: Callable[..., Any], row: str
) -> None:
    told = story(f"bad-agents@{row}")

    assert {"impl-readme", "impl-install"} <= set(told.spawned) and len(told.of("user_notified")) == 1
    assert "check" not in told.phases and told.of("merged") == []


def test_A_84_two_failed_messages_in_a_row_are_believed(story: Callable[..., Any]) -> None:
    told = story("bad-agents@gives-up-its-area")

    claims = [(e.data["iteration"], e.data["claim"]) for e in told.of("iteration", name="impl-readme")]
    assert claims == [(1, "FAILED"), (2, "FAILED")]
    assert told.spawned.count("impl-install") == 1  # it was done after the first
    assert "Advice: Ask a person (advice R-3)." in told.ending["message"]


def test_E_03_A_84_the_plan_and_the_check_document_are_nobodys_to_rewrite(story: Callable[..., Any]) -> None:
    told = story("bad-agents@rewrites-the-plan")

    refused = told.of("scope_refused", name="impl-manager")
    assert "docs/03-check/" in refused[0].data["detail"]
    plan = told.worktree / f"docs/01-plan/{told.row.feature}.plan.md"
    assert "Nobody knows how to install it." in plan.read_text()  # the kernel kept it


def test_E_19_an_author_who_approves_itself_is_judged_by_others(story: Callable[..., Any]) -> None:
    told = story("bad-agents@approves-itself")

    verdicts = [(e.data["name"], e.data["verdict"]) for e in told.of("verdict")]
    assert ("impl-verifier", "REJECT") in verdicts and ("verifier", "REJECT") in verdicts
    assert "impl-manager" not in {name for name, _ in verdicts}


def test_A_106_A_110_a_tool_that_is_not_there_ends_the_first_cycle_and_nobody_is_asked_to_mend_it(
    story: Callable[..., Any],
) -> None:
    told = story("bad-agents@needs-a-strange-tool")

    assert "not found" in told.ending["message"]
    assert [name for name in told.spawned if name.startswith(("qa-", "diagnostician", "fixer"))] == ["qa-runner-1"]
    assert "act" not in told.phases and "verifier" not in told.spawned
