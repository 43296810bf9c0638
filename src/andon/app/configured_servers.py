"""The MCP servers that a project and its person have configured, wherever that is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from andon.teamify.servers import Configured, configured

SERVERS_FILE = ".mcp.json"


def every_server(folder: Path, environment: Mapping[str, str], *, mine_first: bool = False) -> list[Configured]:
    """Those of the project, then the person's own; of one name the first. `mine_first` is for whoever acts on a
    setting: it was made once, and a repository may call by that name whatever it likes."""
    theirs, mine = servers_of_project(folder), servers_of_person(environment)
    found = [*mine, *theirs] if mine_first else [*theirs, *mine]
    return list({each.server.name: each for each in reversed(found)}.values())[::-1]


def servers_of_project(folder: Path) -> list[Configured]:
    return configured(folder / SERVERS_FILE, SERVERS_FILE)


def servers_of_person(environment: Mapping[str, str]) -> list[Configured]:
    home = environment.get("HOME")
    files = [Path(home) / ".claude.json", Path(home) / SERVERS_FILE] if home else []
    return [each for file in files for each in configured(file, file.name)]
