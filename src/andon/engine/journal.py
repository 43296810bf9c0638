"""The append-only story of a run, in a table. Each entry carries a key, so a replayed step writes it once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from andon.domain.journal import KINDS, Entry
from andon.engine import tables
from andon.engine.database import one_writer, reading
from andon.engine.redaction import Redaction

Listener = Callable[[Entry], None]


class Journal:
    def __init__(self, engine: sa.Engine, redaction: Redaction) -> None:
        self._engine = engine
        self.redaction = redaction
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call `listener` for every entry this process writes. It must be quick and must not raise."""
        self._listeners.append(listener)

    def append(self, run: str, key: str, kind: str, phase: str = "", data: Mapping[str, Any] | None = None) -> bool:
        """Write one entry of a known kind. False when this key was written before: nothing happens then."""
        return bool(self.append_all(run, phase, [(key, kind, data or {})]))

    def append_all(self, run: str, phase: str, told: Sequence[tuple[str, str, Mapping[str, Any]]]) -> list[Entry]:
        """Several entries, (key, kind, data) each, in one transaction. Those that are new."""
        for _, kind, _ in told:
            if kind not in KINDS:
                raise ValueError(f"no entry is of the kind {kind!r}; the kinds are in domain/journal.py")
        clean, text, at = self.redaction.clean, self.redaction.text, time.time()
        wanted = [Entry(run, 0, at, kind, text(phase), clean(dict(data)), text(key)) for key, kind, data in told]
        with self._engine.begin() as connection:
            # Before looking, so that of two writers of one key the second sees the first's entry.
            one_writer(connection, run)
            fresh = [entry for entry in wanted if not _has_key(connection, run, entry.key)]
            first = _next_seq(connection, run)
            written = [replace(entry, seq=seq) for seq, entry in enumerate(fresh, start=first)]
            if written:
                connection.execute(tables.journal.insert(), [_row(entry) for entry in written])
        for entry in written:
            self._tell(entry)
        return written

    def _tell(self, entry: Entry) -> None:
        for listener in list(self._listeners):
            try:
                listener(entry)
            except Exception:
                # A screen that cannot be written to (its pipe was closed) must not end the run it shows.
                self._listeners.remove(listener)

    def entries(self, run: str, after: int = 0) -> list[Entry]:
        table = tables.journal
        query = sa.select(table).where(table.c.run == run, table.c.seq > after).order_by(table.c.seq)
        with reading(self._engine) as connection:
            rows = connection.execute(query).mappings().all()
        return [Entry(r["run"], r["seq"], r["at"], r["kind"], r["phase"], r["data"], r["key"]) for r in rows]

    def last(self, run: str, kinds: Sequence[str]) -> str:
        """Which of these kinds the newest entry is among them; "" where there is none."""
        table = tables.journal
        query = sa.select(table.c.kind).where(table.c.run == run, table.c.kind.in_(kinds))
        with reading(self._engine) as connection:
            return connection.execute(query.order_by(table.c.seq.desc()).limit(1)).scalar() or ""

    def adopt(self, entries: Iterable[Entry], run: str) -> None:
        """Begin a run's journal with another run's entries: a fork tells the part it shares."""
        with self._engine.begin() as connection:
            for seq, entry in enumerate(entries, start=1):
                connection.execute(tables.journal.insert(), _row(replace(entry, run=run, seq=seq)))


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
