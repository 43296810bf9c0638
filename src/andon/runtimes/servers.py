"""MCP servers that an order names, as its agent program is told of them.

A server is the agent's: its program starts it, inside the same sandbox. What may be secret in its entry travels in
variables of that process, never in a file and never on a command line, where everybody on the machine could read it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from andon.domain.errors import UserError
from andon.domain.order import Order
from andon.ports import Mount
from andon.processes import readable_for
from andon.processes.mcp_client import Endpoint
from andon.runtimes.program import installation, search_path

VARIABLE = "ANDON_SERVERS"
"""Tells programs of andon's own which servers they are to start."""


CANNOT: Mapping[str, str] = {"gemini": "starts no servers in folders that it does not trust, as all of andon's are"}
"""Runtimes whose programs have no use for servers, and why."""


@dataclass(frozen=True, slots=True)
class Server:
    """How a server is reached that a person lets agents use, and what of the machine it needs to see."""

    endpoint: Endpoint
    """Nothing is left to be filled in."""
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()


Servers = Callable[[str], Server]
"""By name. Raises UserError for one that nobody lets the run use, or not any more."""


def no_server(name: str) -> Server:
    raise UserError(f"Nobody lets this run use the server {name}")


@dataclass(frozen=True, slots=True)
class Ready:
    """A server of one order."""

    name: str
    words: tuple[str, ...]
    """With the program's whole path. None: it is called by its address."""
    path: str
    """PATH for the program."""
    server: Server

    @property
    def reached(self) -> Endpoint:
        return self.server.endpoint

    @property
    def kind(self) -> str:
        return "stdio" if self.words else "sse" if self.reached.sse else "http"


def servers_of(order: Order, known: Servers, environment: Mapping[str, str], runtime: str = "") -> tuple[Ready, ...]:
    """In the order in which they are named."""
    if order.servers and runtime in CANNOT:
        raise UserError(f"{runtime} {CANNOT[runtime]}: {', '.join(order.servers)}")
    return tuple(_ready(name, known(name), environment) for name in order.servers)


def _ready(name: str, server: Server, environment: Mapping[str, str]) -> Ready:
    if not server.endpoint.command:
        return Ready(name, (), "", server)
    program = found_program(name, server.endpoint, environment)
    path = f"{program.parent}:{search_path(program, environment)}"
    return Ready(name, (str(program), *server.endpoint.command[1:]), path, server)


def found_program(name: str, endpoint: Endpoint, environment: Mapping[str, str]) -> Path:
    found = shutil.which(endpoint.command[0], path=environment.get("PATH"))
    if found is None:
        raise UserError(f"The server {name} needs {endpoint.command[0]}, which is not here", "Install it.")
    return Path(found).absolute()


def server_needs(servers: Sequence[Ready], environment: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[Mount, ...]]:
    """What must be seen in the sandbox, and written: programs, files that command lines name, what settings add."""
    readable = [path for each in servers for path in _readable(each, environment)]
    written = dict.fromkeys(path for each in servers for path in each.server.writable)
    return tuple(dict.fromkeys(readable)), tuple(Mount(path, path, writable=True) for path in written)


def _readable(server: Ready, environment: Mapping[str, str]) -> Iterator[str]:
    if server.words:
        program, *words = server.words
        yield from installation(Path(program), environment)
        for word in words:
            if Path(word).is_absolute() and Path(word).exists():
                yield from installation(Path(word), environment) if Path(word).is_file() else readable_for(word)
    yield from server.server.readable


# --- as each program wants it ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    text: str
    variables: Mapping[str, str]
    """That the text names."""


def told_to_claude(servers: Sequence[Ready]) -> Told:
    """For `--mcp-config`, which takes variables anywhere."""
    variables = dict[str, str]()

    def named(values: Mapping[str, str]) -> dict[str, str]:
        names = {key: f"ANDON_SERVER_{len(variables) + at}" for at, key in enumerate(values)}
        variables.update({names[key]: value for key, value in values.items()})
        return {key: f"${{{name}}}" for key, name in names.items()}

    def entry(server: Ready) -> dict[str, Any]:
        reached = server.reached
        if server.words:
            own = {"PATH": server.path} | named(reached.environment)
            return {"type": "stdio", "command": server.words[0], "args": server.words[1:], "env": own}
        return {"type": server.kind, "headers": named(reached.headers)} | {"url": named({"url": reached.url})["url"]}

    told = {server.name: entry(server) for server in servers}
    return Told(json.dumps({"mcpServers": told}), variables)


def told_to_codex(servers: Sequence[Ready]) -> Told:
    """A setting for `-c`: TOML, in which variables of a program go by their own names."""
    variables = dict[str, str]()

    def keep(name: str, value: str, whose: str) -> str:
        if variables.setdefault(name, value) != value:
            raise UserError(f"Another server than {whose} has another {name}", "codex cannot keep them apart.")
        return name

    def entry(server: Ready) -> str:
        reached = server.reached
        if server.kind == "sse":
            raise UserError(f"codex does not call the server {server.name}: it speaks SSE", "Use its HTTP address.")
        if server.words:
            names = [keep(name, value, server.name) for name, value in reached.environment.items() if name != "PATH"]
            path = reached.environment.get("PATH") or server.path
            told = {"command": server.words[0], "args": list(server.words[1:]), "env_vars": names}
            return _table({**told, "env": {"PATH": path}, "startup_timeout_sec": 60})
        prefix = f"ANDON_SERVER_{servers.index(server)}"
        headers = {
            key: keep(f"{prefix}_{at}", value, server.name) for at, (key, value) in enumerate(reached.headers.items())
        }
        return _table({"url": reached.url, "env_http_headers": headers})

    told = ",".join(f"{_toml(server.name)}={entry(server)}" for server in servers)
    return Told(f"mcp_servers={{{told}}}", variables)


def _table(values: Mapping[str, Any]) -> str:
    return "{" + ",".join(f"{_toml(key)}={_toml(value)}" for key, value in values.items()) + "}"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return _table(cast("dict[str, Any]", value))
    return json.dumps(value, ensure_ascii=False)


def told_to_ours(servers: Sequence[Ready]) -> dict[str, str]:
    """For programs of andon's own, which take it out of their environment."""
    told = [
        {
            "name": server.name,
            "kind": server.kind,
            "words": server.words,
            "environment": {"PATH": server.path, **server.reached.environment} if server.words else {},
            "url": server.reached.url,
            "headers": dict(server.reached.headers),
        }
        for server in servers
    ]
    return {VARIABLE: json.dumps(told)} if told else {}
