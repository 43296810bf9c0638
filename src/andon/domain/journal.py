"""The append-only story of a run: one entry type, whose kinds are the words screens and tests use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_PLACE = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Entry:
    run: str
    seq: int
    """1, 2, 3 … within the run, without holes."""
    at: float
    kind: str
    phase: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key: str = ""
    """What makes it unique under replay; begins with the leg and step that wrote it: "1.7/spawn.1"."""

    @property
    def place(self) -> tuple[int, int]:
        """(leg, step) that wrote the entry; (0, 0) for what was written before the first step."""
        found = _PLACE.match(self.key)
        return (int(found[1]), int(found[2])) if found else (0, 0)
