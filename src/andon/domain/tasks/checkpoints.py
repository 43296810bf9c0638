"""When a checkpoint is taken, and what is in it (D-117, D-118, G-24)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

INTERVAL = 600.0
"""Seconds between checkpoints that nothing else asked for."""
CHARACTERS_PER_TOKEN = 4


class Reason(StrEnum):
    PERIODIC = "periodic"
    RATE_LIMIT = "rate_limit"
    MANUAL_PAUSE = "manual_pause"
    ERROR = "error"
    PHASE_COMPLETE = "phase_complete"
    RISKY = "before_risky_operation"
    """Asked for by operators, besides the five."""


TRIGGERS = (Reason.PERIODIC, Reason.RATE_LIMIT, Reason.MANUAL_PAUSE, Reason.ERROR, Reason.PHASE_COMPLETE)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    reason: Reason
    history: str
    """Where the conversation is kept: an agent's own session, or a transcript."""
    phase: int
    step: int
    progress: float | None
    variables: tuple[str, ...]
    """Names of the environment's variables. Values are given again from the store of secrets, never kept here."""
    pending: tuple[str, ...]
    tokens: int


def periodic_due(last: float, now: float) -> bool:
    """Whether ten minutes have passed since the last checkpoint of any kind (D-117)."""
    return now - last >= INTERVAL


def tokens_used(reported: int | None, text: str) -> int:
    """What the program reported, otherwise a quarter of the characters, rounded up (G-24)."""
    return reported if reported is not None else -(-len(text) // CHARACTERS_PER_TOKEN)
