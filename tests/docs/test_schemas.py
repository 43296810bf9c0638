"""The published schemas cannot lie: the sources' samples and what the product writes are valid, mistakes are not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.app.verdicts import as_json
from andon.app.verifying import Verified
from andon.domain.auto.act import Counters
from andon.domain.auto.check_document import check_document
from andon.domain.auto.conditions import Unmet, completed_message, failed_message
from andon.domain.auto.messages import (
    Completed,
    Failed,
    GoalResult,
    GoalStatus,
    QaReport,
    qa_message,
    read_implementation,
    read_qa,
)
from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Cause, Promotion
from andon.domain.auto.qa import Failure, record
from andon.domain.auto.status import AreaState, PdcaStatus, from_dict, to_dict, to_json
from andon.domain.goal import GOAL_NAMES
from andon.domain.grammar import object_after
from andon.domain.run import RunRow, Status
from andon.domain.tasks.checkpoints import Reason
from andon.domain.tasks.states import ReviewState
from andon.domain.uam import state as uam_state
from andon.domain.verdict import CheckResult, Verdict
from andon.domain.verification import Excused, Layer, Verification, found
from published import REFERENCE, SCHEMAS, mistakes

ROOT = Path(__file__).resolve().parents[2]


# --- what the sources show, letter by letter ----------------------------------------------------------------------

STATUS_FIELDS = [
    """{
  "implManagerIteration": 5,
  "implManagerStatus": "in_progress",
  "implManagerRemainingIssues": ["test failure in X", "lint error in Y"]
}""",
    """{
  "implManagerIteration": 5,
  "implManagerStatus": "in_progress",
  "implManagerRemainingIssues": ["issue1", "issue2"]
}""",
]
REPLACED_FIELDS = """{
  "ralphIteration": 5,
  "ralphStatus": "in_progress"
}"""
FAILURE_HISTORY = """[
    {
        "cycle": 1,
        "type": "test",
        "detail": "test_coordinator.py::test_heavy_mode - AssertionError: expected 3 got 2",
        "signature": "test:test_coordinator::test_heavy_mode FAILED"
    },
    {
        "cycle": 2,
        "type": "lint",
        "detail": "coordinator.py:142 E501 line too long (145 > 120)",
        "signature": "lint:coordinator.py:142 E501"
    }
]"""
FAILURE_ENTRIES = [
    """{
  "cycle": cycle,
  "type": "lint|test|build|type",
  "detail": "{실패 상세}",
  "signature": "{실패 식별 시그니처}"
}""",
    """{
        "cycle": cycle,
        "type": failed_goal.goal,
        "detail": failed_goal.output,
        "signature": failed_goal.signature
      }""",
]
QA_MESSAGES = {
    "qa-passed": "QA_PASSED: { 'goals': [{goal, status, output}] }",
    "qa-failed": "QA_FAILED: { 'goals': [{goal, status, output, signature}], 'failed_count': N }",
}

IMPLEMENTATION_MESSAGES = {
    "implementation-completed": """IMPLEMENTATION_COMPLETED: {
  "iterations": 3,
  "files_changed": ["src/agents/config.py", "src/agents/teams/coordinator.py", "tests/test_coordinator.py"],
  "test_results": "12 passed, 0 failed (pytest -v)",
  "build_results": "ruff check: All checks passed",
  "lint_results": "0 errors, 0 warnings",
  "self_review": "기존 BaseTeam 패턴 유지, 신규 coordinator에 의존성 주입 적용"
}""",
    "implementation-failed": """IMPLEMENTATION_FAILED: {
  "iterations": 10,
  "remaining_issues": ["test_coordinator::test_heavy_mode FAILED - timeout", "ruff E501 in coordinator.py:142"],
  "last_attempt": "timeout 값 300s로 증가했으나 여전히 실패",
  "recommendation": "coordinator.py의 heavy_mode 병렬 처리 로직 재설계 필요"
}""",
}


def filled(message: str, status: str) -> str:
    """The sources' form of a QA message with values where it has names."""
    names = re.search(r"\[\{(.*)\}\]", message)
    assert names
    entry = {name: status if name == "status" else "test" for name in names[1].split(", ")}
    return message.replace(f"[{{{names[1]}}}]", str([entry])).replace("N }", "1 }")


