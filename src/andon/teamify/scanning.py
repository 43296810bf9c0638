"""Everything a team could be made of, in four steps: files, servers, programs, the best way to each function (B-01)."""

from __future__ import annotations

import json
import platform as system
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from andon.domain.errors import Conflict
from andon.domain.teams.panes import platform_of
from andon.domain.teams.resources import Inventory
from andon.domain.teams.tool_paths import MATRIX, Function
from andon.teamify.files import look, roots_of
from andon.teamify.programs import programs
from andon.teamify.servers import SECONDS, Configured, ask, chosen, configured, mark

Step = Callable[[str], object]
LARGEST_MANIFEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Where:
    """Where to look, and what may be asked."""

    project: Path
    home: Path | None = None
    """None: only the project."""
    more: Sequence[Path] = ()
    ask_servers: bool = False
    asked: Sequence[str | int] = ()
    """Only these: by their names, or by their places among all. Empty: all of them."""
    seen: str = ""
    """The mark of the servers that a person saw before they allowed to ask them. Empty: they named none."""
    functions: Sequence[Function] = MATRIX
    """Whose programs are looked for."""
    seconds: float = SECONDS


def scan(where: Where, environment: Mapping[str, str], step: Step = lambda name: None) -> Inventory:
    """`step` hears of each of the four steps when it is done; only then is anything analysed."""
    roots = [root for folder, source in _folders(where) for root in roots_of(folder, source)]
    files = look(roots)
    step("A")
    found = servers_of(where)
    if where.ask_servers:
        if where.seen and where.seen != mark(found):
            raise Conflict(
                "The servers are not those that you saw any more", "Scan again, and look at them; none was started."
            )
        servers = ask(found, environment, where.project, where.seconds, chosen(found, where.asked))
    else:
        servers = [each.server for each in found]
    step("B")
    platform = platform_of(system.system(), system.release())
    tools = programs(environment, platform, where.project, where.functions)
    step("C")
    inventory = Inventory(
        files.skills, files.agents, files.commands, tuple(servers), tuple(tools), platform.value, files.notes
    )
    step("D")
    return inventory


def servers_of(where: Where) -> list[Configured]:
    """As their files name them; nothing is started."""
    return [each for file, source in _configurations(where) for each in configured(file, source)]


def _folders(where: Where) -> list[tuple[Path, str]]:
    home = [(where.home, "you")] if where.home else []
    return [(where.project, "project"), *home, *((each, named(each)) for each in where.more)]


def _configurations(where: Where) -> list[tuple[Path, str]]:
    home = [(where.home / ".claude.json", "you"), (where.home / ".mcp.json", "you")] if where.home else []
    more = [(each / ".mcp.json", named(each)) for each in where.more]
    return [(where.project / ".mcp.json", "project"), *home, *more]


def named(folder: Path) -> str:
    """As a plugin or a package calls itself; else as its folder is called."""
    for file in (folder / ".claude-plugin" / "plugin.json", folder / "package.json"):
        with suppress(OSError, ValueError, RecursionError):
            if file.is_file() and file.stat().st_size <= LARGEST_MANIFEST:
                told: object = json.loads(file.read_bytes())
                name = cast("dict[str, object]", told).get("name") if isinstance(told, dict) else None
                if isinstance(name, str) and name.strip():
                    return name.strip()
    return folder.name
