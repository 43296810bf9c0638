"""Layer 2: a database of shared state, decisions and discoveries, for structured questions (B-45 to B-47, G-11)."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from andon.domain.errors import NoSuch, UserError
from andon.domain.teams.deciding import NO, YES, Decision, Stand, read_decision
from andon.domain.teams.shared import Shared, Sort

FILE = "memory.db"
BUSY_SECONDS = 30.0
MOST = 1_000
"""Rows that a run looks through; who searches looks through all."""
EVERY = -1
"""As the limit of a question: none."""
LATEST = 253_402_300_799
"""The last second of the year 9999."""
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS shared_state (
  key TEXT PRIMARY KEY, value TEXT, agent_id TEXT, timestamp INTEGER, ttl INTEGER
)""",
    """CREATE TABLE IF NOT EXISTS decisions (
  id INTEGER PRIMARY KEY, decision TEXT, status TEXT CHECK (status IN ('proposed', 'approved', 'rejected')),
  proposer TEXT, votes TEXT, timestamp INTEGER
)""",
    """CREATE TABLE IF NOT EXISTS discoveries (
  id INTEGER PRIMARY KEY, agent_id TEXT, content TEXT, tags TEXT, timestamp INTEGER
)""",
)
_MADE = "SELECT count(*) FROM sqlite_master WHERE name IN ('shared_state', 'decisions', 'discoveries')"


@dataclass(frozen=True, slots=True)
class State:
    key: str
    value: str
    agent_id: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class Discovery:
    id: int
    agent_id: str
    content: str
    tags: tuple[str, ...]
    timestamp: int


