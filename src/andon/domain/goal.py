"""What andon sets out to measure on a tree: a goal, its commands, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from andon.domain.verdict import Verdict

GOAL_NAMES = ("lint", "test", "build", "typecheck", "custom", "interactive")
"""In the order they are run and reported (A-101)."""


@dataclass(frozen=True, slots=True)
class Goal:
    name: str
    commands: tuple[tuple[str, ...], ...] = ()
    """All must pass. Empty when `settled` says why nothing is run."""
    settled: Verdict | None = None
    """NOT_NEEDED or NOT_MEASURED, decided without running anything."""
    reason: str = ""
    fix: str = ""
    """The command that would make a goal measurable."""
    pattern: str = ""
    """What the output must contain (custom)."""
    stdin: str = ""
    """What its commands are given to read."""
    like: str = ""
    """The goal it is measured like, where its own name says nothing of that: `test`."""

    ours: bool = False
    """andon chose the commands: nobody in the project says that they are run there."""

    @property
    def sort(self) -> str:
        """The name under which it is known how to measure it and to read what it prints."""
        return self.like or self.name
