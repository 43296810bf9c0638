"""How far a task is, as a number from 0 to 1 (D-120). A conversation has none."""

from __future__ import annotations

from fractions import Fraction

from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.workflows import workflow_of


def progress(completed: int, phases: int, step: int, steps: int) -> float | None:
    """Completed phases, and of the current one its share of steps (D-120). None where there are no phases.

    A phase without steps contributes nothing until it is complete.
    """
    if phases <= 0:
        return None
    whole = Fraction(max(0, min(completed, phases)), phases)
    if steps > 0:
        whole += Fraction(max(0, min(step, steps)), steps) / phases
    return float(min(whole, Fraction(1)))


def task_progress(type: TaskType, completed: int, step: int) -> float | None:
    """The same for a task of this type whose first `completed` phases are approved (D-120)."""
    phases = workflow_of(type).phases
    steps = len(phases[completed].steps) if completed < len(phases) else 0
    return progress(completed, len(phases), step, steps)
