"""The append-only story of a run, in a table. Each entry carries a key, so a replayed step writes it once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from andon.domain.journal import KINDS, Entry
from andon.engine import tables
from andon.engine.database import one_writer, reading
from andon.engine.redaction import Redaction

Listener = Callable[[Entry], None]


@dataclass(frozen=True, slots=True)
class Written:
    new: list[Entry]
    missed: list[Entry]
    """What other processes wrote since this one last did."""


class Journal:
    def __init__(self, engine: sa.Engine, redaction: Redaction) -> None:
        self._engine = engine
        self.redaction = redaction
        self._listeners: list[Listener] = []
        self._newest: dict[str, int] = {}
        """Of each run this process writes about."""

    def listen(self, listener: Listener) -> None:
        """Call `listener` for every entry this process writes. It must be quick and must not raise."""
        self._listeners.append(listener)

    def ignore(self, listener: Listener) -> None:
        """Call it no more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def append(self, run: str, key: str, kind: str, phase: str = "", data: Mapping[str, Any] | None = None) -> bool:
        """Write one entry of a known kind. False when this key was written before: nothing happens then."""
        return bool(self.append_all(run, phase, [(key, kind, data or {})]))

    def append_all(self, run: str, phase: str, told: Sequence[tuple[str, str, Mapping[str, Any]]]) -> list[Entry]:
        """Several entries, (key, kind, data) each, in one transaction. Those that are new."""
        with self._engine.begin() as connection:
            written = self.append_in(connection, run, phase, told)
        self.tell(written)
        return written.new

    def append_in(
        self, connection: sa.Connection, run: str, phase: str, told: Sequence[tuple[str, str, Mapping[str, Any]]]
    ) -> Written:
        """The same as part of a transaction; whoever has it calls `tell` once it is over."""
        for _, kind, _ in told:
            if kind not in KINDS:
                raise ValueError(f"no entry is of the kind {kind!r}; the kinds are in domain/journal.py")
        clean, text, at = self.redaction.clean, self.redaction.text, time.time()
        wanted = [Entry(run, 0, at, kind, text(phase), clean(dict(data)), text(key)) for key, kind, data in told]
        # Before looking, so that of two writers of one key the second sees the first's entry.
        one_writer(connection, run)
        fresh = [entry for entry in wanted if not _has_key(connection, run, entry.key)]
        first = _next_seq(connection, run)
        written = [replace(entry, seq=seq) for seq, entry in enumerate(fresh, start=first)]
        if written:
            connection.execute(tables.journal.insert(), [_row(entry) for entry in written])
        newest = self._newest.get(run, first - 1)
        self._newest[run] = first - 1 + len(written)
        # Screens draw in the order of the journal, and would wait for ever for what another process wrote.
        missed = _entries(connection, run, newest, first) if newest < first - 1 else []
        return Written(written, missed)

    def tell(self, written: Written) -> None:
        """Whoever listens, of entries that are in the database now."""
        for entry in (*written.missed, *written.new):
            for listener in list(self._listeners):
                try:
                    listener(entry)
                except Exception:
                    # A screen that cannot be written to (its pipe was closed) must not end the run it shows.
                    self.ignore(listener)

    def entries(self, run: str, after: int = 0) -> list[Entry]:
        with reading(self._engine) as connection:
            return _entries(connection, run, after)

    def newest(self, run: str) -> int:
        """The number of the run's last entry; 0 when it has none."""
        with reading(self._engine) as connection:
            return _next_seq(connection, run) - 1

    def page(self, run: str, before: int | None = None, most: int = 200, kinds: Sequence[str] = ()) -> list[Entry]:
        """So many entries before a number, newest first; None: the newest. With `kinds` only those."""
        table = tables.journal
        query = sa.select(table).where(table.c.run == run)
        if kinds:
            query = query.where(table.c.kind.in_(kinds))
        if before is not None:
            query = query.where(table.c.seq < before)
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(table.c.seq.desc()).limit(most)).mappings().all()
        return [_entry(row) for row in rows]

    def newest_of(self, runs: Sequence[str]) -> dict[str, int]:
        """The number of the last entry, run by run."""
        table = tables.journal
        last = sa.select(sa.func.max(table.c.seq)).where(table.c.run == tables.runs.c.id).scalar_subquery()
        query = sa.select(tables.runs.c.id, last).where(tables.runs.c.id.in_(list(runs)))
        with reading(self._engine) as connection:
            return {run: seq or 0 for run, seq in connection.execute(query)}

    def last(self, run: str, kinds: Sequence[str]) -> str:
        """Which of these kinds the newest entry is among them; "" where there is none."""
        found = self.last_entry(run, kinds)
        return found.kind if found else ""

    def last_entry(self, run: str, kinds: Sequence[str]) -> Entry | None:
        """The newest entry of one of these kinds."""
        table = tables.journal
        query = sa.select(table).where(table.c.run == run, table.c.kind.in_(kinds))
        with reading(self._engine) as connection:
            row = connection.execute(query.order_by(table.c.seq.desc()).limit(1)).mappings().first()
        return _entry(row) if row else None

    def newest_of_all(self) -> dict[str, int]:
        """The same of every run there is."""
        table = tables.journal
        last = sa.select(sa.func.max(table.c.seq)).where(table.c.run == tables.runs.c.id).scalar_subquery()
        with reading(self._engine) as connection:
            return {run: seq or 0 for run, seq in connection.execute(sa.select(tables.runs.c.id, last))}

    def adopt(self, entries: Iterable[Entry], run: str) -> None:
        """Begin a run's journal with another run's entries: a fork tells the part it shares."""
        with self._engine.begin() as connection:
            for seq, entry in enumerate(entries, start=1):
                connection.execute(tables.journal.insert(), _row(replace(entry, run=run, seq=seq)))


def _entry(row: Any) -> Entry:
    return Entry(row["run"], row["seq"], row["at"], row["kind"], row["phase"], row["data"], row["key"])


def _entries(connection: sa.Connection, run: str, after: int, before: int | None = None) -> list[Entry]:
    table = tables.journal
    query = sa.select(table).where(table.c.run == run, table.c.seq > after).order_by(table.c.seq)
    query = query if before is None else query.where(table.c.seq < before)
    rows = connection.execute(query).mappings().all()
    return [_entry(row) for row in rows]


def _row(entry: Entry) -> dict[str, Any]:
    row = {"run": entry.run, "seq": entry.seq, "key": entry.key, "at": entry.at}
    return row | {"kind": entry.kind, "phase": entry.phase, "data": entry.data}


def _has_key(connection: sa.Connection, run: str, key: str) -> bool:
    table = tables.journal
    return connection.execute(sa.select(table.c.seq).where(table.c.run == run, table.c.key == key)).first() is not None


def _next_seq(connection: sa.Connection, run: str) -> int:
    table = tables.journal
    newest = connection.execute(sa.select(sa.func.max(table.c.seq)).where(table.c.run == run)).scalar()
    return (newest or 0) + 1