@pytest.mark.parametrize("sample", STATUS_FIELDS)
def test_E_08_the_status_fields_of_the_sources_are_valid(sample: str) -> None:
    fields = json.loads(sample)
    part = {"$ref": "#/$defs/implementation", "$defs": SCHEMAS["pdca-status"]["$defs"]}

    jsonschema.Draft202012Validator(part).validate(fields)
    assert mistakes("pdca-status", to_dict(PdcaStatus("f", 3)) | fields) == []


def test_E_08_A_142_the_status_fields_that_were_replaced_are_not_valid() -> None:
    assert mistakes("pdca-status", to_dict(PdcaStatus("f", 3)) | json.loads(REPLACED_FIELDS))


def test_E_08_the_failure_history_of_the_sources_is_valid() -> None:
    history = json.loads(FAILURE_HISTORY)

    assert [mistakes("failure", entry) for entry in history] == [[], []]
    assert mistakes("pdca-status", to_dict(PdcaStatus("f", 4)) | {"failureHistory": history}) == []


@pytest.mark.parametrize("sample", FAILURE_ENTRIES)
def test_E_08_the_failure_entry_of_the_sources_is_valid_with_values_where_it_has_names(sample: str) -> None:
    entry = json.loads(re.sub(r"failed_goal\.\w+", '"test"', sample).replace(": cycle", ": 1"))

    assert mistakes("failure", entry) == []


@pytest.mark.parametrize(("name", "status"), [("qa-passed", "PASS"), ("qa-failed", "FAIL")])
def test_E_08_the_qa_messages_of_the_sources_are_valid_with_values_where_they_have_names(
    name: str, status: str
) -> None:
    message = filled(QA_MESSAGES[name], status)

    assert mistakes(name, object_after(message.partition(":")[2])) == []
    assert not read_qa(message).problem


@pytest.mark.parametrize("name", IMPLEMENTATION_MESSAGES)
def test_E_08_A_86_A_87_the_implementation_messages_of_the_sources_are_valid_and_can_be_read(name: str) -> None:
    message = IMPLEMENTATION_MESSAGES[name]

    assert mistakes(name, json.loads(message.partition(":")[2])) == []
    assert isinstance(read_implementation(message), Completed | Failed)


# --- what the product writes --------------------------------------------------------------------------------------

