"""The plan's review loop: how a round ends, and the feedback carried into the next (A-46, A-52 to A-56)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.auto.quality_gates import GateResult
from andon.domain.auto.quality_gates import feedback as gate_feedback
from andon.domain.grammar import CriticReply
from andon.domain.language import Language, say
from andon.domain.limits import AutoLimits

LONGEST_GIST = 120


class RoundEnd(StrEnum):
    APPROVED = "approved"
    AGAIN = "again"
    FORCED = "forced"
    """The last round was used up: the plan goes on with a warning in it."""


@dataclass(frozen=True, slots=True)
class Feedback:
    iteration: int
    text: str


@dataclass(frozen=True, slots=True)
class Round:
    end: RoundEnd
    feedback: Feedback | None = None


def end_round(iteration: int, reply: CriticReply, gates: Sequence[GateResult], limits: AutoLimits) -> Round:
    """How a HEAVY round ends. A gate that andon saw fail outweighs the critic's approval (G-04)."""
    failed = [gate for gate in gates if gate.failed]
    if reply.approved and not failed:
        return Round(RoundEnd.APPROVED)
    measured = gate_feedback(failed)
    parts = [part for part in ("" if reply.approved else reply.feedback, measured) if part]
    said = Feedback(iteration, "\n".join(parts))
    return Round(RoundEnd.FORCED if iteration >= limits.plan_iterations else RoundEnd.AGAIN, said)


def estimate_tokens(text: str) -> int:
    """Characters by four, rounded up, when no back end counted (G-24)."""
    return -(-len(text) // 4)


def compress(feedbacks: Sequence[Feedback], limits: AutoLimits, tokens: Callable[[str], int] = estimate_tokens) -> str:
    """All feedback while it fits the budget; beyond it the newest in full and one line for each older one (A-54)."""
    whole = sum(tokens(each.text) for each in feedbacks) <= limits.feedback_tokens
    kept = len(feedbacks) if whole else limits.feedback_kept
    border = len(feedbacks) - kept
    return "\n\n".join(
        f"Iteration {each.iteration}: {gist(each.text)}"
        if index < border
        else f"Iteration {each.iteration}:\n{each.text}"
        for index, each in enumerate(feedbacks)
    )


def gist(text: str) -> str:
    """The first line that says something, cut to one line's length."""
    lines = (" ".join(line.strip(" \t*#>-").split()) for line in text.splitlines())
    first = next((line for line in lines if line), "")
    return first if len(first) <= LONGEST_GIST else first[: LONGEST_GIST - 1].rstrip() + "…"


def with_warning(plan: str, language: Language, iterations: int) -> str:
    """The plan with the forced approval noted at its top, once (A-55)."""
    note = f"> {say(language, 'plan.forced', count=iterations)}"
    return plan if plan.startswith(note) else f"{note}\n\n{plan}"
