"""The verifier as the engine and `andon verify` use it: trials in folders, on the trees of one repository."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.app.kept_results import KeptResults
from andon.app.trials import FolderTrials, Keep
from andon.checks.verifying.oracle import Case
from andon.checks.verifying.verifier import Verifier
from andon.domain.verification import Question, Verification
from andon.ports import Checker, Prepared, Trees

SECONDS = 1800.0
"""For one trial."""


def _silent(name: str) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class ProjectVerifier:
    """Implements ports.ChangeVerifier."""

    trees: Trees
    checker: Checker
    keep: Keep
    cases: tuple[Case, ...] = ()
    seconds: float = SECONDS
    began: Callable[[str], None] = _silent
    results: Path | None = None
    """Where results of the base's tests are kept."""
    given: Callable[[], Mapping[str, str]] = dict
    """Secrets that a person gave to the run."""

    async def verify(self, question: Question, scratch: Path, prepared: Mapping[str, Prepared]) -> Verification:
        trials = self._trials(scratch, lambda tree: prepared.get(tree) or prepared[question.tree])
        return await Verifier(self.trees, trials, self.cases, self.given()).verify(question)

    async def cancel(self, scratch: Path) -> None:
        await self._trials(scratch, Prepared).cancel()

    def _trials(self, scratch: Path, prepared: Callable[[str], Prepared]) -> FolderTrials:
        kept = KeptResults(self.results) if self.results else None
        return FolderTrials(self.trees, self.checker, scratch, prepared, self.keep, self.seconds, self.began, kept)
