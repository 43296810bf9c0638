"""What follows when a phase was verified: a review, rework up to three times, or a person (D-73 to D-75, X-48)."""

from __future__ import annotations

from enum import StrEnum

from andon.domain.tasks.states import TaskState
from andon.domain.tasks.verification import Verification

MOST = 3
"""Reworks without a person: up to four verifications (X-48)."""


class Next(StrEnum):
    REVIEW = "review"
    REWORK = "rework"
    PERSON = "person"


def after_verification(passed: bool, reworks: int) -> Next:
    """`reworks` is how often the phase has been reworked since a person last looked at it (D-73)."""
    if passed:
        return Next.REVIEW
    return Next.REWORK if reworks < MOST else Next.PERSON


class Choice(StrEnum):
    """What a person can do when rework did not help (D-74)."""

    REVIEW = "review"
    STOP = "stop"


def after_choice(choice: Choice) -> TaskState:
    """A review of what there is, with the failed report; or the end of the task as failed (D-74)."""
    return TaskState.REVIEW if choice is Choice.REVIEW else TaskState.FAILED


def rework_text(verification: Verification, attempt: int) -> str:
    """What the agent is told: the report, and each criterion that failed (D-73)."""
    failed = "\n".join(f"- {each.id}: {each.detail or 'failed'}" for each in verification.failed)
    return (
        f"Verification did not pass. This is rework {attempt} of {MOST}.\n"
        f"Address each of these criteria, then say again that the phase is complete:\n{failed}\n\n{verification.report}"
    ).rstrip()
