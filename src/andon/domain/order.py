"""Orders to agents and what comes back: the nouns every runtime and the engine agree on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any


class Tier(StrEnum):
    """How capable a model is wanted. Settings map a tier to a real model name per runtime (E-01)."""

    HAIKU = "haiku"
    SONNET = "sonnet"
    OPUS = "opus"
    SONNET_1M = "sonnet[1m]"
    OPUS_1M = "opus[1m]"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one order may use. None means: no limit of this kind."""

    seconds: float = 1800.0
    turns: int | None = None
    tokens: int | None = None
    money: float | None = None
    output_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What the project's own tools need, so that an agent can run its tests as andon does: read-only, all of it."""

    paths: tuple[str, ...] = ()
    """Folders of programs, to stand before others in PATH."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    readable: tuple[str, ...] = ()
    python_path: tuple[str, ...] = ()
    """Folders in the workspace that hold importable code."""
    linked: tuple[tuple[str, str], ...] = ()
    """Folders that appear in the workspace: absolute source, place in it."""


@dataclass(frozen=True, slots=True)
class Order:
    """One piece of work handed to one agent."""

    run: str
    position: str
    """Where in the run: "leg.step", for example "1.7". Stable under replay."""
    role: str
    """The agent's job description, for example `planner`."""
    name: str
    """The teammate's name in this run, for example `planner-2`."""
    phase: str
    """One of plan, design, do, check, act."""
    prompt: str
    system: str
    tier: Tier
    folder: str
    """Absolute path of the workspace the agent sees."""
    call: int = 1
    """How many orders this name has had in this run, this one included."""
    attempt: int = 1
    """1 for the first try; higher when the same order is handed out again."""
    writable: tuple[str, ...] = ()
    """Paths relative to `folder` that the kernel lets the agent write; "." is all of it, none is read-only."""
    protected: tuple[str, ...] = ()
    """Files and folders relative to `folder` that stay as they are, wherever the agent may write."""
    tools: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    """Names of MCP servers that it may use, besides its tools."""
    runtime: str = ""
    """Which program is wanted, where it is not the one of the role."""
    limits: Limits = field(default_factory=Limits)
    schema: Mapping[str, Any] | None = None
    session: str | None = None
    """The agent's own earlier session to continue, as its Reply named it."""
    toolbox: Toolbox = field(default_factory=Toolbox)

    def may_write(self, path: str) -> bool:
        """Whether a change of this path is within its scope."""
        return _within(path, self.writable) and not _within(path, self.protected)

    @property
    def label(self) -> str:
        """How messages name this order."""
        return f"{self.name} ({self.role}, phase {self.phase}, call {self.call}, attempt {self.attempt})"


def _within(path: str, places: tuple[str, ...]) -> bool:
    return any(each == "." or path == each or path.startswith(each.rstrip("/") + "/") for each in places)


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    money: float = 0.0
    """US dollars: what the agent's program told, and what was reckoned from prices."""
    estimated: float = 0.0
    """Of this money, what was reckoned from prices."""
    unpriced: int = 0
    """Tokens of which nobody knows the price. Their money is not 0 but unknown."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Usage:
        """From a journal, which another version may have written."""
        return cls(**{key: told[key] for key in (each.name for each in fields(cls)) if key in told})

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.money + other.money,
            self.estimated + other.estimated,
            self.unpriced + other.unpriced,
        )


class Outcome(StrEnum):
    """How an order ended. Only DONE is a reply to be read; every other one says why there is none."""

    DONE = "done"
    ASKED = "asked"
    """The agent put a question to a person and waits in its own session."""
    LIMIT = "limit"
    RATE_LIMITED = "rate_limited"
    CRASHED = "crashed"
    REFUSED = "refused"
    UNPARSEABLE = "unparseable"
    UNAUTHENTICATED = "unauthenticated"
    CANCELLED = "cancelled"
    LOST = "lost"
    """Its supervisor ended it because no orchestrator came back within the lease, or was killed itself."""


@dataclass(frozen=True, slots=True)
class Question:
    """What an agent or a pipeline wants to know from a person (E-25)."""

    text: str
    options: tuple[str, ...] = ()
    default: str | None = None
    timeout: float | None = None
    """Seconds until `default` is taken. None waits for ever."""
    category: str = "question"


@dataclass(frozen=True, slots=True)
class Reply:
    outcome: Outcome
    text: str = ""
    detail: str = ""
    """Why, when the outcome is not DONE."""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    session: str | None = None
    question: Question | None = None
    resets_at: float | None = None
    """Unix time at which a rate limit ends."""
    violations: tuple[str, ...] = ()
    """What the agent tried and was refused, each as words that follow its name."""
