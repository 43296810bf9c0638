"""One agent of a run, as it works: its entries in the journal, and what it prints, line by line. Nothing is written."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from andon.app.given_secrets import given
from andon.app.runtime_settings import made
from andon.app.store import Store
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.journal import Entry
from andon.domain.order import Order, Tier
from andon.domain.run import RunRow, Status
from andon.runtimes.events import MAX_LINE, Reader, in_one_line, raw, unread

if TYPE_CHECKING:
    from andon.runtimes.by_role import RuntimeByRole

POLL_SECONDS = 0.2
CHUNK = 1 << 20
NAMES_SHOWN = 20
_SPAWNED = re.compile(r"^(.+)/spawn\.\d+$")


@dataclass(frozen=True, slots=True)
class Said:
    """A line that an agent printed, for people."""

    text: str


def agents_of(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The names of those who were handed work, the first ones first."""
    return tuple(dict.fromkeys(str(entry.data["name"]) for entry in entries if entry.kind == "spawn"))


def follow_agent(
    store: Store, row: RunRow, name: str, environment: Mapping[str, str], *, wait: bool = True
) -> Generator[Entry | Said]:
    """What concerns this agent so far; with `wait`, what is added until its work or the run is over.

    Raises UserError when a run that is over has no agent of that name.
    """
    listening = _Listening(store, row, name, environment)
    while True:
        # Asked before anything is read: what is written in between is then still shown.
        over = store.status(store.runs.get(row.id)) not in (Status.RUNNING, Status.WAITING)
        yield from listening.news()
        if over and not listening.spawned:
            known = ", ".join(agents_of(store.journal.entries(row.id))[:NAMES_SHOWN])
            raise UserError(f"Run {row.id} had no agent named {name}", f"It had: {known}." if known else "")
        if over or not wait or (listening.spawned and not listening.works):
            return
        time.sleep(POLL_SECONDS)


class _Listening:
    def __init__(self, store: Store, row: RunRow, name: str, environment: Mapping[str, str]) -> None:
        self._store, self._row, self._name = store, row, name
        self._runtime = _runtime(row, environment)
        self._seen = 0
        self._outputs = dict[Path, _Output]()
        self._steps = dict[str, Order]()
        """Those in which it has work now: position → what a reader needs to know."""
        self.spawned = False
        self._secrets()

    @property
    def works(self) -> bool:
        return bool(self._steps)

    def news(self) -> Iterator[Entry | Said]:
        entries = list(self._store.journal.entries(self._row.id, after=self._seen))
        for entry in entries:
            self._seen = entry.seq
            if self._name not in (entry.data.get("name"), entry.data.get("recipient")):
                continue
            if entry.kind in ("result", "task_update", "shutdown_request"):
                yield from self._printed(entry.key.partition("/")[0])
            yield entry
            self._note(entry)
        for position in tuple(self._steps):
            yield from self._printed(position)

    def _note(self, entry: Entry) -> None:
        if entry.kind == "spawn" and (place := _SPAWNED.match(entry.key)):
            self.spawned = True
            data = entry.data
            told = (str(data.get("role", "")), self._name, entry.phase, "", "", Tier.HAIKU, "/")
            self._steps[place[1]] = Order(entry.run, place[1], *told)
        elif entry.kind == "shutdown_request":
            self._steps.pop(entry.key.partition("/")[0], None)

    def _printed(self, position: str) -> Iterator[Said]:
        order = self._steps.get(position)
        if order is None:
            return
        folder = self._store.home.run(self._row.id) / "orders"
        for each in sorted(folder.glob(f"{position}-*"), key=lambda path: int(path.name.rpartition("-")[2] or 0)):
            output = self._outputs.get(each) or _Output(each / "stdout", self._reader(order))
            self._outputs[each] = output
            for text in output.more():
                yield Said(self._store.redaction.text(text))

    def _reader(self, order: Order) -> Reader:
        return self._runtime.reader(order) if self._runtime else unread

    def _secrets(self) -> None:
        """What people gave to the task is not shown, as it is not written down."""
        self._store.redaction.add(given(self._store.home, self._row.id).values())


def _runtime(row: RunRow, environment: Mapping[str, str]) -> RuntimeByRole | None:
    """None where its program is not installed any more, or not here: lines are then shown as they are."""
    try:
        return made(row.spec, row.spec.get("scenario"), environment)
    except (UserError, EnvironmentProblem):
        return None


class _Output:
    """A file that grows: every line once, when it is whole."""

    def __init__(self, path: Path, read: Reader) -> None:
        self._path, self._read = path, read
        self._file: int = 0
        self._at = 0
        self._count = 0
        self._rest = b""

    def more(self) -> Iterator[str]:
        for line in self._lines():
            for event in self._read(line) if len(line) <= MAX_LINE else (raw(line),):
                if text := in_one_line(event):
                    yield text

    def _lines(self) -> Iterator[bytes]:
        try:
            file = self._path.open("rb")
        except OSError:
            return
        with file:
            skipped = self._placed(file)
            while chunk := file.read(CHUNK):
                self._at += len(chunk)
                *whole, rest = (self._rest + chunk).split(b"\n")
                self._rest = rest[: MAX_LINE + 1]  # a line without an end must not be held
                for line in whole:
                    if skipped:
                        skipped -= 1
                        continue
                    self._count += 1
                    if line.strip():
                        yield line

    def _placed(self, file: BinaryIO) -> int:
        """Go on where it was left. What has ended is replaced by a copy without secrets, with as many lines: those that
        were read of the first one are skipped in the second."""
        inode = os.fstat(file.fileno()).st_ino
        if inode != self._file:
            self._file, self._at, self._rest = inode, 0, b""
            return self._count
        file.seek(self._at)
        return 0
