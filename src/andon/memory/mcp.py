"""Layer 3: an MCP server made for remembering (B-48). Started for a question and gone after it.

To ask it is to start a program or call an address: whoever makes one of these has a person's word for that. A server
that hangs, floods, is missing or refuses is a UserError in a line, so that a lower layer can answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from andon.domain.errors import UserError
from andon.domain.teams.layers import Layer
from andon.domain.teams.memory_servers import KNOWN, Call, Dialect, Found, dialect_of, found_in, problem_in, title_of
from andon.domain.teams.recalling import Hit, Query
from andon.processes.mcp_client import Endpoint, Opened, session, told

SECONDS = 60.0
"""`npx` fetches a server that is started for the first time; that takes longer than any answer."""
MOST_WORDS = 8
Row = tuple[str, Sequence[str], str]
"""A text to be remembered, its tags, and where it comes from."""
T = TypeVar("T")
HINT = "Start it by hand to see why, or leave --server and `memory.server` away."


@dataclass(frozen=True, slots=True)
class ServerMemory:
    name: str
    """As `.mcp.json` has it."""
    endpoint: Endpoint
    environment: Mapping[str, str]
    cwd: Path
    dialect: Dialect | None = None
    """As a person described it. None: by the tools it tells."""
    seconds: float = SECONDS

    @property
    def layer(self) -> Layer:
        return Layer.MCP

    def search(self, query: Query) -> list[Hit]:
        """What has the most of the words, first."""
        found = asyncio.run(self._bounded(partial(self._search, query=query), self.seconds))
        place = f"MCP server {self.name}"
        return [Hit(each.text, Layer.MCP, place, each.id, at=each.at[:10]) for each in found[: query.most]]

    def write(self, text: str, tags: Sequence[str] = (), origin: str = "") -> None:
        self.write_all([(text, tags, origin)])

    def write_all(self, rows: Sequence[Row]) -> None:
        """Started once for all of them; each has a second more."""
        asyncio.run(self._bounded(partial(self._write, rows=rows), self.seconds + len(rows)))

    async def _bounded(self, act: Callable[[Opened, Dialect], Awaitable[T]], seconds: float) -> T:
        try:
            async with asyncio.timeout(seconds), session(self.endpoint, self.environment, self.cwd) as opened:
                return await act(opened, self._dialect(await opened.tools()))
        except TimeoutError:
            raise UserError(f"{self.name} did not answer within {seconds:.0f} s", HINT) from None
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: BaseException) -> UserError:
        """What was said in a line already stays as it is, however deep a task group wrapped it."""
        inner: tuple[BaseException, ...] = getattr(error, "exceptions", ())
        if isinstance(error, UserError):
            return error
        if inner:
            return self._failure(inner[0])
        return UserError(f"{self.name} cannot be asked: {told(error)}", HINT)

    def _dialect(self, tools: Sequence[str]) -> Dialect:
        if self.dialect is not None:
            missing = [
                call.tool for call in (self.dialect.search, self.dialect.write) if call and call.tool not in tools
            ]
            if missing:
                hint = (
                    f"It has {', '.join(tools[:8]) or 'none'}. `memory.search_tool` and `memory.write_tool` name them."
                )
                raise UserError(f"{self.name} has no tool {missing[0]}", hint)
            return self.dialect
        found = dialect_of(tools)
        if found is None:
            names = ", ".join(each.search.tool for each in KNOWN.values())
            hint = f"None of {names} is among its tools; `memory.search_tool` names another one."
            raise UserError(f"{self.name} is no memory server that andon knows", hint)
        return found

    async def _search(self, opened: Opened, dialect: Dialect, query: Query) -> list[Found]:
        words = query.words.split()
        texts = [query.words, *(words if dialect.word_by_word and len(words) > 1 else ())][: MOST_WORDS + 1]
        found = dict[str, Found]()
        for text in texts:
            for each in found_in(await self._called(opened, dialect.search, words=text)):
                found.setdefault(each.text, each)
        wanted = [word.casefold() for word in words]
        return sorted(found.values(), key=lambda each: -sum(word in each.text.casefold() for word in wanted))

    async def _write(self, opened: Opened, dialect: Dialect, rows: Sequence[Row]) -> None:
        if dialect.write is None:
            raise UserError(f"{self.name} has no tool that writes", "`memory.write_tool` names it.")
        for text, tags, origin in rows:
            values = {"text": text, "title": title_of(text), "tags": ", ".join(tags) or "none", "origin": origin}
            await self._called(opened, dialect.write, **values)

    async def _called(self, opened: Opened, call: Call, **values: str) -> str:
        said = await opened.call(call.tool, call.filled(**values))
        problem = " ".join(said.text.split())[:200] if said.failed else problem_in(said.text)
        if problem:
            raise UserError(f"{self.name} refused {call.tool}: {problem}", HINT)
        return said.text
