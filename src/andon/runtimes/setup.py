"""What a runtime is made from. Runtimes of other packages get the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from andon.runtimes.servers import Servers, no_server


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    name: str = ""
    """The runtime's, where several are made by the same code."""
    scenario: Path | None = None
    """What the scripted runtime plays."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """The person's own. An agent gets nothing of it but what its runtime names."""
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tier → model, where settings say otherwise than the runtime."""
    program: str | None = None
    """The program to start, where it is not the one on PATH."""
    arguments: tuple[str, ...] = ()
    """Further words for the program, from the person's settings."""
    mode: str = ""
    """The mode in which an ACP agent works, where it has several."""
    keys: tuple[str, ...] = ()
    """Variables that sign in an agent that andon does not know."""
    files: tuple[str, ...] = ()
    """Files of the person's home folder that do."""
    servers: Servers = no_server
    """MCP servers that orders may name."""
