"""Agents: what translates an order for a program, what carries orders out, and the form a reply must have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from andon.domain.order import Order, Reply
from andon.ports.processes import Command, Exit, Mount
from andon.ports.workspace import Workspace

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Needs:
    """What an agent program must have besides the workspace."""

    readable: tuple[str, ...] = ()
    """Absolute paths, such as its own installation."""
    home: str | None = None
    """A folder of its own to keep settings and sessions in, writable. None: an empty one that is lost afterwards."""
    mounts: tuple[Mount, ...] = ()
    """What appears inside under another name, such as a person's sign-in."""
    network: bool = False


Watch = Callable[[bytes], Reply | None]
"""Given one line after another of what the agent prints: a reply as soon as it is pointless to wait for more."""


class Runtime(Protocol):
    """Translates: an order into a command to run, and what that command left behind into a reply."""

    @property
    def name(self) -> str: ...

    def command(self, order: Order, folder: Path) -> Command:
        """How to start the agent for this order. `folder` is the order's own; the runtime may write files to it."""
        ...

    def needs(self, order: Order, folder: Path) -> Needs: ...

    def watch(self, order: Order) -> Watch | None:
        """For an agent that is started now. None: there is nothing to see before it ends."""
        ...

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        """Read the reply out of `folder`/stdout and the exit. Never raises for what an agent printed."""
        ...


class Agents(Protocol):
    """Carries out orders: starts the agent under supervision, or attaches to the one that is already working."""

    async def carry_out(self, order: Order, folder: Path, git: Path | None) -> Reply: ...

    async def cancel(self, folder: Path) -> None:
        """End the agent and everything it started, and return when it is gone."""
        ...


class Recorder(Protocol):
    """Keeps what became of an order, so that it can be played again without its agent."""

    def record(self, order: Order, number: int, reply: Reply, folder: Path, workspace: Workspace, tree: str) -> None:
        """When an order has its reply, before its files change again. `tree` is what it began with."""
        ...


class Contract(Protocol[T_co]):
    """The form a reply must have."""

    @property
    def instruction(self) -> str:
        """What the prompt says about the form."""
        ...

    @property
    def retries(self) -> int:
        """How often a reply in the wrong form is asked for again."""
        ...

    def parse(self, text: str) -> T_co:
        """Raises ContractError. Where the grammar has a safe default, returns that instead."""
        ...
