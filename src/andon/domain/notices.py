"""What people are told while they are not looking: which event, how urgent, to whom, in their language (E-26).

A notice has a key: told once, however often a step is repeated. Nothing here sends anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from andon.domain.budget import Line, amount
from andon.domain.journal import Entry
from andon.domain.language import Language, Wording, fill
from andon.domain.tasks import reminders
from andon.domain.tasks.reminders import Stage, To

TITLE = 60
"""Characters of a task in a title: a lock screen shows no more."""
TEXT = 1500


class Event(StrEnum):
    """The words that `[notify] events` takes."""

    REVIEW = "review"
    REMINDER = "reminder"
    ESCALATION = "escalation"
    AUTO_APPROVAL = "auto_approval"
    QUESTION = "question"
    DONE = "done"
    FAILED = "failed"
    NEEDS_USER = "needs_user"
    STOPPED = "stopped"
    BUDGET = "budget"


MEANINGS: Mapping[Event, str] = MappingProxyType(
    {
        Event.REVIEW: "a phase of a task waits for a decision",
        Event.REMINDER: "it has waited for 24 and for 48 hours",
        Event.ESCALATION: "it has waited for 72 hours",
        Event.AUTO_APPROVAL: "it was approved by time alone, or could not be",
        Event.QUESTION: "a run asks something and waits",
        Event.DONE: "a run is done",
        Event.FAILED: "a run failed",
        Event.NEEDS_USER: "a run ended and needs a person",
        Event.STOPPED: "a run was stopped",
        Event.BUDGET: "a budget is nearly or wholly used up",
    }
)


@dataclass(frozen=True, slots=True)
class Notice:
    key: str
    """What makes it one notice: never sent twice to the same place."""
    run: str
    event: Event
    type: str
    """The word of the specification for it, such as `review_reminder`."""
    urgency: str
    """normal, high or critical."""
    to: To
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class About:
    """The run that a notice is about, as people know it."""

    run: str
    task: str
    repository: str
    language: Language

    def title(self, word: str) -> str:
        task = " ".join(self.task.split())
        task = task if len(task) <= TITLE else f"{task[:TITLE]}…"
        return f"{said(self.language, word)}: {task}" if task else said(self.language, word)


WORDS: Mapping[str, Wording] = MappingProxyType(
    {
        "review": Wording("리뷰 대기", "Review waits"),
        "reminder": Wording("리뷰 알림", "Review still waits"),
        "escalation": Wording("리뷰 에스컬레이션", "Review escalated"),
        "auto_approval": Wording("자동 승인", "Approved by time"),
        "auto_approval.refused": Wording("자동 승인 안 됨", "Not approved by time"),
        "assigned": Wording("리뷰 담당자 변경", "Review for you"),
        "question": Wording("질문", "Question"),
        "done": Wording("완료", "Done"),
        "failed": Wording("실패", "Failed"),
        "needs_user": Wording("사용자 확인 필요", "Needs you"),
        "stopped": Wording("중지됨", "Stopped"),
        "budget": Wording("예산", "Budget"),
        "budget.warning": Wording("{limit} 중 {spent} 사용됨.", "{spent} of {limit} used."),
        "test": Wording("andon 알림 시험", "A test of andon's notices"),
        "test.text": Wording("이 알림이 보이면 설정이 올바릅니다.", "If you can read this, the settings are right."),
        "refused.text": Wording(
            "7일이 지났지만 자동 승인하지 않았습니다: {reason}. 사람의 결정을 기다립니다.",
            "Seven days have passed, but time alone does not approve this: {reason}. It waits for a person.",
        ),
        "assigned.text": Wording(
            "{number}단계의 리뷰 담당자는 이제 {reviewer}입니다.", "The review of phase {number} is for {reviewer} now."
        ),
        "phase.text": Wording("{text} ({number}단계)", "{text} (phase {number})"),
        "answer.way": Wording("답하기: {command}", "To answer: {command}"),
        "look.way": Wording("보기: {command}", "To look: {command}"),
    }
)


def said(language: Language, key: str, **values: object) -> str:
    return fill(getattr(WORDS[key], language.value), key, values)


def trial(language: Language, key: str) -> Notice:
    """What `andon notify test` sends."""
    text = said(language, "test.text")
    return Notice(key, "", Event.QUESTION, "test", "normal", To.CREATOR, said(language, "test"), text)


def of_stage(about: About, review: str, phase: int, stage: Stage, refused: str = "") -> Notice:
    """Of a rung of the ladder (D-106 to D-108); `refused`: why time alone did not approve."""
    rung = reminders.rung(stage)
    event = {Stage.ESCALATION: Event.ESCALATION, Stage.AUTO_APPROVAL: Event.AUTO_APPROVAL}.get(stage, Event.REMINDER)
    told = reminders.message(stage, about.language)
    told = said(about.language, "refused.text", reason=refused) if refused else told
    lines = (said(about.language, "phase.text", text=told, number=phase), _look(about, f"andon task show {about.run}"))
    title = about.title("auto_approval.refused" if refused else event.value)
    urgency = "high" if refused else rung.urgency
    return Notice(f"{review}/{stage.value}", about.run, event, rung.notice, urgency, rung.to, title, _body(lines))


def of_assignment(about: About, review: str, phase: int, reviewer: str, version: int) -> Notice:
    told = said(about.language, "assigned.text", number=phase, reviewer=reviewer)
    body = _body((told, _look(about, f"andon task show {about.run}")))
    key, title = f"{review}/reviewer/{version}", about.title("assigned")
    return Notice(key, about.run, Event.REVIEW, "review_assigned", "normal", To.CREATOR, title, body)


def of_entry(about: About, entry: Entry) -> Notice | None:
    """Of what a run says in its journal; None for what nobody has to be fetched for."""
    data = entry.data
    match entry.kind:
        case "hold_opened" if data.get("category") == "review":
            way = _look(about, f"andon task show {about.run}")
            return _notice(about, entry, Event.REVIEW, "review_created", (str(data["question"]), way))
        case "hold_opened":
            way = said(about.language, "answer.way", command=f"andon answer {data['hold']}")
            options = " | ".join(map(str, data.get("options") or ()))
            return _notice(about, entry, Event.QUESTION, "user_question", (str(data["question"]), options, way))
        case "budget_warning":
            values = {name: amount(Line(data["line"]), data[name]) for name in ("spent", "limit")}
            lines = (said(about.language, "budget.warning", **values), _look(about, f"andon status {about.run}"))
            return _notice(about, entry, Event.BUDGET, "budget_warning", lines)
        case "run_ended":
            return _ended(about, entry)
        case _:
            return None


def _ended(about: About, entry: Entry) -> Notice | None:
    status, reason = str(entry.data.get("status")), str(entry.data.get("reason"))
    if reason == "dry_run" or status not in ENDINGS:
        return None
    event = Event.BUDGET if reason == "budget" else Event(status)
    lines = (str(entry.data.get("message") or reason), _look(about, f"andon status {about.run}"))
    return _notice(about, entry, event, f"run_{status}", lines)


ENDINGS = ("done", "failed", "needs_user", "stopped")
URGENCY = {Event.FAILED: "high", Event.NEEDS_USER: "high", Event.BUDGET: "high"}


def _notice(about: About, entry: Entry, event: Event, type: str, lines: tuple[str, ...]) -> Notice:
    key, urgency = f"{entry.run}/{entry.key}", URGENCY.get(event, "normal")
    return Notice(key, about.run, event, type, urgency, To.CREATOR, about.title(event.value), _body(lines))


def _look(about: About, command: str) -> str:
    return f"{said(about.language, 'look.way', command=command)}\n{about.repository}"


def _body(lines: tuple[str, ...]) -> str:
    first, *rest = (line for line in lines if line.strip())
    return "\n".join((first if len(first) <= TEXT else f"{first[:TEXT]}…", *rest))
