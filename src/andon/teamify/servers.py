"""MCP servers: which are configured, and, when a person allows it, which tools they have (B-05, B-06).

To ask a server is to start a program or call an address that a file of the repository names. So it is never done by
itself; and when it is done, it ends: in time, and whatever the server says.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

from andon.domain.errors import UserError
from andon.domain.teams.memory_servers import dialect_of, names_memory_server
from andon.domain.teams.resources import MEMORY, Server, Transport, server_category
from andon.processes.mcp_client import Endpoint, session, told
from andon.teamify.texts import read_text

SECONDS = 15.0
AT_ONCE = 4
LARGEST_FILE = 20_000_000


@dataclass(frozen=True, slots=True)
class Configured:
    """A server as a file names it."""

    server: Server
    endpoint: Endpoint = field(default_factory=Endpoint)


@dataclass(frozen=True, slots=True)
class Start:
    """What it takes to ask a server: a program that is started, or an address that is called."""

    server: str
    source: str
    line: str
    """The whole command line as the file has it; an address without what may be secret in it."""
    variables: tuple[str, ...] = ()
    """Names of what its entry adds to the environment, or sends along. Values may be secret."""
    program: bool = True
    number: int = 0
    """By which it is chosen: its place among all that the files name."""


def starts(found: Sequence[Configured]) -> list[Start]:
    """In the order in which they are asked; what cannot be asked is left out."""
    return [_start(each, number) for number, each in enumerate(found) if not each.server.problem]


def _start(each: Configured, number: int) -> Start:
    reached, server = each.endpoint, each.server
    if reached.command:
        return Start(server.name, server.source, shlex.join(reached.command), tuple(reached.environment), True, number)
    return Start(server.name, server.source, server.reached_by, tuple(reached.headers), False, number)


def mark(found: Sequence[Configured]) -> str:
    """Of everything that asking them depends on: it changes when any of it does."""
    told = [(each.server.name, each.server.source, each.server.problem, _plain(each.endpoint)) for each in found]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _plain(reached: Endpoint) -> list[object]:
    return [reached.command, dict(reached.environment), reached.url, dict(reached.headers), reached.sse]


def configured(file: Path, source: str) -> list[Configured]:
    """Of `.mcp.json` or `.claude.json`. A file that is not there has none; one that is broken is a row of its own."""
    if not os.path.lexists(file):
        return []
    try:
        loaded: object = json.loads(read_text(file, LARGEST_FILE, missing="", kind=""))
    except UserError as error:
        said = error.message.removeprefix(str(file)).strip(": ")
        return [_broken(file, source, f"it {said}" if said.startswith("is ") else said)]
    except (ValueError, RecursionError) as error:
        return [_broken(file, source, f"it is no JSON: {str(error).splitlines()[0]}")]
    servers: object = cast("dict[str, Any]", loaded).get("mcpServers", {}) if isinstance(loaded, dict) else None
    if not isinstance(servers, dict):
        return [_broken(file, source, "mcpServers is not a table")]
    return [_configured(str(name), each, source) for name, each in cast("dict[str, Any]", servers).items()]


def _broken(file: Path, source: str, problem: str) -> Configured:
    return Configured(Server(file.name, None, "other", source, str(file), None, problem))


def _configured(name: str, given: object, source: str) -> Configured:
    category = server_category(name)
    if not isinstance(given, dict):
        return Configured(Server(name, None, category, source, "", None, "its entry is not a table"))
    entry = cast("dict[str, Any]", given)
    if "command" in entry:
        words = (str(entry["command"]), *(str(each) for each in entry.get("args") or ()))
        shown, category = Path(words[0]).name, MEMORY if names_memory_server(words) else category
        server = Server(name, Transport.STDIO, category, source, shown)
        return Configured(server, Endpoint(words, _texts(entry.get("env"))))
    url = str(entry.get("url") or entry.get("serverUrl") or "")
    if not url:
        return Configured(Server(name, None, category, source, "", None, "it has neither a command nor a url"))
    kind = str(entry.get("type") or entry.get("transport") or "").casefold()
    transport = Transport.SSE if kind == "sse" or (not kind and url.rstrip("/").endswith("/sse")) else Transport.HTTP
    reached = Endpoint(url=url, headers=_texts(entry.get("headers")), sse=transport is Transport.SSE)
    return Configured(Server(name, transport, category, source, _shown(url)), reached)


def _texts(given: object) -> dict[str, str]:
    rows = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    return {str(key): str(value) for key, value in rows.items()}


def _shown(url: str) -> str:
    """Without what may be secret: user, password, query."""
    try:
        parts = urlsplit(url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return "an address that cannot be read"


# --- asking ---------------------------------------------------------------------------------------------------------


def chosen(found: Sequence[Configured], wanted: Sequence[str | int]) -> list[Configured]:
    """Those of these names, or in these places; all, where none is said. Raises UserError for what is not there."""
    names = [each.server.name for each in found]
    known = {*names, *range(len(found))}
    if lost := [str(each) for each in wanted if each not in known]:
        there = ", ".join(dict.fromkeys(names)) or "none"
        raise UserError(f"There is no MCP server {', '.join(lost)} here", f"There: {there}.")
    return [each for place, each in enumerate(found) if not wanted or place in wanted or each.server.name in wanted]


def ask(
    found: Sequence[Configured],
    environment: Mapping[str, str],
    cwd: Path,
    seconds: float = SECONDS,
    only: Sequence[Configured] | None = None,
) -> list[Server]:
    """Every server with its tools, or with why it did not tell them; those that are not meant as they were."""
    return asyncio.run(_ask_all(found, environment, cwd, seconds, found if only is None else only))


async def _ask_all(
    found: Sequence[Configured], environment: Mapping[str, str], cwd: Path, seconds: float, only: Sequence[Configured]
) -> list[Server]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(each: Configured) -> Server:
        if each.server.problem or each not in only:
            return each.server
        async with turns:
            return await _ask(each, environment, cwd, seconds)

    return list(await asyncio.gather(*(one(each) for each in found)))


async def _ask(each: Configured, environment: Mapping[str, str], cwd: Path, seconds: float) -> Server:
    try:
        async with asyncio.timeout(seconds):
            tools = await _tools(each, environment, cwd)
    except TimeoutError:
        return replace(each.server, problem=f"it did not tell its tools within {seconds:.0f} s")
    except Exception as error:
        return replace(each.server, problem=told(error))
    category = MEMORY if dialect_of(tools) else each.server.category
    return replace(each.server, tools=tuple(tools), category=category)


async def _tools(each: Configured, environment: Mapping[str, str], cwd: Path) -> list[str]:
    async with session(each.endpoint, environment, cwd) as opened:
        return await opened.tools()
