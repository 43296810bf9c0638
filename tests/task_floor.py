"""Tasks on a floor: documents made from the guides, an agent and verifiers who play, and a person who decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from andon.domain.tasks.automation import DESIGN, REQUIREMENTS
from andon.domain.tasks.criteria import criteria_of
from andon.domain.tasks.phases import Document, TaskType
from andon.domain.tasks.reviews import Decision, Review
from andon.domain.tasks.states import ReviewState
from andon.domain.tasks.workflows import workflow_of
from andon.engine.holds import Hold
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


@dataclass
class Person:
    """Approves whatever waits, after the wishes they have; and says what becomes of work that rework did not help."""

    wishes: list[str] = field(default_factory=list[str])
    stuck: str = "stop"
    seen: list[Review] = field(default_factory=list[Review])
    asked: list[Hold] = field(default_factory=list[Hold])

    def look(self, floor: Floor) -> None:
        for each in floor.store.reviews.pending():
            self.seen.append(each)
            wish = self.wishes.pop(0) if self.wishes else ""
            wanted = ReviewState.CHANGES_REQUESTED if wish else ReviewState.APPROVED
            decision = Decision("ada", datetime.now(UTC), each.version, each.tree, wish or "Good")
            floor.store.reviews.decide(each.id, wanted, decision)
        for hold in floor.store.holds.all_open():
            if hold.question.category == "verification":
                self.asked.append(hold)
                floor.store.holds.answer(hold.id, self.stuck, "ada")


@contextmanager
def deciding(floor: Floor, person: Person) -> Iterator[None]:
    """While it runs, the person looks at whatever waits (D-74)."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.05):
            person.look(floor)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ended.set()
        looking.join(10)


def objecting(type: TaskType, phase: int, times: Sequence[int]) -> dict[str, Any]:
    """A verifier who refuses one criterion, each of these times."""
    judged = [each.id for each in criteria_of(type, phase) if each.judged]
    rows = [{"id": each, "passed": each != judged[0], "detail": f"not good: {each}"} for each in judged]
    told = {"passed": False, "criteria": rows, "report": f"{judged[0]} does not hold."}
    match = {"name": f"task-verifier-{phase}", "call": list(times)}
    return {"match": match, "reply": f"```json\n{json.dumps(told)}\n```"}


def ending(floor: Floor, type: TaskType, *rules: dict[str, Any], person: Person | None = None) -> dict[str, Any]:
    payload = {"feature": "lend", "language": "en", "request": {"task": "Lend tools", "options": {"type": type.value}}}

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        ended = await task(run, payload)
        return {"status": str(ended.status), "reason": ended.reason, "message": ended.message}

    judges = [judging(type, number) for number in (1, 2, 3, 4)]
    with deciding(floor, person or Person()):
        return floor.play(pipeline, *rules, *judges)


def documents(type: TaskType, phase: int) -> dict[str, str]:
    return {each.path: documented(each) for each in workflow_of(type).phase(phase).documents}
