"""Claude Code, headless: one process an order, which prints what it does as lines of JSON.

The sandbox confines it, so it is not asked for permissions. Settings, hooks, MCP servers and plugins of the repository
and of the person are not loaded: what an agent may do, and which servers it may use, is the order's business.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from andon.domain.order import Order, Reply
from andon.domain.question_block import INSTRUCTION
from andon.ports import Command, Exit, Needs, Watch
from andon.runtimes.claude_lines import ClaudeLines
from andon.runtimes.events import Event, Reader
from andon.runtimes.identity import introduced
from andon.runtimes.installed import CLAUDE
from andon.runtimes.models import model_for
from andon.runtimes.program import (
    NETWORK,
    certificates,
    handed_on,
    home_of,
    installation,
    judged,
    search_path,
    sign_in_mounts,
    told,
    watching,
    written,
)
from andon.runtimes.servers import Ready, Told, server_needs, servers_of, told_to_claude
from andon.runtimes.setup import Setup

READING = ("Read", "Grep", "Glob", "Bash")
WRITING = (*READING, "Write", "Edit")
PROVIDER = (*CLAUDE.keys, "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS")
_QUIET = {
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "IS_SANDBOX": "1",
    "LANG": "C.UTF-8",
}


class ClaudeRuntime:
    name = "claude"

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._program = CLAUDE.needed(setup.environment, setup.program)

    def command(self, order: Order, folder: Path) -> Command:
        folder.mkdir(parents=True, exist_ok=True)
        system = folder / "system.md"
        written(system, f"{order.system}\n\n{INSTRUCTION}\n")
        servers = self._servers(order)
        told = told_to_claude(servers) if servers else Told("", {})
        words = ("--mcp-config", told.text) if servers else ()
        # Else their tools would have to be looked for, with a tool that is not offered.
        direct = {"ENABLE_TOOL_SEARCH": "false"} if servers else {}
        return Command(
            argv=(str(self._program), *self._flags(order, system), *words, *self._setup.arguments),
            cwd=order.folder,
            env={
                "PATH": search_path(self._program, self._setup.environment),
                **_QUIET,
                **direct,
                **told.variables,
                **handed_on(self._setup.environment, (*PROVIDER, *NETWORK)),
            },
            stdin=introduced(order).encode(),
        )

    def _flags(self, order: Order, system: Path) -> list[str]:
        flags = ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]
        flags += ["--setting-sources", "", "--strict-mcp-config", "--append-system-prompt-file", str(system)]
        flags += ["--model", model_for(self.name, order.tier, self._setup.models)]
        flags += ["--tools", ",".join(order.tools or (WRITING if order.writable else READING))]
        if order.session:
            flags += ["--resume", order.session]
        if order.limits.turns is not None:
            flags += ["--max-turns", str(order.limits.turns)]
        if order.limits.money is not None:
            flags += ["--max-budget-usd", f"{order.limits.money:.6f}"]
        if order.schema is not None:
            flags += ["--json-schema", json.dumps(dict(order.schema))]
        return flags

    def _servers(self, order: Order) -> tuple[Ready, ...]:
        return servers_of(order, self._setup.servers, self._setup.environment)

    def needs(self, order: Order, folder: Path) -> Needs:
        home = home_of(self.name, order, folder)
        more, mounts = server_needs(self._servers(order), self._setup.environment)
        return Needs(
            readable=(
                *installation(self._program, self._setup.environment),
                *certificates(self._setup.environment),
                str(folder / "system.md"),
                *more,
            ),
            home=str(home),
            mounts=(*sign_in_mounts(CLAUDE, self._setup.environment, home), *mounts),
            network=True,
        )

    def watch(self, order: Order) -> Watch:
        return watching(order, ClaudeLines().read)

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        return judged(order, folder, exit, ClaudeLines().read)

    def told(self, order: Order, folder: Path) -> Iterable[Event]:
        return told(folder, ClaudeLines().read)

    def reader(self, order: Order) -> Reader:
        del order
        return ClaudeLines().read
