"""What a project remembers from one run to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from andon.domain.learning import Learning, Lesson, Origin


class Memory(Protocol):
    def recall(self, about: str) -> tuple[Learning, ...]:
        """The few learnings that are to the point, the best first. Raises UserError where it cannot be read."""
        ...

    def remember(self, key: str, lessons: Sequence[Lesson], origin: Origin) -> int:
        """Keep lessons; how many were new. Under a key once, however often it is asked for; what the same run told
        before is not kept twice, and has the new verdict. Raises UserError where it cannot be written."""
        ...
