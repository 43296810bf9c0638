"""Which type of agent repairs a failure of which domain (A-94)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FALLBACK = "executor"
ROUTES: Mapping[str, str] = MappingProxyType(
    {
        "UI": "designer",
        "component": "designer",
        "style": "designer",
        "build": "build-fixer",
        "compile": "build-fixer",
        "type": "build-fixer",
        "test": "executor",
        "coverage": "executor",
        "security": "security-reviewer",
        "logic": "executor",
        "other": "executor",
    }
)
_FOLDED = {domain.casefold(): agent for domain, agent in ROUTES.items()}


def agent_for(domain: str) -> str:
    return _FOLDED.get(domain.strip().casefold(), FALLBACK)
