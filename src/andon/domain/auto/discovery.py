"""What bare `auto` does: the tier whose findings come first (A-150 to A-152)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Tier(IntEnum):
    CONTEXT = 0
    EXPLICIT = 1
    URGENT = 2
    WORK = 3
    SUPPORT = 4
    AUTONOMOUS = 5


class Response(StrEnum):
    ADVISE = "advise"
    """Say how to go on: clear, then resume."""
    RUN = "run"
    """Run the five phases for the task, to-do or issue."""
    DEBUG = "debug"
    COMMIT = "commit"
    CHECK = "check"
    PROPOSE = "propose"
    """Print proposals. Nothing is changed."""


@dataclass(frozen=True, slots=True)
class World:
    """What was found. Findings are one line each."""

    context_nearly_full: bool = False
    task: str = ""
    broken: tuple[str, ...] = ()
    """Failing builds and tests."""
    todos: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    staged: tuple[str, ...] = ()
    lint_errors: tuple[str, ...] = ()
    quality: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    tier: Tier
    responses: tuple[Response, ...]
    findings: tuple[str, ...] = ()


def choose(world: World) -> Choice:
    """The lowest tier with a finding wins; a given task is a finding of Tier 1, and Tier 5 is what remains."""
    if world.context_nearly_full:
        return Choice(Tier.CONTEXT, (Response.ADVISE,))
    if world.task.strip():
        return Choice(Tier.EXPLICIT, (Response.RUN,), (world.task.strip(),))
    if world.broken:
        return Choice(Tier.URGENT, (Response.DEBUG,), world.broken)
    if world.todos or world.issues:
        return Choice(Tier.WORK, (Response.RUN,), world.todos + world.issues)
    support = tuple(
        response for response, found in ((Response.COMMIT, world.staged), (Response.CHECK, world.lint_errors)) if found
    )
    if support:
        return Choice(Tier.SUPPORT, support, world.staged + world.lint_errors)
    return Choice(Tier.AUTONOMOUS, (Response.PROPOSE,), world.quality)
