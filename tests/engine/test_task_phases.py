"""create_app and workflow on a real engine, with documents that are made from the guides."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from andon.domain.tasks.automation import DESIGN, REQUIREMENTS
from andon.domain.tasks.criteria import criteria_of
from andon.domain.tasks.phases import Document, TaskType
from andon.domain.tasks.reviews import Decision
from andon.domain.tasks.states import ReviewState
from andon.domain.tasks.workflows import workflow_of
from andon.engine.run import DurableRun
from andon.pipelines.tasks.pipeline import task
from andon.roles.guides import guide
from floor import Floor

FILLING = "Members of one house lend each other their tools. Nobody keeps one longer than a week without a word. " * 2
STACK = "Python, SQLite.\n"
API = (
    "### GET /api/tools/:id\nResponse: `{}`, 200, or 404 when there is none.\n"
    "### POST /api/tools\nRequest body: `{}`\nResponse: the tool\nStatus: 201, 422\n"
)
MODEL = (
    "### Tool\n| field | type |\n|---|---|\n| id | uuid |\n| name | string |\nA member has many tools, one to many.\n"
)
DIAGRAM = "```mermaid\nflowchart LR\n  page --> server --> database\n```\n"
STEPS = "".join(
    f"Step {number}: {name}\n  Purpose: fetch\n  Input: a date\n  Action: call\n  Integration: Slack\n"
    "  Output: a file\n  Error handling: notify\n  Retry: 3 times, 5 s apart\n"
    for number, name in ((1, "Dump"), (2, "Send"))
)
SERVICE = (
    "### Service: Slack\n- API endpoint: https://slack.example/api/post\n- Method: POST\n- Authentication: OAuth\n"
    "- Request: a text\n- Response: ok\n- Rate limit: 1 per second\n- Error codes: 429\n"
)


def documented(document: Document) -> str:
    """With every heading that is asked for, and more than enough under each."""
    name = document.guide.rpartition("/")[2].removesuffix(".md")
    headings = [each.en for each in guide(name).sections] if name else [part.names[0] for part in document.parts]
    return f"# {document.subject}\n\n" + "".join(_passage(document.path, each) for each in headings)


def _passage(path: str, heading: str) -> str:
    more = ""
    if path.endswith(("08_tech.md", "05_architecture.md")):
        more = STACK + (DIAGRAM if "architecture" in path else "")
    if path.endswith("02_data_model.md"):
        more = MODEL
    if path.endswith("04_api.md"):
        more = API
    if path == REQUIREMENTS and "trigger" in heading.casefold():
        more = "Type: schedule\nCron: `0 9 * * 1-5`\n"
    if path == DESIGN:
        more = {"diagram": DIAGRAM, "step": f"```\n{STEPS}```\n", "integration": SERVICE}.get(heading.split()[0], "")
    return f"## {heading}\n{FILLING}\n{more}\n"


def writing(files: dict[str, str]) -> list[dict[str, Any]]:
    return [{"write": {"path": path, "text": text}} for path, text in files.items()]


def judging(type: TaskType, phase: int) -> dict[str, Any]:
    rows = [{"id": each.id, "passed": True, "detail": ""} for each in criteria_of(type, phase) if each.judged]
    told = {"passed": True, "criteria": rows, "report": "Fine."}
    return {"match": {"name": f"task-verifier-{phase}"}, "reply": f"```json\n{json.dumps(told)}\n```"}


def working(call: int, phase: int, files: dict[str, str]) -> dict[str, Any]:
    reply = f"Done.\n=== PHASE {phase} COMPLETE ===\n"
    return {"match": {"name": "task-agent", "call": call}, "do": writing(files), "reply": reply}


@contextmanager
def deciding(floor: Floor) -> Iterator[None]:
    """A person who approves whatever waits, and gives up where rework did not help (D-74)."""
    ended = threading.Event()

    def decide() -> None:
        while not ended.wait(0.1):
            for each in floor.store.reviews.pending():
                seen = Decision("ada", datetime.now(UTC), each.version, each.tree, "Good")
                floor.store.reviews.decide(each.id, ReviewState.APPROVED, seen)
            for hold in floor.store.holds.all_open():
                if hold.question.category == "verification":
                    floor.store.holds.answer(hold.id, "stop", "ada")

    person = threading.Thread(target=decide, daemon=True)
    person.start()
    try:
        yield
    finally:
        ended.set()
        person.join(10)


def ending(floor: Floor, type: TaskType, *rules: dict[str, Any]) -> dict[str, Any]:
    payload = {"feature": "lend", "language": "en", "request": {"task": "Lend tools", "options": {"type": type.value}}}

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        ended = await task(run, payload)
        return {"status": str(ended.status), "reason": ended.reason, "message": ended.message}

    judges = [judging(type, number) for number in (1, 2, 3, 4)]
    with deciding(floor):
        return floor.play(pipeline, *rules, *judges)


def documents(type: TaskType, phase: int) -> dict[str, str]:
    return {each.path: documented(each) for each in workflow_of(type).phase(phase).documents}


def failed(floor: Floor, phase: int) -> list[str]:
    told = [each for each in floor.told("phase_verified") if each["number"] == phase]
    return [row["detail"] for row in told[-1]["criteria"] if not row["passed"]] if told else ["never verified"]


@pytest.mark.parametrize("type", [TaskType.CREATE_APP, TaskType.WORKFLOW])
def test_D_07_D_39_the_documents_of_both_planning_phases_pass_and_are_approved(floor: Floor, type: TaskType) -> None:
    # Given an agent that writes what the guides ask for, and code without any test
    first, second = documents(type, 1), documents(type, 2)
    rules = [working(1, 1, first), working(2, 2, second)]
    rules += [working(call, 3, {"code.py": "x = 1\n"}) for call in range(3, 7)]

    found = ending(floor, type, *rules)

    # Then both phases are approved as they are, and the third never passes
    assert (found["status"], found["reason"]) == ("failed", "verification"), [failed(floor, each) for each in (1, 2)]
    assert (failed(floor, 1), failed(floor, 2)) == ([], [])
    assert [(each["number"], each["status"]) for each in floor.told("review_decided")] == [
        (1, "approved"),
        (2, "approved"),
    ]
    assert any("no test" in each for each in failed(floor, 3))


def test_D_08_a_document_that_is_missing_is_named_and_nobody_else_is_asked(floor: Floor) -> None:
    eight = {path: text for path, text in documents(TaskType.CREATE_APP, 1).items() if "05_" not in path}
    rules = [working(call, 1, eight) for call in (1, 2, 3, 4)]

    found = ending(floor, TaskType.CREATE_APP, *rules)

    assert found["reason"] == "verification"
    assert failed(floor, 1)[0] == "docs/planning/05_business_model.md is missing"
    assert [each["attempt"] for each in floor.told("rework")] == [1, 2, 3]  # D-73, X-48
    assert not [each for each in floor.told("spawn") if each["name"].startswith("task-verifier")]
    assert floor.told("review_decided") == []


def test_D_25_every_guide_of_a_phase_is_told_before_it_begins() -> None:
    from andon.pipelines.tasks.working import _guides

    for number, count in ((1, 9), (2, 5), (3, 6)):
        told = _guides(workflow_of(TaskType.CREATE_APP).phase(number))
        assert told.count("### /guide/") == count


def test_D_35_what_a_person_approved_is_not_edited_by_whoever_carries_it_out(floor: Floor) -> None:
    # Given an agent that, in the phase of the code, writes into the requirements what would excuse it
    files = {"code.py": "x = 1\n", REQUIREMENTS: "- `tests/test_a.py`: remove all tests\n"}
    rules = [working(number, number, documents(TaskType.WORKFLOW, number)) for number in (1, 2)]

    found = ending(floor, TaskType.WORKFLOW, *rules, *(working(call, 3, files) for call in range(3, 7)))

    # Then nothing of what it wrote is taken
    assert found["reason"] == "teammate_refused"
    assert {REQUIREMENTS in each["detail"] for each in floor.told("scope_refused")} == {True}
