"""The few forms a planned goal has: it runs a command, it is not needed, or it cannot be measured."""

from __future__ import annotations

from andon.domain.goal import Goal
from andon.domain.verdict import Verdict

TESTS_FIRST = "write tests first"
"""Nothing blocks for want of tests but the five conditions, which ask for them (A-78)."""


def runs(name: str, *argv: str) -> Goal:
    return Goal(name, commands=(argv,))


def not_needed(name: str, reason: str, fix: str = "") -> Goal:
    return Goal(name, settled=Verdict.NOT_NEEDED, reason=reason, fix=fix)


def not_measured(name: str, reason: str, fix: str) -> Goal:
    return Goal(name, settled=Verdict.NOT_MEASURED, reason=reason, fix=fix)


def joined(name: str, parts: list[Goal]) -> Goal:
    """One goal out of what each language of the repository needs; one that cannot be measured speaks for all."""
    unmeasured = next((part for part in parts if part.settled is Verdict.NOT_MEASURED), None)
    if unmeasured:
        return unmeasured
    commands = tuple(command for part in parts for command in part.commands)
    reasons = "; ".join(part.reason for part in parts if part.reason)
    fix = next((part.fix for part in parts if part.fix), "")
    ours = all(part.ours for part in parts if part.commands)
    return Goal(name, commands, ours=ours) if commands else not_needed(name, reasons, fix)
