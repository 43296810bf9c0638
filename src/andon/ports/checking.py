"""Measuring: environments, goals, trials of verification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from andon.domain.goal import Goal
from andon.domain.order import Toolbox
from andon.domain.testing import TestReport
from andon.domain.trial import Trial, Tried
from andon.domain.verdict import CheckResult
from andon.domain.verification import Question, Verification


@dataclass(frozen=True, slots=True)
class Prepared:
    """An environment for checks: ready under `digest`, or the reason why not."""

    digest: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the checker needs to use it again; opaque to everyone else."""
    problem: str = ""
    fix: str = ""


class Checker(Protocol):
    """Measures. Knows project kinds, prepares environments, runs goals in the sandbox."""

    def goals(self, copy: Path, custom: str | None, interactive: bool) -> tuple[Goal, ...]: ...

    def traits(self, copy: Path) -> frozenset[str]:
        """What the project is made with, as far as it matters to how it is judged: `react`, `next` …"""
        ...

    def further_goals(self, copy: Path) -> tuple[Goal, ...]:
        """e2e, e2e-details and coverage: measured besides the six goals."""
        ...

    async def prepare(self, copy: Path, scratch: Path) -> Prepared: ...

    def toolbox(self, prepared: Prepared) -> Toolbox:
        """The environment for an agent, who works with it and whose word on the tests counts for nothing."""
        ...

    async def measure(
        self, goal: Goal, tree: str, copy: Path, scratch: Path, prepared: Prepared, git: Path | None, seconds: float
    ) -> tuple[CheckResult, bytes]:
        """The result, and the whole kept output for the content store."""
        ...

    def report(self, scratch: Path) -> TestReport | None:
        """What the tests measured there told, one by one; None when nothing of andon's was there to tell."""
        ...

    def compare(self, goal: Goal, before: CheckResult, old: str, now: CheckResult, new: str) -> CheckResult: ...

    async def cancel(self, scratch: Path) -> None: ...


class Trials(Protocol):
    """Where verification has its measurements made: each trial on a clean copy of its own, several side by side."""

    async def run(self, trial: Trial) -> Tried: ...


class ChangeVerifier(Protocol):
    """Says whether a change may pass."""

    async def verify(self, question: Question, scratch: Path, prepared: Mapping[str, Prepared]) -> Verification:
        """`prepared` has the environment of the base and of the new tree.

        Asked again with the same folder and question, nothing is measured twice.
        """
        ...

    async def cancel(self, scratch: Path) -> None: ...
