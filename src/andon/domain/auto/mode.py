"""Modes, agent types and the team: type, tier and permission of every teammate (A-13, A-22 to A-26, A-60 to A-62).

A table and its lookups. Spawning is the pipeline's, enforcing permissions the operating system's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from andon.domain.order import Tier


class Mode(StrEnum):
    LIGHT = "LIGHT"
    STANDARD = "STANDARD"
    HEAVY = "HEAVY"

    @property
    def rank(self) -> int:
        return (Mode.LIGHT, Mode.STANDARD, Mode.HEAVY).index(self)


class Writes(StrEnum):
    """What a teammate may change. The kernel holds it to this (E-03)."""

    NOTHING = "nothing"
    DOCUMENT = "document"
    """Only the one document its order is to produce."""
    CODE = "code"


@dataclass(frozen=True, slots=True)
class AgentType:
    name: str
    tier: Tier
    writes: Writes


AGENT_TYPES: Mapping[str, AgentType] = MappingProxyType(
    {
        each.name: each
        for each in (
            AgentType("explore", Tier.HAIKU, Writes.NOTHING),
            AgentType("planner", Tier.SONNET, Writes.DOCUMENT),
            AgentType("architect", Tier.SONNET, Writes.NOTHING),
            AgentType("critic", Tier.SONNET, Writes.NOTHING),
            AgentType("executor", Tier.SONNET, Writes.CODE),
            AgentType("executor-high", Tier.SONNET, Writes.CODE),
            # Reviewers by nature; they write only where they are a fixer (G-42).
            AgentType("designer", Tier.SONNET, Writes.NOTHING),
            AgentType("build-fixer", Tier.SONNET, Writes.CODE),
            AgentType("security-reviewer", Tier.SONNET, Writes.NOTHING),
            AgentType("qa-tester", Tier.SONNET, Writes.NOTHING),
            AgentType("code-reviewer", Tier.SONNET, Writes.NOTHING),
            AgentType("writer", Tier.HAIKU, Writes.DOCUMENT),
            # Reads strangers' text; andon writes the context file from its reply.
            AgentType("analyst", Tier.SONNET, Writes.NOTHING),
        )
    }
)


@dataclass(frozen=True, slots=True)
class Post:
    """A place on the team."""

    type: str
    phase: str
    heavy_type: str = ""
    """When HEAVY fills the place with another type."""
    writes: Writes | None = None
    """When it differs from what the type may do."""
    core: bool = False
    """Runs on opus in HEAVY with --opus (A-24, X-66)."""
    routed: bool = False
    """Filled by the type the failure's domain asks for (A-94)."""


_CODER = Post("executor", "do", heavy_type="executor-high", core=True)
_PARALLEL = Post("executor-high", "do", core=True)

POSTS: Mapping[str, Post] = MappingProxyType(
    {
        "slack-analyst": Post("analyst", "plan"),
        "gmail-analyst": Post("analyst", "plan"),
        "doc-analyst": Post("explore", "plan"),
        "issue-analyst": Post("explore", "plan"),
        "planner": Post("planner", "plan"),
        "planner-{i}": Post("planner", "plan"),
        "arch-{i}": Post("architect", "plan"),
        "critic-{i}": Post("critic", "plan"),
        "critic-lite": Post("critic", "plan"),
        "design-writer": Post("executor", "design", heavy_type="executor-high", writes=Writes.DOCUMENT, core=True),
        "executor": Post("executor", "do"),
        "impl-manager": _CODER,
        "impl": _PARALLEL,
        "tester": _PARALLEL,
        "impl-{area}": _PARALLEL,
        "impl-verifier": Post("architect", "do"),
        "domain-fixer": Post("executor", "do", writes=Writes.CODE, routed=True),
        "qa-runner": Post("qa-tester", "check"),
        "qa-runner-{i}": Post("qa-tester", "check"),
        "diagnostician-{i}": Post("architect", "check"),
        "fixer-{i}": Post("executor", "check", writes=Writes.CODE, routed=True),
        "verifier": Post("architect", "check", core=True),
        "gap-checker": Post("architect", "check", heavy_type="code-reviewer", core=True),
        "quality-checker": Post("code-reviewer", "check", core=True),
        "iterator": Post("executor", "act"),
        "fixer": Post("executor", "act"),
        "reporter": Post("writer", "act"),
    }
)

_NUMBERED = re.compile(r"(.+)-([1-9][0-9]*)")
_AREA = re.compile(r"impl-[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Teammate:
    name: str
    type: str
    tier: Tier
    writes: Writes
    phase: str


def post_of(name: str) -> str:
    """The place a teammate's name belongs to: `critic-2` fills `critic-{i}`. A name outside A-13 is a bug."""
    if name in POSTS and "{" not in name:
        return name
    numbered = _NUMBERED.fullmatch(name)
    if numbered and f"{numbered.group(1)}-{{i}}" in POSTS:
        return f"{numbered.group(1)}-{{i}}"
    if _AREA.fullmatch(name):
        return "impl-{area}"
    raise ValueError(f"no such teammate: {name}")


def teammate(name: str, mode: Mode, *, opus: bool = False, eco: bool = False, agent_type: str = "") -> Teammate:
    """Who fills a place. `agent_type` is the routed type of a fixer; other places refuse one."""
    key = post_of(name)
    post = POSTS[key]
    if agent_type and not post.routed:
        raise ValueError(f"{name} is always a {post.type}")
    kind = AGENT_TYPES[agent_type or (post.heavy_type if mode is Mode.HEAVY and post.heavy_type else post.type)]
    tier = kind.tier
    if key == "planner" and mode is Mode.LIGHT:
        tier = Tier.HAIKU
    elif post.core and opus and mode is Mode.HEAVY:
        tier = Tier.OPUS
    return Teammate(name, kind.name, cheaper(tier) if eco else tier, post.writes or kind.writes, post.phase)


_CHEAPER = {
    Tier.OPUS_1M: Tier.SONNET_1M,
    Tier.OPUS: Tier.SONNET,
    Tier.SONNET_1M: Tier.HAIKU,
    Tier.SONNET: Tier.HAIKU,
    Tier.HAIKU: Tier.HAIKU,
}


def cheaper(tier: Tier) -> Tier:
    """One tier down; there is nothing below haiku (G-01, --eco)."""
    return _CHEAPER[tier]


_PLANNING = {
    Mode.LIGHT: ("planner",),
    Mode.STANDARD: ("planner", "critic-lite"),
    Mode.HEAVY: ("planner-1", "arch-1", "critic-1"),
}


def line_up(mode: Mode) -> tuple[str, ...]:
    """The teammates of a run in which everything is right the first time (A-60 to A-62); what --dry-run lists."""
    scouts = ("doc-analyst", "issue-analyst", *_PLANNING[mode])
    if mode is Mode.LIGHT:
        return (*scouts, "executor", "qa-runner", "verifier", "reporter")
    work = ("design-writer", "impl-manager", "impl-verifier", "qa-runner-1")
    return (*scouts, *work, "verifier", "gap-checker", "quality-checker", "reporter")
