"""Talking to an MCP server: started as a program, or called by its address. What it may see of the environment is what
it is configured with."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM")
"""Of the environment: a server gets what it is configured with, not every secret of the person."""
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_NOWHERE = Path(os.devnull)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How a server is reached: a command, or an address."""

    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    sse: bool = False
    """By the older way of HTTP."""


@asynccontextmanager
async def session(endpoint: Endpoint, environment: Mapping[str, str], cwd: Path) -> AsyncGenerator[ClientSession]:
    """Ready to be called. Whatever was started for it is gone when it is left."""
    from mcp import ClientSession
    from mcp.client.sse import sse_client
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    headers = {name: _filled(value, environment) for name, value in endpoint.headers.items()}
    if endpoint.command:
        program = _program(endpoint, environment, cwd)
        with _NOWHERE.open("w") as nowhere:  # noqa: ASYNC230 (/dev/null does not block)
            async with stdio_client(program, errlog=nowhere) as (read, write), ClientSession(read, write) as made:
                await made.initialize()
                yield made
    elif endpoint.sse:
        async with sse_client(endpoint.url, headers) as (read, write), ClientSession(read, write) as made:
            await made.initialize()
            yield made
    else:
        from httpx2 import AsyncClient

        async with (
            AsyncClient(headers=headers, timeout=None) as client,
            streamable_http_client(endpoint.url, http_client=client) as (read, write, *_),
            ClientSession(read, write) as made,
        ):
            await made.initialize()
            yield made


def _program(endpoint: Endpoint, environment: Mapping[str, str], cwd: Path) -> StdioServerParameters:
    from mcp.client.stdio import StdioServerParameters

    passed = {name: environment[name] for name in PASSED_ON if name in environment}
    own = {name: _filled(value, environment) for name, value in endpoint.environment.items()}
    command, *arguments = (_filled(word, environment) for word in endpoint.command)
    return StdioServerParameters(command=command, args=arguments, env=passed | own, cwd=str(cwd))


def _filled(text: str, environment: Mapping[str, str]) -> str:
    """`${NAME}` and `${NAME:-otherwise}`, as those files are written for other programs."""
    return _VARIABLE.sub(lambda found: environment.get(found[1]) or found[2] or "", text)


def told(given: BaseException) -> str:
    """The first cause of a failure, in a line."""
    error = _first(given)
    if isinstance(error, FileNotFoundError):
        return f"there is no program {error.filename or ''}".strip()
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200].rstrip(": ")


def _first(error: BaseException) -> BaseException:
    inside: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return _first(inside[0]) if inside else error
