"""MCP servers made for remembering (B-48): which of their tools searches and which writes, and how to read an answer.

A table of data: a server that is not in it is described by the settings `memory.search_tool` and its neighbours.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

TITLE = 60
LONGEST = 2_000
"""Characters of one hit."""
_TEXTS = ("memory", "fact", "content", "text", "summary", "observation")
"""Where the servers keep what they remember, in the order in which it is looked for."""
_IDS = ("id", "uuid", "name")
_DATES = ("created_at", "valid_at", "timestamp", "updated_at")
_DEPTH = 20
_PLACE = re.compile(r"\{(\w+)\}")
PACKAGES = ("@modelcontextprotocol/server-memory", "mem0-mcp-server", "@zep-ai/zep-mcp-server")
"""As a command names them, whatever the server is called."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool, and what it is called with; `{words}`, `{text}`, `{title}`, `{tags}` and `{origin}` stand for values."""

    tool: str
    arguments: Mapping[str, Any]

    def filled(self, **values: str) -> dict[str, Any]:
        return cast("dict[str, Any]", _filled(self.arguments, values))


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a kind of server is spoken to."""

    name: str
    search: Call
    write: Call | None = None
    """None: it only tells."""
    word_by_word: bool = False
    """It finds its query letter by letter: so it is asked for each word."""


KNOWN = MappingProxyType(
    {
        "server-memory": Dialect(
            "server-memory",
            Call("search_nodes", {"query": "{words}"}),
            Call(
                "create_entities",
                {
                    "entities": [
                        {
                            "name": "{title}",
                            "entityType": "learning",
                            "observations": ["{text}", "Tags: {tags}", "From: {origin}"],
                        }
                    ]
                },
            ),
            word_by_word=True,
        ),
        "mem0": Dialect(
            "mem0", Call("search_memories", {"query": "{words}"}), Call("add_memory", {"text": "{text} ({origin})"})
        ),
        "zep": Dialect(
            "zep", Call("search_memory", {"query": "{words}"}), Call("add_memory", {"content": "{text} ({origin})"})
        ),
    }
)
"""By the tools they tell: mem0 and Zep share one name for writing, and have two for searching."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a server remembers."""

    text: str
    id: str = ""
    at: str = ""


def dialect_of(tools: Collection[str]) -> Dialect | None:
    """Of a server with these tools; None for one that is not made for remembering, or is not known."""
    return next((each for each in KNOWN.values() if each.search.tool in tools), None)


def names_memory_server(words: Iterable[str]) -> bool:
    """Whether a command starts one of the known packages, of whatever version."""
    return any(word == each or word.startswith((f"{each}@", f"{each}==")) for word in words for each in PACKAGES)


def described(search_tool: str, search_arguments: str = "", write_tool: str = "", write_arguments: str = "") -> Dialect:
    """As a person's settings say. Raises ValueError for arguments that are no JSON object."""
    search = Call(search_tool, _object(search_arguments or '{"query": "{words}"}'))
    write = Call(write_tool, _object(write_arguments or '{"text": "{text}"}')) if write_tool else None
    return Dialect("settings", search, write)


def title_of(text: str) -> str:
    """The beginning of a text, and enough of its digest to tell it from another that begins alike."""
    line = " ".join(text.split())
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{line if len(line) <= TITLE else line[: TITLE - 1] + '…'} #{digest}"


def found_in(answer: str) -> list[Found]:
    """What an answer holds: JSON of any of the known forms, or plain text."""
    try:
        loaded: object = json.loads(answer)
    except (ValueError, RecursionError):
        text = answer.strip()
        return [Found(text[:LONGEST])] if text else []
    return list({each.text: each for each in _found(loaded, 0)}.values())


def problem_in(answer: str) -> str:
    """What a server says went wrong, where it says so in an answer that looks like any other."""
    try:
        loaded: object = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    said = cast("dict[str, Any]", loaded).get("error") if isinstance(loaded, dict) else None
    return " ".join(str(said).split())[:200] if said else ""


def _found(given: object, depth: int) -> Iterator[Found]:
    if depth > _DEPTH:
        return
    if isinstance(given, str):
        if given.strip():
            yield Found(given.strip()[:LONGEST])
    elif isinstance(given, list):
        for each in cast("list[object]", given):
            yield from _found(each, depth + 1)
    elif isinstance(given, dict):
        row = cast("dict[str, object]", given)
        if text := _text(row):
            yield Found(text[:LONGEST], _first(row, _IDS), _first(row, _DATES))
            return
        for each in row.values():
            if isinstance(each, dict | list):
                yield from _found(cast("object", each), depth + 1)


def _text(row: Mapping[str, object]) -> str:
    observed = row.get("observations")
    if isinstance(observed, list):
        lines = [str(each) for each in cast("list[object]", observed) if str(each).strip()]
        return "\n".join(lines) or str(row.get("name") or "")
    return _first(row, _TEXTS).strip()


def _first(row: Mapping[str, object], names: tuple[str, ...]) -> str:
    values = (row.get(name) for name in names)
    return next((str(value) for value in values if isinstance(value, str | int | float) and value), "")


def _object(text: str) -> dict[str, Any]:
    loaded: object = json.loads(text)
    if not isinstance(loaded, dict):
        raise ValueError("it is no JSON object")
    return cast("dict[str, Any]", loaded)


def _filled(given: object, values: Mapping[str, str]) -> object:
    if isinstance(given, str):
        return _PLACE.sub(lambda place: values.get(place[1], place[0]), given)
    if isinstance(given, Mapping):
        rows = cast("Mapping[str, object]", given)
        return {key: _filled(value, values) for key, value in rows.items()}
    if isinstance(given, list):
        return [_filled(each, values) for each in cast("list[object]", given)]
    return given
