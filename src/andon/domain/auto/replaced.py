"""What became of the commands that `auto` replaces (A-148). A table for people who knew them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

REPLACED: Mapping[str, str] = MappingProxyType(
    {
        "ralplan": "Planner-Critic loop (Phase 1, HEAVY)",
        "ralph": "impl-manager loop (Phase 3, STANDARD and HEAVY)",
        "ultraqa": "QA cycle (Phase 4)",
    }
)
