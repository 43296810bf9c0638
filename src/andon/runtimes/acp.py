"""Any agent that speaks the Agent Client Protocol: one process an order, with a client of ours beside it.

The protocol has no place for a system prompt, a form of the reply or a limit: those stand in the prompt or in the
agent's own settings, and limits are watched. What the agent asks leave for is allowed, as the sandbox bounds it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from andon.domain.order import Order, Reply
from andon.domain.question_block import INSTRUCTION
from andon.ports import Command, Exit, Needs, Watch
from andon.processes import readable_for
from andon.runtimes import own_lines
from andon.runtimes.acp_agents import AGENTS, AcpAgent, Start, write_files
from andon.runtimes.events import Event, Reader
from andon.runtimes.identity import introduced
from andon.runtimes.program import (
    NETWORK,
    certificates,
    handed_on,
    home_of,
    installation,
    judged,
    search_path,
    shown,
    sign_in_mounts,
    watching,
    written,
)
from andon.runtimes.providers import models_of
from andon.runtimes.servers import Ready, server_needs, servers_of, told_to_ours
from andon.runtimes.setup import Setup

CLIENT = Path(__file__).resolve().with_name("acp_client.py")
_ORDER = "acp.json"


class AcpRuntime:
    def __init__(self, setup: Setup) -> None:
        self.name = setup.name or "acp"
        self._setup = setup
        self._agent = AGENTS.get(self.name, AcpAgent)(setup)
        self._program = self._agent.program.needed(setup.environment, setup.program)

    def command(self, order: Order, folder: Path) -> Command:
        folder.mkdir(parents=True, exist_ok=True)
        start = self._start(order)
        told = {
            "argv": [str(self._program), *start.words],
            "prompt": _prompt(order, start),
            "session": order.session,
            "mode": start.mode,
            "model": start.model,
            "reads_only": not order.writable,
        }
        written(folder / _ORDER, json.dumps(told))
        given = (*self._agent.program.keys, *self._agent.handed_on, *NETWORK)
        return Command(
            argv=(sys.executable, "-I", str(CLIENT), str(folder / _ORDER)),
            cwd=order.folder,
            env={
                "PATH": search_path(self._program, self._setup.environment),
                "LANG": "C.UTF-8",
                **(start.variables or {}),
                **told_to_ours(self._servers(order)),
                **handed_on(self._setup.environment, given),
            },
        )

    def _start(self, order: Order) -> Start:
        model = models_of(self.name, self._setup.environment, self._setup.models).get(order.tier, "")
        return self._agent.start(order, f"{order.system}\n\n{INSTRUCTION}", model)

    def _servers(self, order: Order) -> tuple[Ready, ...]:
        return servers_of(order, self._setup.servers, self._setup.environment, self.name)

    def needs(self, order: Order, folder: Path) -> Needs:
        home = home_of(self.name, order, folder)
        more, mounts = server_needs(self._servers(order), self._setup.environment)
        write_files(home, self._start(order).files)
        self._agent.settle(home, order.session)
        client = (*readable_for(sys.executable, Path(sys.prefix)), str(CLIENT), str(folder / _ORDER))
        return Needs(
            readable=(
                *client,
                *installation(self._program, self._setup.environment),
                *certificates(self._setup.environment),
                *more,
            ),
            home=str(home),
            mounts=(
                *mounts,
                *sign_in_mounts(self._agent.program, self._setup.environment, home),
                *shown(self._setup.environment, self._setup.files, home),
            ),
            network=True,
        )

    def watch(self, order: Order) -> Watch:
        return watching(order, own_lines.read_line)

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        return judged(order, folder, exit, own_lines.read_line)

    def told(self, order: Order, folder: Path) -> Iterable[Event]:
        del order
        return own_lines.read(folder / "stdout")

    def reader(self, order: Order) -> Reader:
        del order
        return own_lines.read_line


def _prompt(order: Order, start: Start) -> str:
    form = (
        f"\n\nAnswer with one JSON value of this form and nothing else, not even a fence:\n{json.dumps(order.schema)}"
        if order.schema is not None
        else ""
    )
    above = f"{start.system}\n\n" if start.system else ""
    return f"{above}{introduced(order)}{form}"
