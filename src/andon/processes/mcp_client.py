"""Talking to an MCP server: started as a program, or called by its address. What it may see of the environment is what
it is configured with."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM")
"""Of the environment: a server gets what it is configured with, not every secret of the person."""
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_NOWHERE = Path(os.devnull)
CLOSED = "Connection closed"
"""What the library says when a server has left."""
MOST_TOOLS = 2_000
LONGEST_ANSWER = 1_000_000
"""Characters. More is cut off: whoever reads it wants a few hits."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How a server is reached: a command, or an address."""

    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    sse: bool = False
    """By the older way of HTTP."""

    def filled(self, environment: Mapping[str, str]) -> Endpoint:
        """With `${NAME}` and `${NAME:-otherwise}` replaced, as those files are written for other programs."""
        return Endpoint(
            tuple(_filled(word, environment) for word in self.command),
            {name: _filled(value, environment) for name, value in self.environment.items()},
            _filled(self.url, environment),
            {name: _filled(value, environment) for name, value in self.headers.items()},
            self.sse,
        )


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool, as its server describes it."""

    name: str
    description: str
    schema: dict[str, Any]
    """Of its arguments."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a tool."""

    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """A server that is ready to be called."""

    session: ClientSession

    async def tools(self, most: int = MOST_TOOLS) -> list[str]:
        return [" ".join(tool.name.split())[:128] for tool in await self.offered(most)]

    async def offered(self, most: int = MOST_TOOLS) -> list[Offered]:
        """Its tools, page by page, for as long as there are more."""
        from mcp.types import PaginatedRequestParams

        found, cursor = list[Offered](), None
        while True:
            page = await self.session.list_tools(params=PaginatedRequestParams(cursor=cursor) if cursor else None)
            found += [Offered(tool.name, tool.description or "", tool.input_schema) for tool in page.tools]
            if len(found) >= most or not page.next_cursor or page.next_cursor == cursor:
                return found[:most]
            cursor = page.next_cursor

    async def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """What a tool says, as text: all its pieces of text, or the structure it answers with."""
        told: Any = await self.session.call_tool(tool, arguments)
        pieces = [str(each.text) for each in getattr(told, "content", ()) if getattr(each, "type", "") == "text"]
        text = "\n".join(pieces) or json.dumps(getattr(told, "structured_content", None) or {})
        return Answer(text[:LONGEST_ANSWER], bool(getattr(told, "is_error", False)))


@asynccontextmanager
async def session(endpoint: Endpoint, environment: Mapping[str, str], cwd: Path) -> AsyncGenerator[Opened]:
    """Ready to be called. Whatever was started for it is gone when it is left."""
    from mcp import ClientSession
    from mcp.client.sse import sse_client
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    endpoint = endpoint.filled(environment)
    if endpoint.command:
        program = _program(endpoint, environment, cwd)
        with _NOWHERE.open("w") as nowhere:  # noqa: ASYNC230 (/dev/null does not block)
            async with stdio_client(program, errlog=nowhere) as (read, write), ClientSession(read, write) as made:
                await made.initialize()
                yield Opened(made)
    elif endpoint.sse:
        async with (
            sse_client(endpoint.url, dict(endpoint.headers)) as (read, write),
            ClientSession(read, write) as made,
        ):
            await made.initialize()
            yield Opened(made)
    else:
        from httpx2 import AsyncClient

        async with (
            AsyncClient(headers=dict(endpoint.headers), timeout=None) as client,
            streamable_http_client(endpoint.url, http_client=client) as (read, write, *_),
            ClientSession(read, write) as made,
        ):
            await made.initialize()
            yield Opened(made)


def _program(endpoint: Endpoint, environment: Mapping[str, str], cwd: Path) -> StdioServerParameters:
    from mcp.client.stdio import StdioServerParameters

    passed = {name: environment[name] for name in PASSED_ON if name in environment}
    command, *arguments = endpoint.command
    return StdioServerParameters(command=command, args=arguments, env=passed | {**endpoint.environment}, cwd=str(cwd))


def _filled(text: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: environment.get(found[1]) or found[2] or "", text)


def told(given: BaseException) -> str:
    """The first cause of a failure, in a line."""
    error = _first(given)
    if isinstance(error, FileNotFoundError):
        return f"there is no program {error.filename or ''}".strip()
    if str(error) == CLOSED:
        return "it ended, or closed the connection, before it answered"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200].rstrip(": ")


def _first(error: BaseException) -> BaseException:
    inside: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return _first(inside[0]) if inside else error
