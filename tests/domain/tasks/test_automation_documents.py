"""Cron, triggers, steps and integrations of a workflow's documents; its structure and its report."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.tasks.automation import GROUPS, Trigger
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.cron import FIELDS, cron_expressions, cron_problem
from andon.domain.tasks.field_blocks import integration_fields, integrations_of, step_fields, steps_of
from andon.domain.tasks.key_files import workflow_structure
from andon.domain.tasks.reports import failures_explained, workflow_report
from andon.domain.tasks.triggers import declared, trigger_handlers, triggers


@pytest.mark.parametrize(
    "expression",
    [
        "0 9 * * 1-5",
        "*/15 * * * *",
        "0 0 1,15 * *",
        "0 0 * jan-mar mon",
        "5-59/10 0-23 1-31 1-12 0-7",
        "5-5 9 * * *",
        "@daily",
    ],
)
def test_D_41_valid_cron_expressions(expression: str) -> None:
    assert cron_problem(expression) == ""
    assert cron_expressions(f"It runs at `{expression}` each time.") == (expression,)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("0 9 * *", "4 fields instead of 5"),
        ("0 9 * * 1-5 2026", "6 fields instead of 5"),
        ("60 9 * * *", "minute: '60' is not within 0 to 59"),
        ("0 24 * * *", "hour: '24' is not within 0 to 23"),
        ("0 9 0 * *", "day of month: '0' is not within 1 to 31"),
        ("0 9 * 13 *", "month: '13' is not within 1 to 12"),
        ("0 9 * * 8", "day of week: '8' is not within 0 to 7"),
        ("0 9 * * 5-1", "day of week: '5-1' goes backwards"),
        ("0 9 * * fun", "day of week: 'fun' cannot be read"),
        ("jan 9 * * *", "minute: 'jan' cannot be read"),
        ("*/0 * * * *", "minute: '*/0' has a step of 0"),
        ("*-5 * * * *", "minute: '*-5' cannot be read"),
        ("1,,2 * * * *", "minute: '' cannot be read"),
        ("every weekday at 9", "4 fields instead of 5"),
        ("@never", "1 fields instead of 5"),
        ("", "0 fields instead of 5"),
    ],
)
def test_D_41_what_is_wrong_with_a_cron_expression(expression: str, problem: str) -> None:
    assert cron_problem(expression) == problem


@given(some.tuples(*(some.integers(least, most) for _, least, most in FIELDS)))
def test_D_41_numbers_within_their_fields_are_valid(numbers: tuple[int, ...]) -> None:
    assert cron_problem(" ".join(map(str, numbers))) == ""


@given(some.text(max_size=60))
def test_D_41_every_text_gets_an_answer(text: str) -> None:
    assert isinstance(cron_problem(text), str)
    assert all(each in " ".join(text.split()) or each in text for each in cron_expressions(text))


def requirements(trigger: str) -> str:
    return (
        f"# Backup\n## Overview\nAn event in `0 9 * * *`.\n## 2. Trigger definition\n{trigger}\n## Steps\nmanual work\n"
    )


@pytest.mark.parametrize(
    ("trigger", "types"),
    [
        ("- **Type**: schedule\n- Cron: `0 9 * * 1-5`", ["schedule"]),
        ("- 타입: 스케줄\n- 설정: 0 9 * * 1-5", ["schedule"]),
        ("Type: schedule, webhook", ["schedule", "webhook"]),
        ("### Webhook\nwith a payload and a token\n### Manual\nno parameters", ["webhook", "manual"]),
        ("- Event: source GitHub, filter merged", ["event"]),
        ("It is started manually with the parameter name.", ["manual"]),
        ("Type: schedule | webhook | manual | event", []),
        ("It begins somehow.", []),
    ],
)
def test_D_41_the_types_that_a_document_declares(trigger: str, types: list[str]) -> None:
    assert [each.value for each in declared(requirements(trigger))] == types


@pytest.mark.parametrize(
    ("trigger", "detail"),
    [
        ("Type: schedule\nCron: `0 9 * * 1-5`", ""),
        ("Type: schedule\nEvery weekday at nine", "schedule: no cron expression, such as `0 9 * * 1-5`"),
        (
            "Type: schedule\nCron: `0 25 * * 1-5`",
            "schedule: `0 25 * * 1-5` is no cron expression: hour: '25' is not within 0 to 23",
        ),
        ("Type: webhook\nPayload: {id}\nAuthentication: HMAC", ""),
        ("Type: webhook\nPOST /hook", "webhook: no payload structure\nwebhook: no authentication"),
        ("타입: 웹훅\n페이로드 구조: {id}, 인증: 토큰", ""),
        ("Type: manual\nInput parameters: the date", ""),
        ("Type: manual", "manual: no input parameters"),
        ("Type: event\nSource: GitHub\nFilter: merged only", ""),
        ("Type: event\nSource: GitHub", "event: no filter"),
        ("Type: schedule | webhook | manual | event", "no trigger of type schedule, webhook, manual or event"),
        ("", "no trigger of type schedule, webhook, manual or event"),
    ],
)
def test_D_41_each_type_needs_its_own_definition(trigger: str, detail: str) -> None:
    assert triggers(requirements(trigger)) == Criterion("triggers", not detail, detail)


STEP = """Step {number}: {name}
  Purpose: fetch
  Input: a date
  Action: call
  Integration: S3
  Output: a file
  Error handling: notify
  Retry: 3 times, 5 s apart
