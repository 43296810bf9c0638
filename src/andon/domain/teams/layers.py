"""Which memories a team shares, and which of them answers a question (B-40, B-49, B-50)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

SMALL, MIDDLE = 3, 8
LONG_LIVED = ("장기 프로젝트", "시맨틱 검색", "long-term project", "semantic search")


class Layer(StrEnum):
    MARKDOWN = "markdown"
    SQLITE = "sqlite"
    MCP = "mcp"


class Kind(StrEnum):
    """Of a question to the memory."""

    STATE = "state"
    STRUCTURED = "structured"
    SEMANTIC = "semantic"
    TEMPORAL = "temporal"


ROUTES = {
    Kind.STATE: Layer.MARKDOWN,
    Kind.STRUCTURED: Layer.SQLITE,
    Kind.SEMANTIC: Layer.MCP,
    Kind.TEMPORAL: Layer.MCP,
}


def layers_for(size: int, request: str = "", memory_server: bool = False) -> tuple[Layer, ...]:
    """By the size of the team; the third also when it is asked for, or there already."""
    found = [Layer.MARKDOWN]
    if size > SMALL:
        found.append(Layer.SQLITE)
    wanted = any(words in request.casefold() for words in LONG_LIVED)
    if size > MIDDLE or wanted or memory_server:
        found.append(Layer.MCP)
    return tuple(found)


def route(kind: Kind, present: Sequence[Layer]) -> tuple[Layer, ...]:
    """Who is asked, in this order: the layer that is made for it, then the lower ones that are there. The files always
    are."""
    below = tuple(Layer)[: tuple(Layer).index(ROUTES[kind]) + 1]
    return tuple(layer for layer in reversed(below) if layer in present or layer is Layer.MARKDOWN)
