"""The commands of a plan, as andon runs them: frozen when the plan is approved, by tier, without a shell where it needs
none (C-35, C-41, C-73).
"""

from __future__ import annotations

import re
import shlex

from .plan import Plan, Todo

TIERS = ("unit", "integration", "e2e")
"""In the order they are run; a failure leaves out those behind it."""
_COMMAND = re.compile(r"`([^`]+)`")
_NEEDS_SHELL = re.compile(r"[|&;<>()$*?~{}\n]|^\s*\w+=")
_TIER = {
    "e2e": re.compile(r"\be2e\b|end[ -]to[ -]end|\btier[ -]?3\b|종단", re.IGNORECASE),
    "integration": re.compile(r"\bintegration\b|\btier[ -]?2\b|통합", re.IGNORECASE),
}


def argv_of(command: str) -> tuple[str, ...]:
    """Its words; what only a shell understands goes to one."""
    if not _NEEDS_SHELL.search(command):
        try:
            return tuple(shlex.split(command))
        except ValueError:
            pass
    return ("sh", "-c", command)


def command_in(text: str) -> str:
    found = _COMMAND.search(text)
    return found[1].strip() if found else ""


def tier_of(text: str) -> str:
    """unit, unless the item says otherwise: a command is run early rather than late."""
    return next((tier for tier, word in _TIER.items() if word.search(text)), TIERS[0])


def tiers(plan: Plan) -> dict[str, list[str]]:
    """Every A-item's command, in the order of tiers, each once: those of the test strategy and of all TODOs."""
    found: dict[str, list[str]] = {tier: [] for tier in TIERS}
    seen: set[str] = set()
    criteria = (each.text for todo in plan.todos for each in todo.criteria if each.kind == "A")
    for text in (*plan.items["A"], *criteria):
        command = command_in(text)
        if command and command not in seen:
            seen.add(command)
            found[tier_of(text)].append(command)
    return found


def of_todo(todo: Todo) -> tuple[str, ...]:
    return tuple(dict.fromkeys(todo.commands()))


def frozen(plan: Plan) -> frozenset[str]:
    """What a person, or the time that passed, approved."""
    return frozenset(command for commands in tiers(plan).values() for command in commands)
