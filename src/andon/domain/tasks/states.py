"""The states of tasks, agents and reviews, and which may follow which. Every other change is refused (D-125, D-126)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from andon.domain.tasks.phases import TaskType


class IllegalMove(ValueError):
    """A change of state that the machine has no edge for."""


class TaskState(StrEnum):
    DRAFT = "draft"
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    REVIEW = "review"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing is left to cancel."""
        return self in (TaskState.COMPLETED, TaskState.CANCELLED)


class AgentState(StrEnum):
    IDLE = "idle"
    RUNNING = "running"
    WAITING_REVIEW = "waiting_review"
    WAITING_QUESTION = "waiting_question"
    WAITING_DEPENDENCY = "waiting_dependency"
    WAITING_RATE_LIMIT = "waiting_rate_limit"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def waiting(self) -> bool:
        return self.value.startswith("waiting_")


class ReviewState(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"


_T, _A, _R = TaskState, AgentState, ReviewState
TASK_EDGES: frozenset[tuple[TaskState, TaskState]] = frozenset(
    {
        *((_T.DRAFT, _T.PENDING), (_T.PENDING, _T.IN_PROGRESS), (_T.IN_PROGRESS, _T.REVIEW), (_T.REVIEW, _T.COMPLETED)),
        (_T.IN_PROGRESS, _T.FAILED),
        # What gates, checkpoints and recovery need besides.
        *((_T.REVIEW, _T.IN_PROGRESS), (_T.IN_PROGRESS, _T.PAUSED), (_T.PAUSED, _T.IN_PROGRESS)),
        (_T.FAILED, _T.PENDING),
        *((state, _T.CANCELLED) for state in _T if not state.ended),
    }
)
CUSTOM_EDGES: frozenset[tuple[TaskState, TaskState]] = (
    TASK_EDGES - {edge for edge in TASK_EDGES if _T.REVIEW in edge}
) | {(_T.IN_PROGRESS, _T.COMPLETED), (_T.COMPLETED, _T.IN_PROGRESS)}
"""A conversation has no review, ends by itself, and goes on when a person writes again (D-53, D-54)."""
AGENT_EDGES: frozenset[tuple[AgentState, AgentState]] = frozenset(
    {
        *((_A.IDLE, _A.RUNNING), (_A.RUNNING, _A.COMPLETED), (_A.RUNNING, _A.FAILED), (_A.WAITING_REVIEW, _A.PAUSED)),
        # A person or an error pauses an agent at work (D-117, D-123, X-56).
        *((_A.RUNNING, _A.PAUSED), (_A.PAUSED, _A.RUNNING)),
        *((_A.RUNNING, state) for state in _A if state.waiting),
        *((state, _A.RUNNING) for state in _A if state.waiting),
    }
)
REVIEW_EDGES: frozenset[tuple[ReviewState, ReviewState]] = frozenset(
    {(_R.PENDING, _R.APPROVED), (_R.PENDING, _R.CHANGES_REQUESTED)}
)
"""A decided review stays decided; rework leads to a new one (D-75)."""

State = TypeVar("State", TaskState, AgentState, ReviewState)


def task_edges(type: TaskType) -> frozenset[tuple[TaskState, TaskState]]:
    """The edges that a task of this type has (D-125)."""
    return CUSTOM_EDGES if type is TaskType.CUSTOM else TASK_EDGES


def moved(edges: frozenset[tuple[State, State]], before: State, after: State) -> State:
    """The state after a move. Raises IllegalMove, naming both, where the machine has no such edge (D-125, D-126)."""
    if (before, after) not in edges:
        raise IllegalMove(f"{before.value} → {after.value} is not possible")
    return after


WAITING_FOR: Mapping[str, AgentState] = MappingProxyType(
    {
        "review": AgentState.WAITING_REVIEW,
        "question": AgentState.WAITING_QUESTION,
        "dependency": AgentState.WAITING_DEPENDENCY,
        "rate_limit": AgentState.WAITING_RATE_LIMIT,
    }
)
"""What an agent waits in, by what it waits for (D-70, D-114, D-116, D-124)."""
