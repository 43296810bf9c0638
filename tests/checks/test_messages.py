from __future__ import annotations

import json

import pytest

from andon.checks.messages import failed_count, qa_message
from andon.domain.verdict import CheckResult, Verdict

PASS, FAIL, SKIP, MISSED = Verdict.PASSED, Verdict.FAILED, Verdict.NOT_NEEDED, Verdict.NOT_MEASURED
GOALS = ("lint", "test", "build", "typecheck", "custom", "interactive")


def results(*verdicts: Verdict) -> list[CheckResult]:
    return [
        CheckResult(goal, verdict, "why", output="said", signatures=(f"{goal}:broken",) if verdict is FAIL else ())
        for goal, verdict in zip(GOALS, verdicts, strict=False)
    ]


def parsed(message: str) -> tuple[str, dict[str, object]]:
    head, _, body = message.partition(": ")
    return head, json.loads(body)


@pytest.mark.parametrize(
    ("verdicts", "head"),
    [
        ((PASS, PASS, SKIP, SKIP, SKIP, SKIP), "QA_PASSED"),
        ((PASS, FAIL, SKIP, SKIP, SKIP, SKIP), "QA_FAILED"),
        ((PASS, MISSED, SKIP, SKIP, SKIP, SKIP), "QA_FAILED"),
        ((SKIP, SKIP, SKIP, SKIP, SKIP, SKIP), "QA_PASSED"),
        ((), "QA_FAILED"),
    ],
)
def test_A_102_all_that_apply_must_pass(verdicts: tuple[Verdict, ...], head: str) -> None:
    assert parsed(qa_message(results(*verdicts)))[0] == head


def test_A_103_passed_message() -> None:
    head, body = parsed(qa_message(results(PASS, SKIP)))
    assert head == "QA_PASSED"
    assert body == {
        "goals": [
            {"goal": "lint", "status": "PASS", "output": "said", "reason": "why"},
            {"goal": "test", "status": "SKIP", "output": "said", "reason": "why"},
        ]
    }


def test_A_103_failed_message_counts_and_names_failures() -> None:
    checked = results(FAIL, PASS, FAIL, MISSED)
    head, body = parsed(qa_message(checked))
    assert head == "QA_FAILED"
    assert body["failed_count"] == 2 == failed_count(checked)
    assert body["not_measured_count"] == 1
    goals = body["goals"]
    assert isinstance(goals, list)
    assert [goal["signature"] for goal in goals] == ["lint:broken", "", "build:broken", ""]


def test_E_21_not_measured_is_neither_pass_nor_skip() -> None:
    _, body = parsed(qa_message(results(MISSED)))
    goals = body["goals"]
    assert isinstance(goals, list)
    assert goals[0]["status"] == "NOT_MEASURED"


def test_X_17_korean_output_stays_readable() -> None:
    message = qa_message([CheckResult("test", FAIL, output="환경 '오류'")])
    assert "환경 '오류'" in message
    assert parsed(message)[1]["failed_count"] == 1