NUMBERS = st.integers(0, 2**40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
FAILURES = st.lists(st.builds(Failure, NUMBERS, st.text(), st.text(), st.text()), max_size=3).map(tuple)
PROMOTIONS = st.builds(
    Promotion,
    *(st.just(Mode.LIGHT), st.sampled_from([Mode.STANDARD, Mode.HEAVY]), st.sampled_from(Cause), NUMBERS, NUMBERS),
) | st.builds(Promotion, st.just(Mode.STANDARD), st.just(Mode.HEAVY), st.sampled_from(Cause), NUMBERS, NUMBERS)
STATUSES = st.builds(
    PdcaStatus,
    st.text(min_size=1),
    st.integers(0, 5),
    status=st.sampled_from(Status),
    mode=st.none() | st.sampled_from(Mode),
    promotions=st.lists(PROMOTIONS, max_size=2).map(tuple),
    phases_completed=st.lists(st.integers(0, 5)).map(tuple),
    counters=st.builds(Counters, NUMBERS, NUMBERS, NUMBERS),
    build_failures=NUMBERS,
    qa_cycle=NUMBERS,
    failures=FAILURES,
    iteration=NUMBERS,
    remaining_issues=st.lists(st.text(), max_size=2).map(tuple),
    areas=st.lists(st.builds(AreaState, st.text(), st.text(), st.text(), st.booleans()), max_size=2).map(tuple),
    extra=st.dictionaries(st.text() | st.just("ralphIteration"), JSON, max_size=3),
)
GOALS = st.lists(
    st.builds(GoalResult, st.sampled_from(GOAL_NAMES), st.sampled_from(GoalStatus), st.text(), st.text()),
    min_size=1,
    max_size=6,
).map(tuple)
RESULTS = st.lists(
    st.builds(
        CheckResult,
        st.sampled_from(GOAL_NAMES),
        st.sampled_from(Verdict),
        st.text(),
        st.lists(st.text(), max_size=3).map(tuple),
        st.text(),
    ),
    max_size=6,
).map(tuple)


@given(STATUSES)
def test_E_08_every_status_file_is_valid(status: PdcaStatus) -> None:
    assert mistakes("pdca-status", json.loads(to_json(status))) == []


@given(st.dictionaries(st.sampled_from(sorted(to_dict(PdcaStatus("f", 1)))), JSON))
def test_E_08_a_status_file_that_can_be_read_is_valid_when_written_back_and_a_valid_one_can_be_read(
    changed: dict[str, object],
) -> None:
    value = to_dict(PdcaStatus("f", 1)) | changed

    read = from_dict(value)

    if isinstance(read, PdcaStatus):
        assert mistakes("pdca-status", to_dict(read)) == []
    else:
        assert mistakes("pdca-status", value)


@given(GOALS)
def test_E_08_every_qa_message_is_valid_and_so_is_what_the_history_keeps_of_it(goals: tuple[GoalResult, ...]) -> None:
    keyword, _, text = qa_message(goals).partition(": ")
    other = {"QA_PASSED": "qa-failed", "QA_FAILED": "qa-passed"}[keyword]

    assert mistakes(keyword.lower().replace("_", "-"), json.loads(text)) == []
    assert mistakes(other, json.loads(text))
    for failure in record((), 1, QaReport(goals, claimed_passed=False)):
        assert mistakes("failure", asdict(failure)) == []


@given(
    st.text(min_size=1),
    st.sampled_from(Mode),
    st.sampled_from(["", "APPROVE", "REJECT"]),
    RESULTS,
    FAILURES,
    st.none() | st.floats(0, 100),
    st.dictionaries(st.text(), st.text(), max_size=2),
)
def test_E_08_G_39_every_check_document_is_valid(
    feature: str,
    mode: Mode,
    verifier: str,
    results: tuple[CheckResult, ...],
    history: tuple[Failure, ...],
    gap: float | None,
    accepted: dict[str, str],
) -> None:
    text = check_document(
        feature, mode, verifier, results, history, gap=gap, quality=["minor: a"], further=results, accepted=accepted
    )

    assert mistakes("check", json.loads(text)) == []


@given(st.integers(1, 10), st.lists(st.text(), max_size=2), RESULTS, st.text())
def test_E_08_A_86_every_completion_andon_tells_is_valid_and_can_be_read(
    iterations: int, files: list[str], results: tuple[CheckResult, ...], review: str
) -> None:
    message = completed_message(iterations, files, results, review)

    assert mistakes("implementation-completed", json.loads(message.partition(": ")[2])) == []
    assert isinstance(read_implementation(message), Completed)


@given(st.integers(1, 10), st.lists(st.builds(Unmet, st.integers(0, 5), st.text()), max_size=3), st.text())
def test_E_08_A_87_every_failure_andon_tells_is_valid_and_can_be_read(
    iterations: int, unmet: list[Unmet], advice: str
) -> None:
    message = failed_message(iterations, unmet, Failed(1, (), "", advice))

    assert mistakes("implementation-failed", json.loads(message.partition(": ")[2])) == []
    assert isinstance(read_implementation(message), Failed)


# --- what is wrong is refused -------------------------------------------------------------------------------------

PASSED = GoalResult("lint", GoalStatus.PASS)
FAILED = GoalResult("test", GoalStatus.FAIL, "1 failed", "test:a FAILED")
FAILURE = Failure(1, "test", "1 failed", "test:a FAILED")
MEASURED = (CheckResult("test", Verdict.FAILED, "1 failed", ("pytest",), "4b825dc"),)
_SKIPPED = found("test_skipped", "test_x is skipped", "tests/test_x.py", 3, "test_x")
VERIFIED = Verified(
    RunRow("v1", "verify", "t", "", "/r", "", Status.FAILED, "", "", "failed", 1, 0.0, 0.0),
    Verification("b", "t", (_SKIPPED,), (Excused(_SKIPPED, "line 3 of the plan"),), MEASURED, tuple(Layer), ("n",)),
    "bwrap+limits",
    1.5,
    0.5,
    "c",
)
RIGHT: dict[str, str] = {
    "verification": json.dumps(as_json(VERIFIED)),
    "failure": json.dumps(asdict(FAILURE)),
    "qa-passed": qa_message((PASSED,)).partition(": ")[2],
    "qa-failed": qa_message((PASSED, FAILED)).partition(": ")[2],
    "pdca-status": to_json(
        PdcaStatus(
            "f", 4, mode=Mode.STANDARD, promotions=(Promotion(Mode.LIGHT, Mode.STANDARD, Cause.BUILD_FAILURES, 2, 3),)
        )
    ),
    "check": check_document("f", Mode.LIGHT, "REJECT", MEASURED, (FAILURE,), accepted={"check-1": "known"}),
    "implementation-completed": completed_message(1, ["a.py"], MEASURED, "fits").partition(": ")[2],
    "implementation-failed": failed_message(1, [Unmet(2, "build failed")], None).partition(": ")[2],
}
UAM_ROW = {"command": "pytest", "verdict": "failed", "exit": 1, "reason": "exit code 1", "tests": {"failed": 1}}
UAM_ROW |= {"failing": ["tests/test_a.py::test_b"], "sandbox": "bwrap+limits", "seconds": 1.2}
UAM_REVIEWER = {"reviewer": "codex", "status": "SKIPPED", "critical": 0, "warnings": 0, "findings": []}
UAM_SCENARIO = {"scenario": "a", "runs": 3, "passed_runs": 2, "passed": False, "reasons": ["closed"]}
UAM_CRITERION = {"id": "AC-1", "category": "functional", "command": "pytest", "expected_exit": 0, "actual_exit": 0}
UAM_CRITERION |= {"status": "PASS", "output_snippet": "1 passed"}
UAM: dict[str, Any] = {
    "uam-state": uam_state.fresh("uam-20260228-auth-feature", "2026-02-28T10:00:00Z"),
    "uam-worker": {
        **{"todo_id": "TODO-1", "status": "PASS", "outputs": {"files_changed": ["a.py"], "summary": "done"}},
        **{"acceptance_criteria": [UAM_CRITERION], "learnings": ["x"], "issues": [], "decisions": []},
    },
    "uam-gate1": {
        **{"passed": False, "tests_passed": 1, "tests_total": 2, "pass_rate": 0.5, "tiers": {"unit": [UAM_ROW]}},
        **{"not_run": ["integration", "e2e"], "verification": [{"id": "check-1", "text": "x"}], "summary": "Gate 1"},
    },
    "uam-gate2": {"verdict": "SKIPPED", "passed": None, "reviewers": [UAM_REVIEWER]},
    "uam-gate3": {"passed": False, "threshold": 0.8, "scenarios": [UAM_SCENARIO]},
}
"""What runs write is compared with the schemas where they are told: tests/pipelines/test_uam_fixing.py."""
TREE = "0123456789abcdef0123456789abcdef01234567"
TASKS: dict[str, Any] = {
    "phase-verification": {
        **{"number": 1, "passed": False, "report": "B1-03: no part impact", "score": 0.5},
        "criteria": [{"id": "B1-03", "passed": False, "detail": "no part impact", "measured": False}],
    },
    "review": {
        **{"id": "r", "task": "t", "phase": 2, "status": "pending", "version": 1, "tree": TREE, "base": TREE},
        **{
            "deliverables": ["docs/a.md"],
            "verified": False,
            "verdict": "not_measured",
            "comment": "",
            "reviewer": "kim",
        },
        **{"opened_at": "2026-01-01T00:00:00Z", "decided_at": None, "decided_by": "", "escalated_at": None},
        **{"comments": [{"path": "docs/a.md", "text": "why", "line": 0}], "auto_approved": False},
    },
    "checkpoint": {
        **{"reason": "periodic", "phase": 1, "step": "work", "progress": 0.25, "pending": ["work"], "began": TREE},
        **{"reworks": 0, "told": "", "origin": "", "history": {"task-agent": "session"}, "variables": ["KEY"]},
        **{"tree": TREE, "tokens": 7},
    },
    "quality-score": {
        **{"relevance": 1, "completeness": 5, "accuracy": 3, "clarity": 3, "actionability": 3},
        **{"accuracy_assessed": False, "overall": 3.0},
    },
    "tool-paths": {
        "browser": {"method": "cli", "command": "npx playwright", "fallback": "playwright MCP"},
        "vault": {"method": "mcp", "server": "obsidian", "fallback": "file system"},
    },
}
"""What the product writes is compared where it is told: tests/pipelines/test_tasks.py, test_conversations.py,
tests/web/test_api.py, tests/cli/test_team.py."""
RIGHT |= {name: json.dumps(sample) for name, sample in (UAM | TASKS).items()}
OPTIONAL = {
    ("implementation-failed", "red_flags"),  # the sources' own samples leave it out
    *(("phase-verification", key) for key in ("number", "score")),
    *(("checkpoint", key) for key in ("began", "reworks", "told", "origin", "progress")),
}
WRONG: list[tuple[str, Callable[[Any], object]]] = [
    ("verification", lambda it: it.update(verdict="fine")),
    ("verification", lambda it: it["findings"][0].pop("id")),
    ("verification", lambda it: it["excused"][0].pop("because")),
    ("uam-state", lambda it: it.update(current_phase="phase6")),
    ("uam-state", lambda it: it["gate_results"].update(gate1_passed="yes")),
    ("uam-worker", lambda it: it.update(status="OK")),
    ("uam-worker", lambda it: it["outputs"].pop("summary")),
    ("uam-gate1", lambda it: it.update(summary="x" * 501)),
    ("uam-gate1", lambda it: it["tiers"].update(smoke=[])),
    ("uam-gate2", lambda it: it.update(verdict="PASS")),
    ("uam-gate3", lambda it: it["scenarios"][0].update(runs=2)),
    ("phase-verification", lambda it: it.update(passed="yes")),
    ("phase-verification", lambda it: it["criteria"][0].update(measured=True)),
    ("review", lambda it: it.update(status="maybe")),
    ("review", lambda it: it.update(tree="main")),
    ("review", lambda it: it["comments"][0].pop("line")),
    ("checkpoint", lambda it: it.update(reason="because")),
    ("checkpoint", lambda it: it.update(progress=25)),
    ("quality-score", lambda it: it.update(clarity=6)),
    ("quality-score", lambda it: it.update(accuracy_assessed=None)),
    ("tool-paths", lambda it: it["browser"].update(method="api")),
    ("tool-paths", lambda it: it["browser"].update(server="playwright")),
    ("tool-paths", lambda it: it["vault"].pop("fallback")),
    ("failure", lambda it: it.update(cycle="1")),
    ("failure", lambda it: it.update(cycle=-1)),
    ("failure", lambda it: it.update(signature=None)),
    ("qa-passed", lambda it: it.update(goals=[])),
    ("qa-passed", lambda it: it["goals"][0].update(status="FAIL")),
    ("qa-passed", lambda it: it["goals"][0].update(status="pass")),
    ("qa-passed", lambda it: it["goals"][0].pop("output")),
    ("qa-failed", lambda it: it.update(failed_count=0)),
    ("qa-failed", lambda it: it.update(failed_count="1")),
    ("qa-failed", lambda it: it["goals"].pop()),
    ("qa-failed", lambda it: it["goals"][1].pop("signature")),
    ("qa-failed", lambda it: it["goals"][1].update(status="BROKEN")),
    ("pdca-status", lambda it: it.update(ralphIteration=5)),
    ("pdca-status", lambda it: it.update(schemaVersion=2)),
    ("pdca-status", lambda it: it.update(primaryFeature="")),
    ("pdca-status", lambda it: it.update(phaseNumber=6)),
    ("pdca-status", lambda it: it.update(mode="HUGE")),
    ("pdca-status", lambda it: it.update(implManagerRemainingIssues=[1])),
    ("pdca-status", lambda it: it.update(failureHistory=[{"cycle": 1}])),
    ("pdca-status", lambda it: it["counters"].pop("rejections")),
    ("pdca-status", lambda it: it["promotions"][0].update(to="LIGHT")),
    ("pdca-status", lambda it: it["promotions"][0].update({"from": "STANDARD"})),
    ("check", lambda it: it.update(kind="check")),
    ("check", lambda it: it.update(version="1")),
    ("check", lambda it: it.update(mode="None")),
    ("check", lambda it: it.update(verifier="")),
    ("check", lambda it: it["goals"][0].update(verdict="PASS")),
    ("check", lambda it: it["goals"][0].update(command="pytest")),
    ("check", lambda it: it["history"][0].pop("type")),
    ("check", lambda it: it.update(gap=101)),
    ("check", lambda it: it.update(gap="96%")),
    ("check", lambda it: it["accepted"][0].pop("reason")),
    ("pdca-status", lambda it: it.update(implManagerAreas=[{"name": "api"}])),
    ("qa-passed", lambda it: it["goals"][0].update(status="NOT_MEASURED")),
    ("implementation-completed", lambda it: it.update(iterations=0)),
    ("implementation-completed", lambda it: it.update(files_changed="a.py")),
    ("implementation-completed", lambda it: it.update(test_results=None)),
    ("implementation-failed", lambda it: it.update(iterations="1")),
    ("implementation-failed", lambda it: it.update(remaining_issues=[1])),
]


@pytest.mark.parametrize(("name", "spoil"), WRONG, ids=[f"{number}-{name}" for number, (name, _) in enumerate(WRONG)])
def test_E_08_what_is_wrong_is_refused(name: str, spoil: Callable[[Any], object]) -> None:
    value = json.loads(RIGHT[name])
    assert mistakes(name, value) == []

    spoil(value)

    assert mistakes(name, value)


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name != "tool-paths"])  # its keys are names of functions
def test_E_08_whatever_the_product_writes_is_required_and_described(name: str) -> None:
    value = json.loads(RIGHT[name])
    schema = SCHEMAS[name]
    parts = [schema, *(schema["$defs"][each["$ref"].rpartition("/")[2]] for each in schema.get("allOf", []))]

    assert set(value) == {key for part in parts for key in part["properties"]}
    for key in value.keys() - {key for schema, key in OPTIONAL if schema == name}:
        assert mistakes(name, {other: each for other, each in value.items() if other != key}), key


