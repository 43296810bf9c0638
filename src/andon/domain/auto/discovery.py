"""What bare `auto` does: the tier whose findings come first, and the task that follows from them (A-150 to A-152).

Findings are text of strangers: one line each, short, without anything that could command a terminal. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from types import MappingProxyType

from andon.domain.errors import UserError
from andon.domain.language import Language, Wording, fill

CONTEXT_LEFT = "ANDON_CONTEXT_LEFT"
"""Per cent of its context that the session around andon has left; set by whoever embeds andon in an agent's session."""
NEARLY_FULL = 10.0
LONGEST_FINDING = 200
NAMED_FAILURES = 3
"""How many of several failures the task of Tier 2 names; whoever works on it sees all of them."""


class Tier(IntEnum):
    CONTEXT = 0
    EXPLICIT = 1
    URGENT = 2
    WORK = 3
    SUPPORT = 4
    AUTONOMOUS = 5


TIERS: Mapping[Tier, tuple[str, str]] = MappingProxyType(
    {
        Tier.CONTEXT: (
            "the session's context is nearly full, or a run here is unfinished",
            "advise: /clear and /auto resume, or andon resume",
        ),
        Tier.EXPLICIT: ("a task was given", "run it"),
        Tier.URGENT: ("the build or the tests of HEAD fail", "propose a run that finds the cause and repairs it"),
        Tier.WORK: ("there is an open to-do or issue", "propose a run for the first one"),
        Tier.SUPPORT: ("files are staged, or the linter complains", "say what to commit and what to repair"),
        Tier.AUTONOMOUS: ("nothing was found in the tiers before", "propose improvements; nothing is changed"),
    }
)
"""What each tier looks for and what follows, in the order they are tried."""


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
    unfinished: tuple[str, ...] = ()
    """Runs of this repository that can be gone on with."""
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
    """The lowest tier with a finding wins; a given task is a finding of Tier 1, and Tier 5 is what remains.

    A person who gives a task knows of their unfinished runs: those speak up only where no task was given.
    """
    if world.context_nearly_full:
        return Choice(Tier.CONTEXT, (Response.ADVISE,))
    if world.task.strip():
        return Choice(Tier.EXPLICIT, (Response.RUN,), (world.task.strip(),))
    if world.unfinished:
        return Choice(Tier.CONTEXT, (Response.ADVISE,), world.unfinished)
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


def context_nearly_full(environment: Mapping[str, str]) -> bool:
    """Whether the session andon runs in said that it has hardly any room left (A-27)."""
    said = environment.get(CONTEXT_LEFT, "").strip().removesuffix("%")
    if not said:
        return False
    try:
        left = float(said)
    except ValueError:
        left = -1.0
    if not 0 <= left <= 100:
        raise UserError(f"{CONTEXT_LEFT} is {said!r}", "It is the per cent of context that is left: 0 to 100.")
    return left < NEARLY_FULL


_COMMANDS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


def finding(text: str, most: int = LONGEST_FINDING) -> str:
    """Text somebody else wrote as one line of bounded length, without control characters and unseen ones."""
    text = text.encode("utf-8", "replace").decode()  # names of files may hold bytes that are no text
    line = " ".join(_UNSEEN.sub(" ", _COMMANDS.sub("", text)).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


_TASKS: Mapping[str, Wording] = MappingProxyType(
    {
        "debug": Wording(
            "실패의 원인을 찾아 근본적으로 고칩니다. 테스트를 약화하거나 건너뛰거나 지우지 않습니다: {findings}",
            "Find why this fails and repair the cause, without weakening, skipping or deleting tests: {findings}",
        ),
        "more": Wording("외 {count}건", "and {count} more"),
        "todo": Wording(
            "열린 할 일을 처리하고 그 자리의 표시를 지웁니다: {found}",
            "Do this open to-do, and tick it off or remove it where it stands: {found}",
        ),
        "issue": Wording("이슈를 해결합니다 {found}", "Resolve issue {found}"),
        "lint": Wording("린트 오류를 고칩니다: {findings}", "Repair what the linter complains about: {findings}"),
        "improve": Wording(
            "동작을 바꾸지 않고 개선합니다: {found}", "Improve this without changing behaviour: {found}"
        ),
    }
)


def tasks(choice: Choice, language: Language) -> tuple[str, ...]:
    """What a run could be given, best first. Tiers 0 and 4 start none; Tier 5 only shows what one could be."""
    match choice.tier:
        case Tier.EXPLICIT:
            return choice.findings
        case Tier.URGENT:
            return (_word(language, "debug", findings=_several(choice.findings, language)),)
        case Tier.WORK:
            return tuple(
                _word(language, "issue" if found.startswith("#") else "todo", found=found) for found in choice.findings
            )
        case Tier.AUTONOMOUS:
            return tuple(_word(language, "improve", found=found) for found in choice.findings)
        case _:
            return ()


def lint_task(errors: tuple[str, ...], language: Language) -> str:
    return _word(language, "lint", findings=_several(errors, language))


def _several(findings: tuple[str, ...], language: Language) -> str:
    left = len(findings) - NAMED_FAILURES
    named = "; ".join(findings[:NAMED_FAILURES])
    return f"{named}; {_word(language, 'more', count=left)}" if left > 0 else named


def _word(language: Language, key: str, **values: object) -> str:
    return fill(getattr(_TASKS[key], language.value), key, values)
