"""The append-only story of a run: one entry type, whose kinds are the words screens and tests use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    run: str
    seq: int
    """1, 2, 3 … within the run, without holes."""
    at: float
    kind: str
    phase: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
