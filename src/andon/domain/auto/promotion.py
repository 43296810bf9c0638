"""When reality disagrees with the score the mode rises, never falls, and says why (A-63 to A-67, X-01, X-02)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from andon.domain.auto.mode import Mode
from andon.domain.limits import AutoLimits


class Cause(StrEnum):
    BUILD_FAILURES = "build_failures"
    QA_CYCLES = "qa_cycles"
    AFFECTED_FILES = "affected_files"


@dataclass(frozen=True, slots=True)
class Promotion:
    before: Mode
    after: Mode
    cause: Cause
    count: int
    """How many build failures, cycles or files it was."""
    phase: int

    def __post_init__(self) -> None:
        if self.after.rank <= self.before.rank:
            raise ValueError(f"{self.before} to {self.after} is not a promotion")


@dataclass(frozen=True, slots=True)
class Facts:
    """What has been seen so far that may raise the mode."""

    build_failures: int = 0
    failed_qa_cycles: int = 0
    affected_files: int = 0


def promotion(mode: Mode, phase: int, facts: Facts, limits: AutoLimits, *, eco: bool = False) -> Promotion | None:
    """The promotion due now. Many files outrank the others, because they lead straight to HEAVY."""
    if mode is Mode.HEAVY:
        return None
    if facts.affected_files >= limits.promotion_files:
        return Promotion(mode, Mode.HEAVY, Cause.AFFECTED_FILES, facts.affected_files, phase)
    if mode is Mode.LIGHT and facts.build_failures >= limits.promotion_build_failures:
        return Promotion(mode, Mode.STANDARD, Cause.BUILD_FAILURES, facts.build_failures, phase)
    if mode is Mode.STANDARD and facts.failed_qa_cycles >= thrifty(limits.promotion_qa_cycles, eco=eco):
        return Promotion(mode, Mode.HEAVY, Cause.QA_CYCLES, facts.failed_qa_cycles, phase)
    return None


def retries_build(mode: Mode, build_failures: int, limits: AutoLimits) -> bool:
    """Whether the LIGHT executor gets another try: one failure is often trivial (X-01)."""
    return mode is Mode.LIGHT and 0 < build_failures < limits.promotion_build_failures


def thrifty(cycles: int, *, eco: bool) -> int:
    """Numbers of QA cycles are halved with --eco, upwards, so that one stays one (G-01)."""
    return -(-cycles // 2) if eco else cycles
