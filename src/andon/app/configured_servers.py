"""The MCP servers that a project and its person have configured, wherever that is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from andon.teamify.servers import Configured, configured

SERVERS_FILE = ".mcp.json"


def every_server(folder: Path, environment: Mapping[str, str]) -> list[Configured]:
    """Those of the project, then the person's own; of one name the first."""
    home = environment.get("HOME")
    mine = [Path(home) / ".claude.json", Path(home) / SERVERS_FILE] if home else []
    found = [each for file in (folder / SERVERS_FILE, *mine) for each in configured(file, file.name)]
    return list({each.server.name: each for each in reversed(found)}.values())[::-1]
