"""Agents: what translates an order for a program, what carries orders out, and the form a reply must have."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

from andon.domain.order import Order, Reply
from andon.ports.processes import Command, Exit

T_co = TypeVar("T_co", covariant=True)


class Runtime(Protocol):
    """Translates: an order into a command to run, and what that command left behind into a reply."""

    @property
    def name(self) -> str: ...

    def command(self, order: Order, folder: Path) -> Command:
        """How to start the agent for this order. `folder` is the order's own; the runtime may write files to it."""
        ...

    def readable(self, order: Order, folder: Path) -> tuple[str, ...]:
        """Paths the agent program needs to read besides the workspace (its own installation)."""
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
