"""The QA cycle's memory and its four exits (A-99, A-104 to A-110, X-02, X-07, X-18, G-46).

Decides after each cycle whether to go on; running goals and repairing failures happen elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.auto.messages import QaReport
from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Facts, Promotion, promotion, thrifty
from andon.domain.language import Language, say
from andon.domain.limits import AutoLimits


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed goal of one cycle, as the history keeps it."""

    cycle: int
    type: str
    detail: str
    signature: str


class Exit(StrEnum):
    """In order of priority. Only a goal that is met goes on to be judged; the others ask for a person (G-46)."""

    ENVIRONMENT = "environment"
    SAME_FAILURE = "same_failure"
    MAX_CYCLES = "limit"
    GOAL_MET = "goal_met"


@dataclass(frozen=True, slots=True)
class CycleDecision:
    """After a cycle: one exit, or none and the cycle goes on, in a higher mode when promoted."""

    exit: Exit | None = None
    promotion: Promotion | None = None
    detail: str = ""
    """What the exit's message names: the environment's problem, the signature, or the open signatures."""
    count: int = 0

    def message(self, language: Language) -> str:
        if self.exit is Exit.ENVIRONMENT:
            return say(language, "qa.environment", detail=self.detail)
        if self.exit is Exit.SAME_FAILURE:
            return say(language, "qa.same_failure", count=self.count, signature=self.detail)
        if self.exit is Exit.MAX_CYCLES:
            return say(language, "qa.max_cycles", max_cycles=self.count, remaining_issues=self.detail)
        return ""


def max_cycles(mode: Mode, limits: AutoLimits, *, eco: bool = False) -> int:
    cycles = {
        Mode.LIGHT: limits.qa_cycles_light,
        Mode.STANDARD: limits.qa_cycles_standard,
        Mode.HEAVY: limits.qa_cycles_heavy,
    }
    return thrifty(cycles[mode], eco=eco)


def record(history: tuple[Failure, ...], cycle: int, report: QaReport) -> tuple[Failure, ...]:
    """The history with one entry per failed goal of this cycle."""
    return history + tuple(
        Failure(cycle, goal.goal, goal.output, goal.signature or signature(goal.goal, goal.output))
        for goal in report.failures
    )


def decide(
    mode: Mode,
    cycle: int,
    report: QaReport,
    history: tuple[Failure, ...],
    limits: AutoLimits,
    *,
    environment: str = "",
    eco: bool = False,
    before: int = 0,
) -> CycleDecision:
    """What follows a cycle; `history` already holds its failures. STANDARD is promoted before it runs out (X-02).

    `before` are the cycles of earlier entries into Phase 4: numbers go on, but each entry has its own limit.
    `environment` is what andon's own checks know of a missing tool: what a test printed is no sign of one (X-18).
    """
    if not report.verdict.blocks:
        return CycleDecision(Exit.GOAL_MET)
    if environment:
        return CycleDecision(Exit.ENVIRONMENT, detail=environment)
    repeated = most_repeated(history)
    if repeated and repeated[1] >= limits.same_failure:
        return CycleDecision(Exit.SAME_FAILURE, detail=repeated[0], count=repeated[1])
    made = cycle - before
    raised = promotion(mode, 4, Facts(failed_qa_cycles=made), limits, eco=eco)
    if raised:
        mode = raised.after
    if made >= max_cycles(mode, limits, eco=eco):
        return CycleDecision(Exit.MAX_CYCLES, detail=", ".join(open_signatures(history, cycle)), count=made)
    return CycleDecision(promotion=raised)


def most_repeated(history: tuple[Failure, ...]) -> tuple[str, int] | None:
    """The signature seen most often over the whole history, and how often (X-07: accumulated)."""
    counted = Counter(failure.signature for failure in history).most_common(1)
    return counted[0] if counted else None


def open_signatures(history: tuple[Failure, ...], cycle: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(failure.signature for failure in history if failure.cycle == cycle))


def summary(history: tuple[Failure, ...]) -> str:
    """Earlier failures for a prompt (A-112), one line each."""
    return "\n".join(f"cycle {failure.cycle}: {failure.signature}" for failure in history)


LONGEST_LINE = 2000
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_VARYING = (
    (re.compile(r"\bin \d+(?:\.\d+)?\s?m?s(?:ec(?:onds?)?)?\b|\(\d+(?:\.\d+)?\s?m?s\)", re.IGNORECASE), ""),
    (re.compile(r"\b\d+(?:\.\d+)?\s?(?:ms|seconds?|secs?|s)\b"), ""),
    (re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}\S*"), ""),
    (re.compile(r"\[\s*\d+%\]"), ""),
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (re.compile(r"/tmp/\S*/"), "/tmp/"),
)
_CORE = re.compile(r"\bFAILED\b|\bFAIL\b|\berror\b|\bError\b|Exception|[A-Z]{1,3}\d{3,4}\b|✕|✗")


def signature(goal: str, output: str) -> str:
    """`{type}:{core error message}`, equal whenever the same thing failed, whatever the clock said (A-105)."""
    lines = [line[:LONGEST_LINE].strip(" =-_") for line in _ANSI.sub("", output).splitlines()]
    lines = [line for line in lines if line]
    core = next((line for line in lines if _CORE.search(line)), lines[0] if lines else "no output")
    for pattern, instead in _VARYING:
        core = pattern.sub(instead, core)
    return f"{goal}:{' '.join(core.split())[:200]}"