# --- the files themselves -----------------------------------------------------------------------------------------


def objects(schema: Any) -> list[dict[str, Any]]:
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    own = [schema] if isinstance(schema, dict) and "type" in schema and schema["type"] == "object" else []
    return own + [found for each in inner for found in objects(each)]


@pytest.mark.parametrize("name", SCHEMAS)
def test_E_08_a_schema_is_one_and_explains_every_key(name: str) -> None:
    schema = SCHEMAS[name]

    jsonschema.Draft202012Validator.check_schema(schema)
    assert (schema["$schema"], schema["$id"]) == (
        "https://json-schema.org/draft/2020-12/schema",
        f"urn:andon:{name}:1",
    )
    assert schema["title"] and all(each["description"] for each in objects(schema))
    assert all(
        part["description"]
        for each in objects(schema)
        for part in each.get("properties", {}).values()
        if "$ref" not in part
    )


def test_E_08_words_of_a_closed_set_are_those_of_the_domain() -> None:
    status, check = SCHEMAS["pdca-status"]["properties"], SCHEMAS["check"]["properties"]
    failed = SCHEMAS["qa-failed"]["properties"]["goals"]["items"]["properties"]

    assert status["status"]["enum"] == list(Status)
    assert status["mode"]["enum"] == [*Mode, None]
    assert status["promotions"]["items"]["properties"]["cause"]["enum"] == list(Cause)
    assert check["mode"]["enum"] == list(Mode)
    assert SCHEMAS["check"]["$defs"]["measured"]["properties"]["verdict"]["enum"] == list(Verdict)
    assert failed["status"]["enum"] == list(GoalStatus)
    assert SCHEMAS["review"]["properties"]["status"]["enum"] == list(ReviewState)
    assert SCHEMAS["review"]["properties"]["verdict"]["enum"] == list(Verdict)
    assert SCHEMAS["checkpoint"]["properties"]["reason"]["enum"] == list(Reason)


@pytest.mark.parametrize("name", ["pdca-status", "check"])
def test_E_08_a_failure_is_the_same_everywhere(name: str) -> None:
    published, inside = SCHEMAS["failure"], SCHEMAS[name]["$defs"]["failure"]

    assert (inside["properties"], inside["required"]) == (published["properties"], published["required"])


def test_E_08_the_page_lists_every_schema() -> None:
    page = (REFERENCE / "schemas.md").read_text(encoding="utf-8")
    rows = {
        REFERENCE / link: title for title, link in re.findall(r"^\| ([^|]+) \|.*\]\(([^)]+)\) \|$", page, re.MULTILINE)
    }

    published = {*REFERENCE.rglob("*.schema.json"), *(ROOT / "src").rglob("*.schema.json")}

    assert {path.resolve() for path in rows} == {path.resolve() for path in published}
    for path, title in rows.items():
        assert json.loads(path.read_text(encoding="utf-8"))["title"] == title
