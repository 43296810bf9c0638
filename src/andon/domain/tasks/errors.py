"""Kinds of errors in a task, and what follows from each, in which order (D-122 to D-124)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from andon.domain.order import Outcome
from andon.domain.tasks.states import TaskState


class ErrorType(StrEnum):
    EXECUTION = "execution"
    VERIFICATION = "verification"
    RATE_LIMIT = "rate_limit"
    SYSTEM = "system"


class Action(StrEnum):
    CHECKPOINT = "checkpoint"
    PAUSE = "pause"
    LOG = "log"
    NOTIFY = "notify"
    WAIT = "wait"
    REWORK = "rework"
    RECOVER = "recover"
    RESUME = "resume"
    INTERVENE = "manual_intervention"


FIRST = (Action.CHECKPOINT, Action.PAUSE, Action.LOG, Action.NOTIFY)
"""What follows from every error, in this order (D-123)."""
_TRIED = {
    ErrorType.EXECUTION: Action.RECOVER,
    ErrorType.SYSTEM: Action.RECOVER,
    ErrorType.RATE_LIMIT: Action.WAIT,
    ErrorType.VERIFICATION: Action.REWORK,
}
_BY_OUTCOME = {
    Outcome.RATE_LIMITED: ErrorType.RATE_LIMIT,
    Outcome.LIMIT: ErrorType.EXECUTION,
    Outcome.CRASHED: ErrorType.EXECUTION,
    Outcome.REFUSED: ErrorType.EXECUTION,
    Outcome.UNPARSEABLE: ErrorType.EXECUTION,
    Outcome.UNAUTHENTICATED: ErrorType.SYSTEM,
    Outcome.LOST: ErrorType.SYSTEM,
}


def error_of(outcome: Outcome) -> ErrorType | None:
    """The kind of error that an order's end is; None for an answer, a question and a stop by a person (D-122)."""
    return _BY_OUTCOME.get(outcome)


@dataclass(frozen=True, slots=True)
class Recovery:
    actions: tuple[Action, ...]
    state: TaskState
    """Of the task, after the last action."""


def recovery(error: ErrorType, *, recovered: bool) -> Recovery:
    """All that follows from an error, in order (D-123). Without recovery a person has to step in."""
    tried = (*FIRST, _TRIED[error])
    if recovered:
        return Recovery((*tried, Action.RESUME), TaskState.IN_PROGRESS)
    return Recovery((*tried, Action.INTERVENE), TaskState.FAILED)


def resumes_at(now: float, resets_at: float | None, fallback: float = 60.0) -> float:
    """When an agent goes on after a rate limit: at its reset, never in the past (D-124)."""
    return max(now, now + fallback if resets_at is None else resets_at)
