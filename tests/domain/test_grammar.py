"""E-06, E-07: how agents' messages are read. Good, bad and missing tokens; unreadable is never success."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.messages import (
    Completed,
    Failed,
    GoalResult,
    GoalStatus,
    qa_message,
    read_implementation,
    read_qa,
)
from andon.domain.auto.qa import signature
from andon.domain.grammar import (
    Unreadable,
    read_architect,
    read_critic,
    read_diagnosis,
    read_gap,
    read_object,
    read_repetitions,
    read_verifier,
)
from andon.domain.language import detect
from andon.domain.verdict import Verdict

# --- objects -------------------------------------------------------------------------------------------------------

VALUE = {"goals": [{"goal": "lint", "status": "PASS"}], "n": 1}


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        (json.dumps(VALUE), ""),
        (f"Here it is:\n```json\n{json.dumps(VALUE, indent=2)}\n```\nDone.", ""),
        (f"```\n{json.dumps(VALUE)}\n```", ""),
        (f"QA_PASSED: {json.dumps(VALUE)}", "QA_PASSED:"),
        (f"QA_PASSED:\n```json\n{json.dumps(VALUE)}\n```", "QA_PASSED:"),
        (repr(VALUE), ""),
        (f"QA_PASSED: {VALUE!r} and that is all", "QA_PASSED:"),
    ],
)
def test_E_07_the_same_value_however_it_is_wrapped(text: str, keyword: str) -> None:
    assert read_object(text, keyword) == VALUE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no object here",
        '{"a": 1 garbage}',
        '{"a": {"b": 1} garbage}',
        "{'a': 1, oops}",
        '{"a": 1',
        "{'a'}",
        "[1, 2]",
        '{"a": NaN}',
        "{1: 2}",
        "{'a': b'bytes'}",
        "{'a': __import__('os').getcwd()}",
        '{"a":' * 5000,
        "{'a':" * 5000,
    ],
)
def test_E_07_anything_wrong_inside_is_an_error(text: str) -> None:
    assert isinstance(read_object(text), Unreadable)


OWN, QUOTED = '{"findings": [1]}', '{"findings": []}'


@pytest.mark.parametrize(
    "fenced",
    [(QUOTED, OWN), (QUOTED, QUOTED, OWN), (OWN, "if (a) { return }"), (QUOTED, f"findings = {QUOTED}", OWN)],
    ids=["a quotation before", "two before", "code behind", "code before"],
)
def test_E_07_the_last_object_in_a_fence_is_the_agents_own(fenced: tuple[str, ...]) -> None:
    text = "It says\n" + "\nand\n".join(f"```json\n{each}\n```" for each in fenced)

    assert read_object(text) == {"findings": [1]}


@pytest.mark.parametrize("own", ['{"findings": [1,, 2]}', '{"findings": [1]', "{findings}"])
def test_E_07_what_is_broken_at_the_end_does_not_leave_the_word_to_a_quotation(own: str) -> None:
    text = f"It says\n```json\n{QUOTED}\n```\nbut\n```json\n{own}\n```"

    assert isinstance(read_object(text), Unreadable)


def test_E_07_with_a_keyword_the_object_must_follow_it() -> None:
    assert isinstance(read_object('KEY: see below {"a": 1}', "KEY:"), Unreadable)
    assert isinstance(read_object('{"a": 1}', "KEY:"), Unreadable)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_E_07_every_json_object_survives(value: dict[str, object]) -> None:
    assert read_object(f"KEY: {json.dumps(value)}", "KEY:") == value


# --- verdicts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "approved", "recognised"),
    [
        ("VERDICT: APPROVE", True, True),
        ("\n  **VERDICT: APPROVE**\nQG1 PASS", True, True),
        ("VERDICT: APPROVED - all gates pass", True, True),
        ("VERDICT: REVISE\nfix X", False, True),
        ("Looks good.\nVERDICT: APPROVE", False, False),
        ("VERDICT: APPROVE or VERDICT: REVISE", False, False),
        ("VERDICT: APPROVE할 수 없음", False, False),
        ("VERDICT: REJECT", False, False),
        ("APPROVE", False, False),
        ("", False, False),
    ],
)
def test_A_52_E_06_critic_first_line_decides(text: str, approved: bool, recognised: bool) -> None:
    reply = read_critic(text)

    assert (reply.approved, reply.recognised) == (approved, recognised)


@pytest.mark.parametrize(
    ("text", "feedback"),
    [
        ("VERDICT: REVISE\nfix X\nfix Y", "fix X\nfix Y"),
        ("VERDICT: REVISE - fix X", "fix X"),
        ("no verdict\nfix X", "no verdict\nfix X"),
    ],
)
def test_A_53_feedback_is_what_follows_the_verdict(text: str, feedback: str) -> None:
    assert read_critic(text).feedback == feedback


@pytest.mark.parametrize(
    ("text", "approved", "domain", "reason"),
    [
        ("VERDICT: REJECT\nDOMAIN: build\nimport cycle", False, "build", "DOMAIN: build\nimport cycle"),
        ("VERDICT: REJECT DOMAIN: ui\nlabel is missing", False, "UI", "label is missing"),
        ("VERDICT: REJECT\n\n**domain:** security\nsql", False, "security", "**domain:** security\nsql"),
        ("VERDICT: APPROVE\nDOMAIN: other", True, "other", "DOMAIN: other"),
        ("VERDICT: REJECT\nDOMAIN: banana\nx", False, "banana", "DOMAIN: banana\nx"),
        ("VERDICT: REVISE\nx", False, "other", "x"),
        ("all fine, ship it", False, "other", "all fine, ship it"),
        ("", False, "other", ""),
    ],
)
def test_A_92_X_16_E_06_architect_gate(text: str, approved: bool, domain: str, reason: str) -> None:
    reply = read_architect(text)

    assert (reply.approved, reply.domain, reply.reason) == (approved, domain, reason)


@pytest.mark.parametrize(
    ("text", "approved"),
    [
        ("APPROVE", True),
        ("VERDICT: APPROVE\nall items there", True),
        ("**APPROVE** - no issues found", True),
        ("판정: APPROVE", True),
        ("**VERDICT: APPROVE**\nall items there", True),
        ("**VERDICT:** APPROVE", True),
        ("**VERDICT**: APPROVE.", True),
        ("# VERDICT: APPROVED", True),
        ("I checked everything.\nVERDICT: APPROVE", False),
        ("Not yet.\n> VERDICT: APPROVE\nis what it would take.", False),
        ("> VERDICT: APPROVE", False),
        ('"VERDICT: APPROVE" cannot be said of this', False),
        ("It says VERDICT: APPROVE, and I do not", False),
        ("VERDICT: APPROVE is not possible", False),
        ("REJECT\nno tests", False),
        ("I cannot APPROVE this", False),
        ("APPROVE is not possible", False),
        ("APPROVE할 수 없습니다", False),
        ("APPROVE/REJECT: APPROVE", False),
        ("looks good to me", False),
        ("", False),
        ("Final verdict: APPROVE", True),
        ("최종 판정: APPROVE\n모두 맞습니다", True),
        ("✅ **APPROVE**", True),
        ("NOT: APPROVE", False),
        ("APPROVE\nVERDICT: REJECT", False),
    ],
)
def test_A_114_E_06_verifier(text: str, approved: bool) -> None:
    assert read_verifier(text).approved is approved


# --- diagnosis -----------------------------------------------------------------------------------------------------


def test_A_111_diagnosis_with_all_three() -> None:
    found = read_diagnosis("DIAGNOSIS: off by one\nFIX_GUIDE: src/a.py:12\n  use <=\nDOMAIN: LOGIC\n")

    assert (found.diagnosis, found.fix_guide, found.domain) == ("off by one", "src/a.py:12\n  use <=", "logic")
    assert found.complete


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("DIAGNOSIS: x\nDOMAIN: test", ("FIX_GUIDE",)),
        ("DIAGNOSIS: x\nFIX_GUIDE: 이것저것 시도해보세요\nDOMAIN: test", ("FIX_GUIDE",)),
        ("DIAGNOSIS: x\nFIX_GUIDE: try different things\nDOMAIN: test", ("FIX_GUIDE",)),
        ("DIAGNOSIS:\nFIX_GUIDE: a.py:1\nDOMAIN: {UI|build}", ("DIAGNOSIS", "DOMAIN")),
        ("it is broken", ("DIAGNOSIS", "FIX_GUIDE", "DOMAIN")),
    ],
)
def test_A_111_E_06_a_lacking_diagnosis_is_asked_for_again(text: str, missing: tuple[str, ...]) -> None:
    found = read_diagnosis(text)

    assert found.missing == missing
    assert "DOMAIN" not in missing or found.domain == "other"


# --- QA ------------------------------------------------------------------------------------------------------------

PASSED = "QA_PASSED: { 'goals': [{'goal': 'lint', 'status': 'PASS', 'output': 'ok'}] }"
FAILED = (
    'QA_FAILED: {"goals": [{"goal": "lint", "status": "PASS", "output": ""}, '
    '{"goal": "test", "status": "FAIL", "output": "1 failed", "signature": "test:a FAILED"}], "failed_count": 1}'
)


def test_A_103_both_messages_in_both_kinds_of_quotes() -> None:
    passed, failed = read_qa(PASSED), read_qa(FAILED)

    assert passed.verdict is Verdict.PASSED and not passed.mismatch
    assert failed.verdict is Verdict.FAILED and not failed.mismatch
    assert [goal.signature for goal in failed.failures] == ["test:a FAILED"]


def test_A_103_a_wrong_count_is_flagged_and_no_pass() -> None:
    assert read_qa(FAILED.replace('"failed_count": 1', '"failed_count": 2')).mismatch
    claimed = read_qa('QA_PASSED: {"goals": [{"goal": "test", "status": "PASS"}], "failed_count": 1}')
    assert claimed.mismatch and claimed.verdict is Verdict.FAILED


def _goals(*statuses: str) -> str:
    return json.dumps({"goals": [{"goal": f"g{i}", "status": status} for i, status in enumerate(statuses)]})


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        (("PASS", "PASS", "SKIP", "SKIP", "SKIP", "SKIP"), Verdict.PASSED),
        (("PASS", "FAIL", "SKIP", "SKIP", "SKIP", "SKIP"), Verdict.FAILED),
        (("PASS", "NOT_MEASURED"), Verdict.NOT_MEASURED),
        (("SKIP", "SKIP"), Verdict.NOT_NEEDED),
    ],
)
def test_A_102_E_21_goals_decide_not_the_keyword(statuses: tuple[str, ...], verdict: Verdict) -> None:
    assert read_qa(f"QA_PASSED: {_goals(*statuses)}").verdict is verdict


@pytest.mark.parametrize(
    "text",
    [
        "",
        "everything passed",
        "QA_PASSED",
        "QA_PASSED: all good",
        'QA_PASSED: {"goals": []}',
        'QA_PASSED: {"goals": [{"goal": "lint", "status": "GREEN"}]}',
        'QA_PASSED: {"goals": [{"status": "PASS"}]}',
        f"{PASSED}\n{FAILED}",
        f"QA_FAILED: {_goals('PASS')}",
        "I will send QA_PASSED: later",
    ],
)
def test_A_103_E_06_unreadable_QA_is_a_failure(text: str) -> None:
    report = read_qa(text)

    assert report.verdict is Verdict.FAILED
    assert not report.problem or [goal.goal for goal in report.failures] == ["custom"]


def test_X_17_andons_own_message_is_json_and_reads_back() -> None:
    goals = (GoalResult("lint", GoalStatus.PASS, "ok"), GoalResult("test", GoalStatus.FAIL, "x", "test:x"))

    text = qa_message(goals)

    assert text.startswith("QA_FAILED: ") and json.loads(text.removeprefix("QA_FAILED: "))["failed_count"] == 1
    assert read_qa(text).goals == goals
    assert qa_message(goals[:1]).startswith("QA_PASSED: ")


# --- implementation ------------------------------------------------------------------------------------------------

COMPLETED_SAMPLE = """```json
IMPLEMENTATION_COMPLETED: {
  "iterations": 3,
  "files_changed": ["src/agents/config.py", "src/agents/teams/coordinator.py", "tests/test_coordinator.py"],
  "test_results": "12 passed, 0 failed (pytest -v)",
  "build_results": "ruff check: All checks passed",
  "lint_results": "0 errors, 0 warnings",
  "self_review": "기존 BaseTeam 패턴 유지, 신규 coordinator에 의존성 주입 적용"
}
```"""
FAILED_SAMPLE = """IMPLEMENTATION_FAILED: {
  "iterations": 10,
  "remaining_issues": ["test_coordinator::test_heavy_mode FAILED - timeout", "ruff E501 in coordinator.py:142"],
  "last_attempt": "timeout 값 300s로 증가했으나 여전히 실패",
  "recommendation": "coordinator.py의 heavy_mode 병렬 처리 로직 재설계 필요"
}"""


def test_A_86_the_seeds_completed_sample() -> None:
    found = read_implementation(COMPLETED_SAMPLE)

    assert isinstance(found, Completed)
    assert (found.iterations, len(found.files_changed)) == (3, 3)
    assert found.test_results == "12 passed, 0 failed (pytest -v)"
    assert all((found.build_results, found.lint_results, found.self_review))


def test_A_87_the_seeds_failed_sample() -> None:
    found = read_implementation(FAILED_SAMPLE)

    assert isinstance(found, Failed) and found.iterations == 10
    assert len(found.remaining_issues) == 2 and found.red_flags == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "done!",
        "IMPLEMENTATION_COMPLETED",
        "IMPLEMENTATION_COMPLETED: yes",
        'IMPLEMENTATION_COMPLETED: {"iterations": "3", "files_changed": []}',
        'IMPLEMENTATION_COMPLETED: {"iterations": 0, "files_changed": []}',
        'IMPLEMENTATION_COMPLETED: {"iterations": true, "files_changed": []}',
        'IMPLEMENTATION_COMPLETED: {"iterations": 1, "files_changed": "a.py"}',
        'IMPLEMENTATION_COMPLETED: {"iterations": 1, "files_changed": [], "test_results": {"passed": 1}}',
        COMPLETED_SAMPLE.replace("```json\n", "").replace("}\n```", ""),
        f"{FAILED_SAMPLE}\n{COMPLETED_SAMPLE}",
    ],
)
def test_A_86_E_06_malformed_is_not_completed(text: str) -> None:
    assert isinstance(read_implementation(text), Unreadable)


# --- gap -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("GAP: 89%", 89),
        ("**GAP:** 90 %", 90),
        ("gap: 92.5%\n(coverage 40%)", 92.5),
        ("GAP: 70%\n... after a second look\nGAP: 85%", 85),
        ("일치율: 89%", 89),
        ("Of 10 items 8 match, that is 80%, then 85% with tests", 85),
        ("일치율 85% (기준 90%)", 85),
        ("일치율 85%, 90% 기준 미달", 85),
        ("Match rate 85%, below the threshold of 90%", 85),
        ("match 88%; 90% (threshold) is not reached", 88),
        ("rate from 0-100%: 77%", 77),
        ("GAP: 120%", None),
        ("GAP: NN%, threshold 95%", None),
        ("250% better", None),
        ("no number", None),
        ("", None),
    ],
)
def test_A_116_G_05_gap_percentage(text: str, gap: float | None) -> None:
    assert read_gap(text) == gap


# --- for every text ------------------------------------------------------------------------------------------------

TOKENS = st.sampled_from(
    [
        "VERDICT:",
        " ",
        "\n",
        "{",
        "}",
        "'",
        '"',
        "QA_PASSED:",
        "IMPLEMENTATION_COMPLETED:",
        "DOMAIN:",
        "GAP:",
        "95%",
        "[",
        ":",
    ]
)
MESSAGE = st.lists(TOKENS | st.text(max_size=5), max_size=30).map("".join)


@given(MESSAGE)
def test_E_06_no_text_raises_and_none_without_its_token_succeeds(text: str) -> None:
    read_diagnosis(text)
    gap = read_gap(text)

    assert not read_critic(text).approved or "APPROVE" in text
    assert not read_architect(text).approved or "APPROVE" in text
    assert not read_verifier(text).approved or "APPROVE" in text
    assert not isinstance(read_implementation(text), Completed) or '"iterations"' in text or "'iterations'" in text
    assert gap is None or 0 <= gap <= 100
    assert read_qa(text).verdict is Verdict.FAILED or "PASS" in text.replace("QA_PASSED", "") or "SKIP" in text


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece",
    ["a", " ", "*", "\n", "{", "{'a':", "VERDICT: ", "9", "9%", "GAP:", "DOMAIN:\n", "```\n", "'", '"', ">", "sh:"],
)
def test_E_06_hostile_length_is_read_in_time(piece: str) -> None:
    text = piece * (100_000 // len(piece)) + "!"

    assert not read_critic(text).approved and not read_architect(text).approved and not read_verifier(text).approved
    assert isinstance(read_implementation(f"IMPLEMENTATION_COMPLETED: {text}"), Unreadable)
    assert read_qa(f"QA_PASSED: {text}").verdict is Verdict.FAILED
    assert signature("test", text)
    read_diagnosis(text)
    read_gap(text)
    detect(text)


@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ("Closed it.\nREPETITIONS: 3", 3),
        ("REPETITIONS: 2\nand then\nrepetitions: **4**", 4),
        ("REPETITIONS: 0", 1),
        ("I went round three times.", 1),
        ("REPETITIONS: many", 1),
        ("REPETITIONS: -2", 1),
        ("", 1),
    ],
)
def test_A_128_an_iterator_has_used_at_least_one_repetition(text: str, rounds: int) -> None:
    assert read_repetitions(text) == rounds
