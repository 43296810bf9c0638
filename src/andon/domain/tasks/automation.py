"""Phase-C, a workflow: triggers, steps, integrations, error handling and state (D-39 to D-51)."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from andon.domain.tasks.phases import Document, Part, Phase, Step, TaskType, Workflow

REQUIREMENTS = "docs/planning/workflow_requirements.md"
DESIGN = "docs/design/workflow_design.md"


class Trigger(StrEnum):
    """What can start a workflow (D-41)."""

    SCHEDULE = "schedule"
    WEBHOOK = "webhook"
    MANUAL = "manual"
    EVENT = "event"


REQUIREMENTS_PARTS = (
    Part("overview", ("overview", "workflow overview", "개요", "워크플로우 개요"), anywhere=True),
    Part("trigger definition", ("trigger", "트리거"), anywhere=True),
    Part("steps", ("steps", "workflow steps", "단계", "워크플로우 단계"), anywhere=True),
    Part("external integrations", ("integration", "통합", "연동"), anywhere=True),
    Part("data requirements", ("data", "데이터"), anywhere=True),
    Part("error handling", ("error handling", "오류 처리", "에러 처리"), anywhere=True),
    Part("success criteria", ("success criteria", "success criterion", "성공 기준"), anywhere=True),
)
"""The seven parts of the requirements (D-40)."""
DESIGN_PARTS = (
    Part("diagram", ("diagram", "다이어그램"), anywhere=True),
    Part("step definitions", ("step definition", "steps", "단계 정의", "단계"), anywhere=True),
    Part("condition logic", ("condition", "branch", "조건", "분기"), anywhere=True),
    Part("loop logic", ("loop", "iteration", "루프", "반복"), anywhere=True),
    Part("data flow", ("data flow", "데이터 흐름"), anywhere=True),
    Part("integration specifications", ("integration", "통합", "연동"), anywhere=True),
    Part("state management", ("state", "상태 관리", "상태"), anywhere=True),
)
"""The seven parts of the design (D-43)."""

STEP_FIELDS = (
    Part("purpose", ("purpose", "목적")),
    Part("input", ("input", "inputs", "입력")),
    Part("action", ("action", "actions", "액션", "동작")),
    Part("integration", ("integration", "integrations", "통합", "연동")),
    Part("output", ("output", "outputs", "출력")),
    Part("error handling", ("error handling", "on error", "errors", "오류 처리", "에러 처리")),
    Part("retry", ("retry", "retries", "재시도")),
)
"""What every step of the design says (D-44)."""
INTEGRATION_FIELDS = (
    Part("service", ("service", "서비스")),
    Part("API endpoint", ("api endpoint", "endpoint", "url", "api 엔드포인트", "엔드포인트")),
    Part("method", ("method", "http method", "메서드")),
    Part("authentication", ("authentication", "auth", "인증")),
    Part("request", ("request", "요청")),
    Part("response", ("response", "응답")),
    Part("rate limit", ("rate limit", "rate limits", "레이트 리미트", "요청 제한")),
    Part("error codes", ("error codes", "error code", "오류 코드", "에러 코드")),
)
"""What every integration of the design says (D-45)."""

CHECKLIST = {
    "triggers": (
        "a schedule trigger fires at the right time",
        "a webhook receives and validates its payload",
        "a manual trigger accepts correct input",
        "an event trigger receives events and reacts",
    ),
    "steps": (
        "each step runs alone",
        "steps handle their input",
        "steps give the expected output",
        "conditions and branches work",
        "loops iterate",
    ),
    "integrations": (
        "calls of external services succeed",
        "authentication works",
        "requests and responses are correct",
        "rate limits are respected",
        "API errors are handled gracefully",
    ),
    "end to end": (
        "the whole workflow succeeds",
        "data flows between steps",
        "the final output is right",
        "the time it takes is acceptable",
    ),
    "error scenarios": (
        "a failing step triggers a retry",
        "exceeding the retries triggers the fallback",
        "network errors are handled",
        "bad input is refused",
        "error notices are sent",
    ),
    "performance": (
        "the workflow finishes in the expected time",
        "no memory leak",
        "resource use is acceptable",
    ),
}
"""Six groups, 26 items, that a report on the finished workflow answers (D-50)."""
GROUPS = (
    Part("triggers", ("trigger", "triggers", "트리거"), anywhere=True),
    Part("steps", ("step", "steps", "단계"), anywhere=True),
    Part("integrations", ("integration", "integrations", "통합", "연동"), anywhere=True),
    Part("end to end", ("end to end", "end-to-end", "e2e", "엔드투엔드", "전체 흐름"), anywhere=True),
    Part("error scenarios", ("error scenario", "error scenarios", "오류 시나리오", "에러 시나리오"), anywhere=True),
    Part("performance", ("performance", "성능"), anywhere=True),
)
FOLDERS = ("src/triggers", "src/steps", "src/integrations", "src/utils", "config")
TEST_FOLDERS = ("tests/unit", "tests/integration", "tests/e2e")
FILES = (".env.example", "README.md")
ORCHESTRATOR = "src/workflow"
"""Of any suffix (D-47)."""


def _steps(*titles: str) -> tuple[Step, ...]:
    return tuple(Step(f"{number:02}_{title.replace(' ', '_')}", title) for number, title in enumerate(titles, 1))


def _written(document: str, parts: tuple[Part, ...]) -> tuple[Step, ...]:
    """One step for each part of a document."""
    return tuple(replace(step, document=document, part=step.title) for step in _steps(*(part.name for part in parts)))


WORKFLOW = Workflow(
    TaskType.WORKFLOW,
    "create an automated workflow",
    (
        Phase(
            1,
            "planning",
            _written(REQUIREMENTS, REQUIREMENTS_PARTS),
            (Document(REQUIREMENTS, 800, "what the workflow is to do", parts=REQUIREMENTS_PARTS),),
        ),
        Phase(
            2,
            "design",
            _written(DESIGN, DESIGN_PARTS),
            (Document(DESIGN, 1000, "how the workflow does it", parts=DESIGN_PARTS),),
        ),
        Phase(
            3,
            "development",
            _steps("structure", "triggers", "steps", "integrations", "orchestrator", "configuration", "tests"),
            code=True,
        ),
        Phase(4, "verification", _steps(*CHECKLIST), code=True),
    ),
    guides="Phase-A guides adapted",
    start="blank",
    challenge="integration and triggers",
    focus=(
        "triggers: schedule (cron), webhook, manual, event",
        "steps: actions, conditions, loops, parallel execution",
        "integrations: external services",
        "error handling: retry, fallback, notification",
        "state management: state of the workflow, data passed between steps",
    ),
)
