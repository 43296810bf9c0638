"""Which way a team reaches a function: through an MCP server or a program of the command line (B-10 to B-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.teams.resources import Inventory, Server


class Method(StrEnum):
    CLI = "cli"
    MCP = "mcp"


@dataclass(frozen=True, slots=True)
class Function:
    """A row of the matrix: what there can be, what is better, and why."""

    name: str
    title: str
    server: str = ""
    program: str = ""
    command: str = ""
    """As it is called; the program itself where empty."""
    first: Method = Method.MCP
    otherwise: str = ""
    """What is left when neither is there."""
    why: str = ""

    @property
    def calls(self) -> str:
        return self.command or self.program

    def called(self, method: Method) -> str:
        """In words: `playwright MCP`, `npx playwright`."""
        return f"{self.server} MCP" if method is Method.MCP else self.calls


@dataclass(frozen=True, slots=True)
class ToolPath:
    """The way that was chosen."""

    method: Method
    name: str
    """Of the server, or the command."""
    fallback: str

    def as_json(self) -> dict[str, str]:
        key = "command" if self.method is Method.CLI else "server"
        return {"method": self.method.value, key: self.name, "fallback": self.fallback}


NONE = "none"
MATRIX = (
    Function(
        *("browser", "browser automation", "playwright", "playwright", "npx playwright", Method.CLI),
        why="10 to 100 times fewer tokens",
    ),
    Function(
        *("vault", "Obsidian vault", "obsidian", "obsidian-cli", "", Method.MCP, "file system"),
        why="knows the vault, and has more tools",
    ),
    Function("pdf", "PDF to Markdown", "", "marker_single", "", Method.CLI, why="large files"),
    Function("web", "web crawling", "hyperbrowser", why="there is no program for it"),
    Function("diagram", "diagrams", "drawio", why="there is no program for it"),
    Function("docs", "Notion", "notion", why="only through its API"),
    Function("ai-notebook", "AI notebook", "notebooklm", why="there is no program for it"),
    Function("memory", "memory and search", "claude-mem", otherwise="team files", why="there is no program for it"),
    Function("design", "design", "stitch", why="there is no program for it"),
)
"""B-11. The method that is first where both are there: the program where it needs fewer tokens, the server where it is
integrated better (B-10)."""


def tool_path(function: Function, inventory: Inventory) -> ToolPath | None:
    """The best way to a function; None when there is neither, and its `otherwise` is what is left."""
    present = {
        Method.CLI: bool(function.program) and inventory.program(function.program) is not None,
        Method.MCP: bool(function.server) and inventory.server(function.server) is not None,
    }
    second = Method.MCP if function.first is Method.CLI else Method.CLI
    for method, other in ((function.first, second), (second, function.first)):
        if present[method]:
            server = inventory.server(function.server)
            name = server.name if method is Method.MCP and server else function.calls
            has_other = function.server if other is Method.MCP else function.program
            fallback = function.called(other) if has_other and (present[other] or not function.otherwise) else ""
            return ToolPath(method, name, fallback or function.otherwise or NONE)
    return None


def tool_paths(inventory: Inventory, known: Sequence[Function] = MATRIX) -> Mapping[str, ToolPath]:
    """Of every function that can be reached (B-12)."""
    found = {each.name: tool_path(each, inventory) for each in known}
    return {name: path for name, path in found.items() if path is not None}


def function_of(name: str, known: Sequence[Function] = MATRIX) -> Function | None:
    return next((each for each in known if name in (each.name, each.server, each.program)), None)


@dataclass(frozen=True, slots=True)
class Choice:
    """A row of the matrix beside what there is."""

    function: Function
    has_server: bool
    has_program: bool
    path: ToolPath | None
    """None: neither is there."""


def choices(inventory: Inventory, known: Sequence[Function] = MATRIX) -> tuple[Choice, ...]:
    """The whole matrix (B-11)."""
    return tuple(
        Choice(
            each,
            bool(each.server) and inventory.server(each.server) is not None,
            bool(each.program) and inventory.program(each.program) is not None,
            tool_path(each, inventory),
        )
        for each in known
    )


def instead(server: Server, inventory: Inventory, known: Sequence[Function] = MATRIX) -> str:
    """The program that does the same as a server, where it is there."""
    function = function_of(server.category, known)
    return function.calls if function and function.program and inventory.program(function.program) else ""


def best_way(server: Server, inventory: Inventory, known: Sequence[Function] = MATRIX) -> str:
    """To what a server is for; empty when it does not work, and nothing else does."""
    function = function_of(server.category, known)
    path = tool_path(function, inventory) if function else None
    return path.name if path else ("" if server.problem else server.name)
