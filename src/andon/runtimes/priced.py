"""A runtime with prices: where its program tells no money, that is reckoned from the model's price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from andon.domain.money import Price, priced
from andon.domain.order import Order, Reply
from andon.ports import Command, Exit, Needs, Runtime, Watch
from andon.runtimes.events import Event, Reader, Reads, Tells, unread
from andon.runtimes.prices import price_of


class PricedRuntime:
    """Implements ports.Runtime, by another one."""

    def __init__(self, runtime: Runtime, models: Mapping[str, str], own: Mapping[str, Price]) -> None:
        self._runtime = runtime
        self._models = models
        self._own = own

    @property
    def name(self) -> str:
        return self._runtime.name

    def command(self, order: Order, folder: Path) -> Command:
        return self._runtime.command(order, folder)

    def needs(self, order: Order, folder: Path) -> Needs:
        return self._runtime.needs(order, folder)

    def watch(self, order: Order) -> Watch | None:
        return self._runtime.watch(order)

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        reply = self._runtime.reply(order, folder, exit)
        price = price_of(self._models.get(order.tier, ""), self._own)
        return replace(reply, usage=priced(reply.usage, price))

    def told(self, order: Order, folder: Path) -> Iterable[Event]:
        return self._runtime.told(order, folder) if isinstance(self._runtime, Tells) else ()

    def reader(self, order: Order) -> Reader:
        return self._runtime.reader(order) if isinstance(self._runtime, Reads) else unread
