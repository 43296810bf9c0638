"""Tools of MCP servers for the model of the `api` runtime: `mcp__SERVER__TOOL`, as Claude Code names them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from pydantic_ai import Tool, ToolFailed

from andon.domain.errors import EnvironmentProblem
from andon.processes.mcp_client import Endpoint, Offered, Opened, session, told
from andon.runtimes.events import storable

START_SECONDS = 60.0
"""The first start by `npx` takes a while."""
CHARACTERS = 30_000
"""Of one answer, as of the other tools."""

Tell = Callable[..., None]


async def tools_of_servers(
    servers: Iterable[Mapping[str, Any]], folder: Path, tell: Tell, stack: AsyncExitStack
) -> list[Tool[None]]:
    """Every server is started now, and ended with the stack. One that cannot be used is an error: whoever was promised
    a server should not have to find out by its silence."""
    found = list[Tool[None]]()
    for each in servers:
        reached = Endpoint(
            tuple(each["words"]), each["environment"], each["url"], each["headers"], sse=each["kind"] == "sse"
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                opened = await stack.enter_async_context(session(reached, os.environ, folder))
                offered = await opened.offered()
        except Exception as problem:
            reason = "it did not answer" if isinstance(problem, TimeoutError) else told(problem)
            raise EnvironmentProblem(f"the server {each['name']} cannot be used: {reason}") from problem
        found += [_tool(each["name"], opened, tool, tell) for tool in offered]
    return found


def _tool(server: str, opened: Opened, tool: Offered, tell: Tell) -> Tool[None]:
    async def call(**arguments: Any) -> str:
        answer = await opened.call(tool.name, arguments)
        text = storable(answer.text)
        short = text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}\n[… more than is told]"
        kept = {"error": short[:2000]} if answer.failed else {"output": short[:2000]}
        tell("tool", tool="call", target=f"{server}: {tool.name}", ok=not answer.failed, **kept)
        if answer.failed:
            raise ToolFailed(short)
        return short

    name = f"mcp__{server}__{tool.name}"
    return Tool[None].from_schema(call, name=name, description=tool.description, json_schema=tool.schema)
