"""What a workflow needs, beside what there is: the best way to each tool, and what is missing (B-23, B-24)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from andon.domain.teams.resources import Inventory
from andon.domain.teams.tool_paths import MATRIX, Function, Method, tool_path
from andon.domain.teams.units import Unit

INSTALL = {
    "playwright": "npm install -g playwright, or the MCP server @playwright/mcp",
    "obsidian": "the MCP server of your vault, for example: npx -y mcp-obsidian FOLDER",
    "hyperbrowser": "the MCP server: npx -y hyperbrowser-mcp",
    "notion": "the MCP server: npx -y @notionhq/notion-mcp-server",
    "drawio": "the MCP server: npx -y drawio-mcp-server",
    "claude-mem": "the plugin claude-mem, or the MCP server @modelcontextprotocol/server-memory",
    "stitch": "the MCP server of Stitch; see its own pages",
    "notebooklm": "the MCP server: npx -y notebooklm-mcp",
    "marker_single": "pip install marker-pdf",
}
REGISTRY = "look for it in https://registry.modelcontextprotocol.io/ and add it to .mcp.json"


@dataclass(frozen=True, slots=True)
class Match:
    """One row: what is needed, whether it is there, how it is reached."""

    needed: str
    available: bool
    path: str
    missing: str = ""
    """How to get it; empty when it is there."""
    optional: bool = False
    """Something else does as well."""
    server: bool = True
    """It is, or would be, an MCP server; else a program of the command line."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def matches(
    units: Sequence[Unit], text: str, inventory: Inventory, known: Sequence[Function] = MATRIX
) -> tuple[Match, ...]:
    """A row for every MCP server and every program of the matrix that the workflow names."""
    servers = dict.fromkeys(tool.server for unit in units for tool in unit.mcp)
    rows = [_server(name, inventory, known) for name in servers]
    named = [each for each in known if _names_program(each, text) and each.server not in servers]
    return tuple(rows + [_function(each, inventory) for each in named])


def _names_program(function: Function, text: str) -> bool:
    words = [word for word in (function.program, function.command) if word]
    return any(word in text for word in words)


def _server(name: str, inventory: Inventory, known: Sequence[Function]) -> Match:
    function = next((each for each in known if each.server == name), None)
    if function is not None:
        return _function(function, inventory, needed=name)
    found = inventory.server(name)
    if found is not None:
        return Match(name, True, f"{found.name} MCP")
    return Match(name, False, "none", suggestion(name))


def _function(function: Function, inventory: Inventory, needed: str = "") -> Match:
    name = needed or function.program or function.server
    path = tool_path(function, inventory)
    if path is not None:
        server = path.method is Method.MCP
        return Match(name, True, f"{path.name} MCP" if server else path.name, server=server)
    left, optional = function.otherwise or "none", bool(function.otherwise)
    return Match(name, False, left, suggestion(name), optional, server=function.first is Method.MCP)


def suggestion(name: str) -> str:
    """How people get it."""
    return f"{name}: {INSTALL.get(name, REGISTRY)}"