class Database:
    """Opened anew for every question: many processes share it, and none keeps it from another."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._clock = clock

    def make(self) -> None:
        """All tables or none, whoever makes them at the same time."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._connected()) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            for table in SCHEMA:
                connection.execute(table)
            connection.execute("COMMIT")

    def share(self, left: Sequence[Shared], at: float) -> None:
        """All of it or nothing; what was left at that moment already is not left twice."""
        with self._writing() as connection:
            for each in left:
                _leave(connection, each, int(at))

    def states(self) -> list[State]:
        """By key. What has run out is removed, as far as the file may be written (G-11)."""
        now, gone = (self._clock(),), "ttl > 0 AND timestamp + ttl <= ?"
        with self._reading() as connection:
            if connection.execute(f"SELECT 1 FROM shared_state WHERE {gone}", now).fetchone():
                with suppress(sqlite3.OperationalError):
                    connection.execute(f"DELETE FROM shared_state WHERE {gone}", now)
            rows = connection.execute(
                f"SELECT key, value, agent_id, timestamp FROM shared_state WHERE NOT coalesce({gone}, 0) ORDER BY key",
                now,
            )
            return [State(str(key), str(value), str(agent or ""), _moment(at)) for key, value, agent, at in rows]

    def decisions(self, most: int = MOST) -> list[Decision]:
        """The newest ones, the oldest first."""
        with self._reading() as connection:
            return _decisions(connection, "ORDER BY id DESC LIMIT ?", most)[::-1]

    def decide(self, id: int, stand: Stand, by: str) -> Decision:
        """What a person says counts for all, whoever voted; `proposed` takes it back."""
        with self._writing() as connection:
            found = _decisions(connection, "WHERE id = ?", id)
            if not found:
                raise NoSuch(f"The team has no decision {id}", "`andon memory decisions` shows what there is.")
            votes = {name: vote for name, vote in found[0].votes.items() if name != by}
            if stand is not Stand.PROPOSED:
                votes[by] = YES if stand is Stand.APPROVED else NO
            made = replace(found[0], votes=votes, stand=stand)
            _settle(connection, made, id)
            return made

    def discoveries(self, most: int = MOST) -> list[Discovery]:
        """The newest first."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT id, agent_id, content, tags, timestamp FROM discoveries ORDER BY id DESC LIMIT ?", (most,)
            )
            return [
                Discovery(id, str(by or ""), str(text or ""), _tags(tags), _moment(at))
                for id, by, text, tags, at in rows
            ]

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with closing(self._open()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        with closing(self._open()) as connection:
            yield connection

    def _open(self) -> sqlite3.Connection:
        """Whole, also where whoever made it was killed on the way."""
        self._refuse_links()
        if not self._file.exists():
            self.make()
        connection = self._connected()
        try:
            if connection.execute(_MADE).fetchone()[0] < len(SCHEMA):
                self.make()
        except BaseException:
            connection.close()
            raise
        return connection

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=BUSY_SECONDS, isolation_level=None)

    def _refuse_links(self) -> None:
        """A repository may hold anything below that name, and even a look removes what has run out."""
        if any(each.is_symlink() for each in (self._file, *self._file.parents[:2])):
            raise UserError(f"{self._file} is, or lies below, a link")


def _leave(connection: sqlite3.Connection, each: Shared, at: int) -> None:
    match each.sort:
        case Sort.STATE:
            row = (each.key, each.text, each.by, at, each.ttl or None)
            connection.execute("INSERT OR REPLACE INTO shared_state VALUES (?, ?, ?, ?, ?)", row)
        case Sort.DISCOVERY:
            tags = json.dumps(list(each.tags), ensure_ascii=False)
            connection.execute(
                "INSERT INTO discoveries (agent_id, content, tags, timestamp) SELECT ?, ?, ?, ? WHERE NOT EXISTS "
                "(SELECT 1 FROM discoveries WHERE agent_id = ? AND content = ? AND timestamp = ?)",
                (each.by, each.text, tags, at, each.by, each.text, at),
            )
        case Sort.DECISION:
            assert each.decision is not None
            _propose(connection, replace(each.decision, text=each.text))


def _propose(connection: sqlite3.Connection, each: Decision) -> None:
    """As it is now. What was settled in the meantime, by a person, stays; and votes that another run took."""
    known = (each.text, each.by, each.at) if each.id is None else (each.id,)
    where = "decision = ? AND proposer = ? AND timestamp = ?" if each.id is None else "id = ?"
    found = connection.execute(f"SELECT id, status, votes FROM decisions WHERE {where}", known).fetchone()
    if found is None:
        connection.execute(
            "INSERT INTO decisions (decision, status, proposer, votes, timestamp) VALUES (?, ?, ?, ?, ?)",
            (each.text, each.stand.value, each.by, _votes(each), each.at),
        )
    elif found[1] == Stand.PROPOSED:
        there = _loaded(found[2])
        votes = {**cast("dict[str, str]", there), **each.votes} if isinstance(there, dict) else each.votes
        _settle(connection, replace(each, votes=votes), found[0])


def _settle(connection: sqlite3.Connection, each: Decision, id: int) -> None:
    row = (each.stand.value, _votes(each), id)
    connection.execute("UPDATE decisions SET status = ?, votes = ? WHERE id = ?", row)


def _votes(each: Decision) -> str:
    return json.dumps(dict(each.votes), ensure_ascii=False)


def _decisions(connection: sqlite3.Connection, which: str, value: int) -> list[Decision]:
    """What others wrote there and is none is left out."""
    rows = connection.execute(
        f"SELECT id, decision, status, proposer, votes, timestamp FROM decisions {which}", (value,)
    )
    told = [
        {"id": id, "text": text, "stand": status, "by": by, "votes": _loaded(votes), "at": _moment(at)}
        for id, text, status, by, votes, at in rows
    ]
    return [found for each in told if (found := read_decision(each))]


def _tags(told: object) -> tuple[str, ...]:
    rows = _loaded(told)
    return tuple(str(each) for each in cast("list[object]", rows)) if isinstance(rows, list) else ()


def _loaded(told: object) -> object:
    """Of JSON that other tools may have written, and anybody edited. None: it is none."""
    with suppress(ValueError, RecursionError):
        return json.loads(told) if isinstance(told, str) else None
    return None


def _moment(told: object) -> int:
    """0, where no calendar has it: others count in milliseconds, or write words."""
    return int(told) if isinstance(told, int | float) and 0 <= told <= LATEST else 0
