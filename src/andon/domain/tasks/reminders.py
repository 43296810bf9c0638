"""The ladder of a review that waits: two reminders, an escalation, approval by time where switched on (D-104 to D-110).

A pure function from when it was opened, the time, and what is recorded: after a restart nothing is sent twice (G-21).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from andon.domain.language import Language, Wording
from andon.domain.tasks.reporting import verdict_of
from andon.domain.verdict import Verdict

AUTO_APPROVE_SETTING = "review_auto_approve_after_7_days"
AUTO_APPROVED_COMMENT = Wording("7일 타임아웃 후 자동 승인됨", "Approved automatically after a timeout of 7 days")


class Stage(StrEnum):
    REMINDER_1 = "reminder_1"
    REMINDER_2 = "reminder_2"
    ESCALATION = "escalation"
    AUTO_APPROVAL = "auto_approval"


class To(StrEnum):
    CREATOR = "creator"
    ADMINS = "admins"


@dataclass(frozen=True, slots=True)
class Rung:
    stage: Stage
    hours: int
    notice: str
    """The type of the notification."""
    urgency: str
    to: To
    text: Wording


LADDER = (
    Rung(
        Stage.REMINDER_1, 24, "review_reminder", "normal", To.CREATOR,
        Wording("리뷰가 24시간 동안 대기 중입니다.", "A review has been waiting for 24 hours."),
    ),
    Rung(
        Stage.REMINDER_2, 48, "review_reminder", "high", To.CREATOR,
        Wording("긴급: 리뷰가 48시간 동안 대기 중입니다!", "Urgent: a review has been waiting for 48 hours!"),
    ),
    Rung(
        Stage.ESCALATION, 72, "review_escalation", "critical", To.ADMINS,
        Wording(
            "리뷰가 72시간 동안 대기 중입니다. 에스컬레이션 필요.",
            "A review has been waiting for 72 hours. It needs escalation: another reviewer can be named.",
        ),
    ),
    Rung(
        Stage.AUTO_APPROVAL, 168, "review_auto_approved", "normal", To.CREATOR,
        Wording(
            "리뷰가 7일 타임아웃으로 인해 자동 승인되었습니다.",
            "A review was approved automatically after a timeout of 7 days.",
        ),
    ),
)  # fmt: skip


def rung(stage: Stage) -> Rung:
    """What a stage does (D-104, D-106 to D-108)."""
    return next(each for each in LADDER if each.stage is stage)


def message(stage: Stage, language: Language) -> str:
    """Its text in the language of the person (D-106)."""
    return getattr(rung(stage).text, language.value)


def switched_on(value: str | None) -> bool:
    """Whether the setting allows approval by time: the word `true` and nothing else (D-108, D-112)."""
    return value == "true"


def due_at(stage: Stage, opened_at: datetime) -> datetime:
    """When a stage is due (D-104)."""
    return opened_at + timedelta(hours=rung(stage).hours)


def delay(stage: Stage, opened_at: datetime, now: datetime) -> timedelta:
    """How long until then, never less than nothing (D-105)."""
    return max(timedelta(0), due_at(stage, opened_at) - now)


def due(
    opened_at: datetime,
    now: datetime,
    recorded: Collection[Stage],
    *,
    pending: bool,
    auto_approve: bool = False,
) -> tuple[Stage, ...]:
    """The stages to act on now, in order (D-104 to D-110). None for a decided review, none twice, none by surprise."""
    if not pending:
        return ()
    return tuple(
        each.stage
        for each in LADDER
        if each.stage not in recorded
        and now >= due_at(each.stage, opened_at)
        and (auto_approve or each.stage is not Stage.AUTO_APPROVAL)
    )


def next_at(
    opened_at: datetime, recorded: Collection[Stage], *, pending: bool, auto_approve: bool = False
) -> datetime | None:
    """When to look again; None: never, for a decided review and one that waits indefinitely (D-105, D-108, D-109)."""
    if not pending:
        return None
    left = [each.stage for each in LADDER if each.stage not in recorded]
    left = [each for each in left if auto_approve or each is not Stage.AUTO_APPROVAL]
    return due_at(left[0], opened_at) if left else None


def obstacle(verification: Mapping[str, Any]) -> str:
    """What time alone must not approve: anything that failed or was not measured, remarks included. "" for nothing."""
    rows = verification.get("criteria") or ()
    failed = [str(row["id"]) for row in rows if verdict_of(row) is Verdict.FAILED]
    unmeasured = [str(row["id"]) for row in rows if verdict_of(row) is Verdict.NOT_MEASURED]
    told = [f"verification failed: {', '.join(failed)}"] if failed else []
    told += [f"not measured: {', '.join(unmeasured)}"] if unmeasured else []
    if told or not verification.get("passed"):
        return "; ".join(told) or "verification failed"
    return "" if rows else "nothing was measured"
