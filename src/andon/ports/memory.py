"""What a project remembers from one run to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from andon.domain.learning import Learning, Lesson, Origin
from andon.domain.teams.deciding import Decision
from andon.domain.teams.shared import Shared


class Memory(Protocol):
    def recall(self, about: str) -> tuple[Learning, ...]:
        """The few learnings that are to the point, the best first. Raises UserError where it cannot be read."""
        ...

    def remember(self, key: str, lessons: Sequence[Lesson], origin: Origin) -> int:
        """Keep lessons; how many were new. Under a key once, however often it is asked for; what the same run told
        before is not kept twice, and has the new verdict. Raises UserError where it cannot be written."""
        ...


class TeamMemory(Protocol):
    """What a team shares above its files."""

    def share(self, left: Sequence[Shared], at: float) -> list[str]:
        """In every layer that the team has; what could not be left, in words. The same at the same moment once."""
        ...

    def decisions(self) -> list[Decision]:
        """The newest ones, the oldest first. Raises UserError where they cannot be read."""
        ...
