"""Phase 5: what a check's result leads to, and the two guards that end the loop between phases 4 and 5.

Decisions over frozen counters (A-66, A-123 to A-128, X-03, G-07). Nothing is spawned here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from andon.domain.auto.mode import Mode
from andon.domain.language import Language, say
from andon.domain.limits import AutoLimits


class Move(StrEnum):
    REPORT = "report"
    """Everything is met: write the report and finish."""
    ITERATE = "iterate"
    """The iterator closes the gap, then Phase 4 again."""
    FIX = "fix"
    """The fixer answers the rejection, then Phase 4 again."""
    STOP = "stop"
    """A guard ends the run; open issues are reported."""


class Reason(StrEnum):
    """Why this move; the exit reason when it ends the run (E-18)."""

    GOAL_MET = "goal_met"
    REJECTED = "rejected"
    CRITICAL_FINDINGS = "critical_findings"
    GAP = "gap"
    REENTRIES = "reentry_limit"
    IMPROVEMENTS = "improvement_limit"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What Phase 4 found out."""

    approved: bool
    gap: float | None = None
    """Match rate in per cent. None: unreadable, or LIGHT, which has none."""
    critical_findings: int = 0


@dataclass(frozen=True, slots=True)
class Counters:
    """What the guards count over a whole run; kept in the status file (A-155)."""

    rejections: int = 0
    """By the architect, Step 3.2 and Step 4.2 alike (A-66)."""
    reentries: int = 0
    """Returns from Phase 5 to Phase 4."""
    improvements: int = 0
    """Inner repetitions of the iterator and fixes by the fixer."""

    def rejected(self) -> Counters:
        return replace(self, rejections=self.rejections + 1)

    def improved(self, repetitions: int = 1) -> Counters:
        """At least one: an iterator that reports none has used its turn all the same."""
        return replace(self, improvements=self.improvements + max(1, repetitions))

    def reentered(self) -> Counters:
        return replace(self, reentries=self.reentries + 1)

    def bonus(self, limits: AutoLimits) -> int:
        return limits.rejection_bonus if self.rejections >= limits.architect_rejections else 0

    def improvement_limit(self, limits: AutoLimits) -> int:
        return limits.cumulative_improvements + self.bonus(limits)

    def iterator_limit(self, limits: AutoLimits) -> int:
        """Repetitions one iterator may make, never more than the run has left."""
        own = limits.iterator_repetitions + self.bonus(limits)
        return max(0, min(own, self.improvement_limit(limits) - self.improvements))


@dataclass(frozen=True, slots=True)
class Step:
    move: Move
    reason: Reason
    limit: int = 0
    """The limit that was reached, for STOP."""

    def message(self, language: Language) -> str:
        """What the specification has printed when a guard acts; empty for any other move."""
        if self.move is not Move.STOP:
            return ""
        key = "act.reentries" if self.reason is Reason.REENTRIES else "act.improvements"
        return say(language, key, limit=self.limit)


def judge(mode: Mode, outcome: CheckOutcome, limits: AutoLimits) -> Step:
    """The decision table: rejection first, then the gap. LIGHT has no gap (A-123, G-07)."""
    if not outcome.approved:
        return Step(Move.FIX, Reason.REJECTED)
    if outcome.critical_findings > 0:
        return Step(Move.FIX, Reason.CRITICAL_FINDINGS)
    if mode is not Mode.LIGHT and (outcome.gap is None or not outcome.gap >= limits.gap_threshold):
        return Step(Move.ITERATE, Reason.GAP)
    return Step(Move.REPORT, Reason.GOAL_MET)


def next_step(mode: Mode, outcome: CheckOutcome, counters: Counters, limits: AutoLimits) -> Step:
    """The move to make now. A change that could no longer be checked is not made: the guard acts before it."""
    step = judge(mode, outcome, limits)
    if step.move is Move.REPORT:
        return step
    return improvement_guard(counters, limits) or reentry_guard(counters.reentered(), limits) or step


def improvement_guard(counters: Counters, limits: AutoLimits) -> Step | None:
    """To be asked after each improvement (A-128)."""
    limit = counters.improvement_limit(limits)
    return Step(Move.STOP, Reason.IMPROVEMENTS, limit) if counters.improvements >= limit else None


def reentry_guard(counters: Counters, limits: AutoLimits) -> Step | None:
    """To be asked with the return already counted, so that the third one does not happen (A-127)."""
    limit = limits.phase4_reentries
    return Step(Move.STOP, Reason.REENTRIES, limit) if counters.reentries >= limit else None
