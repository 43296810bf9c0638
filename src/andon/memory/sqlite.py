"""Layer 2: a database of shared state, decisions and discoveries, for structured questions (B-45 to B-47, G-11)."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from andon.domain.teams.shared import Shared, Sort

FILE = "memory.db"
BUSY_SECONDS = 30.0
MOST = 1_000
"""Discoveries that are looked through."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS shared_state (
  key TEXT PRIMARY KEY, value TEXT, agent_id TEXT, timestamp INTEGER, ttl INTEGER
);
CREATE TABLE IF NOT EXISTS decisions (
  id INTEGER PRIMARY KEY, decision TEXT, status TEXT CHECK (status IN ('proposed', 'approved', 'rejected')),
  proposer TEXT, votes TEXT, timestamp INTEGER
);
CREATE TABLE IF NOT EXISTS discoveries (
  id INTEGER PRIMARY KEY, agent_id TEXT, content TEXT, tags TEXT, timestamp INTEGER
);
"""


@dataclass(frozen=True, slots=True)
class State:
    key: str
    value: str
    agent_id: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class Decision:
    id: int
    decision: str
    status: str
    proposer: str
    votes: Mapping[str, str]
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
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._file, timeout=BUSY_SECONDS)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(SCHEMA)

    def share(self, left: Sequence[Shared], at: float) -> None:
        """All of it or nothing; what was left at that moment already is not left twice."""
        with self._writing() as connection:
            for each in left:
                _leave(connection, each, int(at))

    def states(self) -> list[State]:
        """Those that have not run out, by key."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT key, value, agent_id, timestamp FROM shared_state"
                " WHERE coalesce(ttl, 0) <= 0 OR timestamp + ttl > ? ORDER BY key",
                (self._clock(),),
            )
            return [State(str(key), str(value), str(agent or ""), int(at or 0)) for key, value, agent, at in rows]

    def decisions(self) -> list[Decision]:
        """The oldest first."""
        with self._reading() as connection:
            rows = connection.execute("SELECT * FROM decisions ORDER BY id")
            return [
                Decision(id, text, status, by, json.loads(votes or "{}"), at)
                for id, text, status, by, votes, at in rows
            ]

    def discoveries(self, most: int = MOST) -> list[Discovery]:
        """The newest first."""
        with self._reading() as connection:
            rows = connection.execute("SELECT * FROM discoveries ORDER BY id DESC LIMIT ?", (most,))
            return [Discovery(id, by, text, tuple(json.loads(tags or "[]")), at) for id, by, text, tags, at in rows]

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
        if not self._file.exists():
            self.make()
        return sqlite3.connect(self._file, timeout=BUSY_SECONDS, isolation_level=None)


def _leave(connection: sqlite3.Connection, each: Shared, at: int) -> None:
    match each.sort:
        case Sort.STATE:
            row = (each.key, each.text, each.by, at, None)
            connection.execute("INSERT OR REPLACE INTO shared_state VALUES (?, ?, ?, ?, ?)", row)
        case Sort.DISCOVERY:
            tags = json.dumps(list(each.tags), ensure_ascii=False)
            connection.execute(
                "INSERT INTO discoveries (agent_id, content, tags, timestamp) SELECT ?, ?, ?, ? WHERE NOT EXISTS "
                "(SELECT 1 FROM discoveries WHERE agent_id = ? AND content = ? AND timestamp = ?)",
                (each.by, each.text, tags, at, each.by, each.text, at),
            )
        case Sort.DECISION:
            connection.execute(
                "INSERT INTO decisions (decision, status, proposer, votes, timestamp) "
                "SELECT ?, 'proposed', ?, '{}', ? WHERE NOT EXISTS "
                "(SELECT 1 FROM decisions WHERE decision = ? AND proposer = ? AND timestamp = ?)",
                (each.text, each.by, at, each.text, each.by, at),
            )
