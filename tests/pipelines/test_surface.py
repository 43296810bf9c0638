"""What a run shows and leaves: event lines, exit codes, files where they belong, no secrets; and a run in Korean."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

LEGACY = ("ralph-state.json", "ralph-verification.json", "ultrawork-state.json")


def test_E_24_the_json_lines_of_a_run_are_its_journal(story: Callable[..., Any]) -> None:
    told = story("green")

    lines = [json.loads(line) for line in told.first.stdout.splitlines()]

    assert lines == [json.loads(json.dumps(asdict(entry))) for entry in told.journal]
    assert {"phase_entered", "spawn", "message", "result", "check", "verdict", "run_ended"} <= {
        e["kind"] for e in lines
    }


def test_E_24_replaying_the_json_lines_gives_the_final_status(story: Callable[..., Any]) -> None:
    told = story("green")

    replayed: dict[str, Any] = {"status": "running", "tokens": 0}
    for line in told.first.stdout.splitlines():
        entry = json.loads(line)
        match entry["kind"], entry["data"]:
            case "run_started", data:
                replayed |= {"id": entry["run"], "task": data["task"], "leg": data["leg"]}
            case "team_created", data:
                replayed["feature"] = data["team"].removeprefix("pdca-")
            case "phase_entered", data:
                replayed["phase"] = data["name"]
            case "score", data:
                replayed["mode"] = data["mode"]
            case "result", data:
                replayed["tokens"] += data["usage"].get("input_tokens", 0) + data["usage"].get("output_tokens", 0)
            case "run_ended", data:
                replayed |= {"status": data["status"], "reason": data["reason"]}
            case _:
                pass
    shown = json.loads(told.andon("status", "--json").stdout)
    assert {key: shown[key] for key in replayed} == replayed


def test_E_10_A_32_files_lie_only_where_they_belong(story: Callable[..., Any]) -> None:
    told = story("green")
    feature = told.row.feature

    changed = told.git("diff", "--name-only", f"{told.row.spec['base']}..{told.row.branch}").splitlines()

    assert set(changed) == {
        f"docs/01-plan/{feature}.plan.md",
        f"docs/03-check/{feature}.check.json",
        f"docs/04-report/{feature}.report.md",
        "src/tally/__init__.py",
        "tests/test_words.py",
    }
    status = told.git("status", "--porcelain", "--untracked-files=all", "--ignored")
    assert status.splitlines() == ["?? docs/.pdca-status.json"]
    assert list(told.user.iterdir()) == []  # nothing in the person's home folder


@pytest.mark.parametrize("name", ["green", "mended", "lying", "failing", "many-files"])
def test_A_145_no_loop_state_of_older_programs_is_made(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    assert [path for path in told.left_behind() if path.name in LEGACY] == []


def test_E_28_a_secret_of_the_environment_is_written_nowhere(story: Callable[..., Any]) -> None:
    told = story("green")
    secret = told.script["environment"]["TALLY_API_TOKEN"].encode()

    assert holding(secret, told) == []
    assert secret.decode() not in told.first.stdout + told.first.stderr


def test_E_28_a_password_that_a_document_names_is_hidden_before_it_is_presented_or_committed(
    story: Callable[..., Any],
) -> None:
    told = story("green")
    plan = told.git("show", f"{told.row.branch}:docs/01-plan/add-top-n-the-n-most-frequent-words.plan.md")
    [hidden] = told.of("secret_hidden")

    assert "`postgres://texts:[redacted]@texts.local/all`, DB_PASSWORD=${DB_PASSWORD}." in plan
    assert "Hunter2!" not in told.git("log", "-p", told.row.branch)
    assert (hidden.data["name"], hidden.data["what"]) == ("planner", "password in an address")


def test_E_28_a_secret_that_gh_prints_is_written_nowhere(story: Callable[..., Any]) -> None:
    told = story("korean")
    secret = told.script["environment"]["GH_TOKEN"].encode()

    assert "[redacted]" in told.prompts["issue-analyst"]  # gh printed it
    assert holding(secret, told) == []


def holding(secret: bytes, told: Any) -> list[str]:
    """Files of the story and of the data folder that contain it, read by a process of its own.

    A process that reads the database's file beside its own connection to it gives up that connection's locks.
    """
    looked = {path.name for path in told.left_behind()}
    assert {"andon.db", "scenario.yaml", ".pdca-status.json", "command.json"} <= looked
    words = ["grep", "-rlaF", "--exclude-dir=environments", "-e", secret.decode(), str(told.folder), str(told.home)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60).stdout.splitlines()


def test_E_30_help_lists_every_command_and_each_has_help_of_its_own(story: Callable[..., Any]) -> None:
    told = story("green")

    shown = told.andon("--help").stdout

    commands = [
        "auto",
        "demo",
        "runs",
        "status",
        "watch",
        "logs",
        "stop",
        "resume",
        "fork",
        "answer",
        "evidence",
        "doctor",
    ]
    assert [name for name in commands if f"\n  {name} " not in shown] == []
    helped = told.andon("auto", "--help")
    assert helped.code == 0 and "--json" in helped.stdout


@pytest.mark.parametrize(("name", "code"), [("green", 0), ("lying", 1), ("big", 2), ("missing-tool", 4)], ids=str)
def test_E_30_exit_codes_tell_done_failed_needs_a_person_and_environment_apart(
    story: Callable[..., Any], name: str, code: int
) -> None:
    assert story(name).first.code == code


def test_E_30_a_mistake_on_the_command_line_is_3_and_names_the_nearest_option(story: Callable[..., Any]) -> None:
    told = story("green")

    ran = told.andon("auto", "task", "--worktre")

    assert ran.code == 3 and "--worktree" in ran.stderr


SCORE = """=== 복잡도 판단 ===
파일 범위: 0점 (문서 1개)
아키텍처: 0점 (기존 구조)
의존성:   0점 (없음)
모듈 영향: 0점 (단일)
사용자 명시: 0점
총점: 0/5 -> LIGHT
==================="""


def test_S_01_A_39_G_03_the_score_in_korean(story: Callable[..., Any]) -> None:
    told = story("korean")

    assert told.first.stdout.count(SCORE) == 1


def test_S_01_a_light_run_in_korean(story: Callable[..., Any]) -> None:
    told = story("korean")

    assert told.first.code == 0
    assert [(e.data["name"], e.data["model"]) for e in told.of("spawn")][2:] == [
        ("planner", "haiku"),
        ("executor", "sonnet"),
        ("qa-runner", ""),
        ("verifier", "sonnet"),
        ("reporter", "haiku"),
    ]
    assert told.status_file["phasesCompleted"] == [1, 3, 4, 5] and told.status_file["status"] == "done"
    assert "## 설치" in told.document("README.md")
    assert told.of("warning") == []


def test_S_01_G_03_documents_and_messages_are_in_korean(story: Callable[..., Any]) -> None:
    told = story("korean")

    assert "in Korean" in told.prompts["planner"] and "in Korean" in told.prompts["reporter"]
    messages = {e.data["recipient"]: e.data["content"] for e in told.of("message")}
    assert messages["planner"] == "계획 수립 시작. 완료 후 TaskUpdate로 completed 처리."
    assert told.ending["message"] == f"{told.row.feature}: 검사, 승인, 보고까지 마쳤습니다."
    report = told.document(f"docs/04-report/{told.row.feature}.report.md")
    assert "## 기록" in report and "| test | 해당 없음 |" in report and "| 합계 |" in report
