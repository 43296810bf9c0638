"""What a team can be made of: skills, agents, commands, MCP servers and programs, as a scan found them (B-02 to B-09).

A thing that could not be read is a row with its problem; nothing is dropped silently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

TEAM_CREATE = "TeamCreate"
OTHER = "other"
PREFIXES = frozenset({"km", "ce", "gpt"})
"""Known families of skills. Any other prefix is one when two skills share it."""


class Transport(StrEnum):
    """How a server is reached."""

    STDIO = "stdio"
    SSE = "sse"
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    description: str
    category: str
    path: str
    source: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Agent:
    """A description of an agent, as Claude Code and others keep them."""

    name: str
    description: str
    model: str
    tools: tuple[str, ...]
    path: str
    source: str
    problem: str = ""

    @property
    def teams(self) -> bool:
        return supports_teams(self.tools)


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    description: str
    tools: tuple[str, ...]
    path: str
    source: str
    problem: str = ""

    @property
    def teams(self) -> bool:
        return supports_teams(self.tools)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that a team could be proposed for: it has steps as headings."""

    name: str
    kind: str
    """skill, agent, command, or document."""
    path: str
    source: str
    units: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server. Its tools are known only when somebody allowed to start it."""

    name: str
    transport: Transport | None
    category: str
    source: str
    reached_by: str
    """The program, or the address without what may be secret in it."""
    tools: tuple[str, ...] | None = None
    """None: it was not asked."""
    problem: str = ""

    @property
    def status(self) -> str:
        if self.problem:
            return "problem"
        return "not asked" if self.tools is None else "active"


@dataclass(frozen=True, slots=True)
class Program:
    """A command-line tool that was looked for."""

    name: str
    use: str
    version: str = ""
    path: str = ""
    problem: str = ""

    @property
    def found(self) -> bool:
        return bool(self.path)


@dataclass(frozen=True, slots=True)
class Inventory:
    skills: tuple[Skill, ...] = ()
    agents: tuple[Agent, ...] = ()
    commands: tuple[Command, ...] = ()
    servers: tuple[Server, ...] = ()
    programs: tuple[Program, ...] = ()
    platform: str = ""
    notes: tuple[str, ...] = field(default=())
    """What could not be looked at as a whole: a folder without rights, a loop of links."""

    def program(self, name: str) -> Program | None:
        return next((each for each in self.programs if each.name == name and each.found), None)

    def server(self, name: str) -> Server | None:
        return next((each for each in self.servers if names_alike(each.name, name) and not each.problem), None)

    def as_json(self) -> dict[str, Any]:
        teams = {"agents": self.agents, "commands": self.commands}
        told = asdict(self)
        for key, rows in teams.items():
            told[key] = [row | {"teams": each.teams} for row, each in zip(told[key], rows, strict=True)]
        told["servers"] = [
            row | {"status": each.status} for row, each in zip(told["servers"], self.servers, strict=True)
        ]
        return told


def supports_teams(tools: Iterable[str]) -> bool:
    """Whether its list of tools lets it make a team (B-04). A tool may carry a pattern in brackets."""
    return any(tool.partition("(")[0].strip() == TEAM_CREATE for tool in tools)


def categories_of(stems: Iterable[str]) -> dict[str, str]:
    """The family of each skill, by the prefix of its name (B-02)."""
    prefixes = {stem: stem.partition("-")[0] for stem in stems if "-" in stem.strip("-")}
    shared = Counter(prefixes.values())
    families = {prefix for prefix, count in shared.items() if count > 1} | PREFIXES
    return {stem: prefixes[stem] if prefixes.get(stem) in families else OTHER for stem in stems}


MEMORY = "memory"
SERVER_CATEGORIES = {
    "obsidian": "vault",
    "playwright": "browser",
    "hyperbrowser": "web",
    "notion": "docs",
    "drawio": "diagram",
    "claude-mem": "memory",
    "memory": "memory",
    "mem0": "memory",
    "zep": "memory",
    "stitch": "design",
    "notebooklm": "ai-notebook",
}
"""B-07, and those made for remembering (B-48)."""


def server_category(name: str) -> str:
    return next((category for known, category in SERVER_CATEGORIES.items() if names_alike(name, known)), OTHER)


def names_alike(given: str, known: str) -> bool:
    """People name the same server `obsidian`, `obsidian-mcp`, `mcp_obsidian`."""
    words = {"mcp", "server"}
    plain = [word for word in given.casefold().replace("_", "-").split("-") if word and word not in words]
    return plain == known.casefold().replace("_", "-").split("-") or given.casefold() == known.casefold()
