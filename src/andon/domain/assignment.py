"""A piece of work as a pipeline words it: whom, with which prompt, allowed to write what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from andon.domain.order import Tier, Usage
from andon.domain.tasks.stepping import Underway


class ContractError(Exception):
    """A reply does not have the form it was asked for. The text says what is wrong, for the agent to read."""


@dataclass(frozen=True, slots=True)
class Assignment:
    role: str
    """Agent type: `planner`, `architect` …"""
    name: str
    """Teammate name: `planner`, `critic-2` …"""
    prompt: str
    """Name of the prompt template, for example `auto/planner-light`."""
    tier: Tier
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    writes: tuple[str, ...] = ()
    """Paths it may change: files, folders, or "." for everything. Empty: read-only, by the kernel."""
    keeps: tuple[str, ...] = ()
    """Files and folders it may not change although they lie where it may write: what its work is judged by."""
    direction: str = ""
    """What the person said when they resumed the run. Their own words: an instruction, not material."""
    continues: bool = False
    """To the teammate's own last session, where there is one: it knows what it did. Else to a fresh instance."""
    again: str = ""
    """The prompt template for its own session, which knows already what the whole prompt tells. Empty: the whole."""
    place: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Where in its task the work stands, for checkpoints. Empty: none are taken."""
    underway: Underway | None = None
    """The phase of a task that it works on, whose steps are told as they are seen. None: nobody looks."""
    message: str = ""
    """The start message the team's log shows."""
    seconds: float = 1800.0
    runtime: str = ""
    """Another program than its role's: a second opinion. One that the run does not have is its role's all the same."""
    servers: tuple[str, ...] = ()
    """Names of MCP servers that it may use."""
    tokens: int | None = None
    """Most tokens it may use, besides what the run's budget says."""


@dataclass(frozen=True, slots=True)
class TeamRecord:
    """What one teammate used, for the report (A-28)."""

    name: str
    role: str
    phase: str
    tier: str
    usage: Usage
    seconds: float

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> TeamRecord:
        """From the frozen input of a leg."""
        values: dict[str, Any] = {**told, "usage": Usage.read(told["usage"])}
        return cls(**values)
