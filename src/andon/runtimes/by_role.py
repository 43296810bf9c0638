"""Different runtimes for different roles, as one: a critic may be another program than the author it judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from andon.domain.order import Order, Reply
from andon.ports import Command, Exit, Needs, Runtime, Watch
from andon.runtimes.events import Event, Reader, Reads, Tells, unread


class RuntimeByRole:
    """Implements ports.Runtime; every order goes to the runtime it names, or to the one of its role."""

    def __init__(
        self, default: Runtime, others: Mapping[str, Runtime], named: Mapping[str, Runtime] | None = None
    ) -> None:
        self._default = default
        self._others = others
        self._named = named or {}

    @property
    def name(self) -> str:
        return self._default.name

    def command(self, order: Order, folder: Path) -> Command:
        return self._of(order).command(order, folder)

    def needs(self, order: Order, folder: Path) -> Needs:
        return self._of(order).needs(order, folder)

    def watch(self, order: Order) -> Watch | None:
        return self._of(order).watch(order)

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        return self._of(order).reply(order, folder, exit)

    def told(self, order: Order, folder: Path) -> Iterable[Event]:
        runtime = self._of(order)
        return runtime.told(order, folder) if isinstance(runtime, Tells) else ()

    def reader(self, order: Order) -> Reader:
        runtime = self._of(order)
        return runtime.reader(order) if isinstance(runtime, Reads) else unread

    def _of(self, order: Order) -> Runtime:
        return self._named.get(order.runtime) or self._others.get(order.role, self._default)
