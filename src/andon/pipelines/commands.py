"""Commands that people or plans name, as goals that andon measures."""

from __future__ import annotations

from andon.domain.goal import Goal
from andon.domain.uam.commands import argv_of

TESTS = ("pytest", "vitest", "jest", "node --test", "npm test", "npm run test")
"""Words of commands whose single tests andon's reporter can tell of."""


def goal_of(command: str) -> Goal:
    sort = "test" if any(word in command for word in TESTS) else "custom"
    return Goal(command, (argv_of(command),), like=sort)