"""
TWO = "# Design\n## Step definitions\n```\n" + "".join(
    STEP.format(number=number, name=name) for number, name in ((1, "Dump"), (2, "Upload"))
) + "```\n## Data flow\nRetry: never\n"  # fmt: skip
단계 = """### 단계 1: 덤프
- **목적**: 덤프
- **입력**: 날짜
- **액션**: 호출
- **통합**: 없음
- **출력**: 파일
- **오류 처리**: 알림
- **재시도**: 3회, 5초 간격
"""
STEP_TABLE = """| Step | Purpose | Input | Action | Integration | Output | Error handling | Retry |
|---|---|---|---|---|---|---|---|
| Dump | p | i | a | none | o | e | none |
| Upload | p | i | a | S3 | o | e | {retry} |
"""


@pytest.mark.parametrize("text", [TWO, 단계, STEP_TABLE.format(retry="2, after 10 s")])
def test_D_44_steps_with_all_fields_pass_in_every_notation(text: str) -> None:
    assert step_fields(text) == Criterion("step_fields", True)


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        (TWO[::-1].replace("  Retry: 3 times, 5 s apart\n"[::-1], "", 1)[::-1], "step 2 (Upload) has no retry"),
        (TWO.replace("Retry: 3 times, 5 s apart", "Retry:", 1), "step 1 (Dump) has no retry"),
        (TWO.replace("3 times, 5 s apart", "yes", 1), "step 1 (Dump) has no retry with count and delay"),
        (TWO.replace("3 times, 5 s apart", "3 times", 1), "step 1 (Dump) has no retry with count and delay"),
        (단계.replace("- **목적**: 덤프\n", ""), "step 1 (덤프) has no purpose"),
        (STEP_TABLE.format(retry=" "), "Upload has no retry"),
        ("# Design\nTrigger → Step 1 → Step 2", "no step is defined"),
    ],
)
def test_D_44_step_and_field_are_named(text: str, detail: str) -> None:
    assert step_fields(text).detail == detail


def test_D_44_a_diagram_and_other_sections_define_no_step() -> None:
    text = "Step 1 → Step 2\n" + TWO

    assert [each.name for each in steps_of(text)] == ["step 1 (Dump)", "step 2 (Upload)"]


SERVICE = """# Design
## Integration specifications
### Service: Slack
- API endpoint: https://slack.com/api/chat.postMessage
- Method: POST
- Authentication: OAuth
- Request: a text
- Response: ok
- Rate limit: 1 per second
- Error codes: 429
"""
SERVICE_TABLE = """| Service | Endpoint | Method | Auth | Request | Response | Rate limit | Error codes |
|---|---|---|---|---|---|---|---|
| S3 | /b | PUT | Basic | file | ok | none | 403 |
"""


def test_D_45_integrations_with_all_fields_pass() -> None:
    assert integration_fields(SERVICE).passed
    assert integration_fields(SERVICE_TABLE).passed
    assert [each.name for each in integrations_of(SERVICE + SERVICE_TABLE)] == ["Slack", "S3"]
    assert integration_fields(
        "서비스: 슬랙\n  API 엔드포인트: /a\n  메서드: POST\n  인증: OAuth\n  요청: x\n  응답: y\n"
        "  레이트 리미트: 1\n  오류 코드: 429\n"
    ).passed


@pytest.mark.parametrize(
    ("line", "name"),
    [("- Rate limit: 1 per second\n", "rate limit"), ("- Error codes: 429\n", "error codes"),
     ("- Authentication: OAuth\n", "authentication")],
)  # fmt: skip
def test_D_45_service_and_field_are_named(line: str, name: str) -> None:
    assert integration_fields(SERVICE.replace(line, "")).detail == f"Slack has no {name}"
    assert integration_fields("# Design\nnothing").detail == "no integration is specified"


STRUCTURE = (
    *(
        "src/triggers/schedule.py",
        "src/steps/dump.py",
        "src/integrations/s3.py",
        "src/utils/retry.py",
        "src/workflow.py",
    ),
    *("tests/unit/test_dump.py", "tests/integration/test_s3.py", "tests/e2e/test_all.py", "config/workflow.toml"),
    *(".env.example", "pyproject.toml", "README.md"),
)


@pytest.mark.parametrize(
    ("without", "missing"),
    [
        ("src/triggers/schedule.py", "src/triggers/"),
        ("src/utils/retry.py", "src/utils/"),
        ("src/workflow.py", "src/workflow.*"),
        ("tests/e2e/test_all.py", "tests/e2e/"),
        ("config/workflow.toml", "config/"),
        (".env.example", ".env.example"),
        ("pyproject.toml", "package.json or its equivalent"),
        ("README.md", "README.md"),
    ],
)
def test_D_47_what_a_workflow_lacks_is_reported(without: str, missing: str) -> None:
    assert workflow_structure(STRUCTURE).passed
    assert workflow_structure([each for each in STRUCTURE if each != without]).detail == f"{missing} is missing"


def test_D_48_a_declared_trigger_without_code_is_reported() -> None:
    wanted = declared(requirements("Type: schedule, webhook"))

    assert trigger_handlers(wanted, STRUCTURE).detail == "trigger webhook not implemented"
    assert trigger_handlers(wanted, (*STRUCTURE, "src/triggers/webhook.ts")).passed
    assert trigger_handlers(wanted, (*STRUCTURE, "src/steps/webhook.ts")).detail
    assert trigger_handlers([*Trigger], [f"src/triggers/{each.value}.js" for each in Trigger]).passed


REPORT = "# Results\n" + "".join(f"## {each.name.title()}\n- [x] all tried, passed\n" for each in GROUPS)


@pytest.mark.parametrize("group", [each.name for each in GROUPS])
def test_D_50_D_51_a_report_without_one_of_the_six_groups_is_incomplete(group: str) -> None:
    assert workflow_report(REPORT).passed
    cut = REPORT.replace(f"## {group.title()}\n- [x] all tried, passed\n", "")
    assert workflow_report(cut).detail == f"no results of {group}"


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] the webhook validates its payload",
        "- test_upload: FAILED",
        "| test_upload | ❌ |",
        "- 업로드 테스트 실패",
        "2 tests failed.",
    ],
)
def test_D_51_an_unexplained_failure_fails_and_an_explained_one_does_not(line: str) -> None:
    assert failures_explained(REPORT).passed

    found = failures_explained(REPORT + line + "\n")
    assert not found.passed
    assert line in found.detail

    assert failures_explained(REPORT + line + " because the sandbox has no network\n").passed
    if not line.startswith("|"):
        assert failures_explained(f"{REPORT}{line}\n  원인: 네트워크 없음\n").passed


@pytest.mark.parametrize(
    "line",
    ["12 passed, 0 failed", "No test failed.", "- [x] a failing step triggers a retry", "실패: 없음", "failed: 0"],
)
def test_D_51_a_word_about_failing_is_no_failure(line: str) -> None:
    assert failures_explained(REPORT + line).passed
