"""Layer 2: a database of shared state, decisions and discoveries, for structured questions (B-45 to B-47, G-11)."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from andon.domain.errors import UserError
from andon.domain.teams.shared import Shared, Sort

FILE = "memory.db"
STATUSES = ("proposed", "approved", "rejected")
BUSY_SECONDS = 30.0
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

    # --- a team's run -----------------------------------------------------------------------------------------------

    def share(self, left: Sequence[Shared], at: float) -> None:
        """All of it or nothing; what was left at that moment already is not left twice."""
        with self._writing() as connection:
            for each in left:
                _leave(connection, each, int(at))

    # --- state ------------------------------------------------------------------------------------------------------

    def put(self, key: str, value: str, agent: str, ttl: int | None = None) -> None:
        """`ttl` in seconds; none, or nought, is for good."""
        row = (key, value, agent, int(self._clock()), ttl)
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO shared_state VALUES (?, ?, ?, ?, ?)", row)

    def get(self, key: str) -> str | None:
        """What has run out is gone, and is taken away when somebody looks."""
        with self._writing() as connection:
            connection.execute("DELETE FROM shared_state WHERE ttl > 0 AND timestamp + ttl <= ?", (self._clock(),))
            row = connection.execute("SELECT value FROM shared_state WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def states(self) -> list[tuple[str, str, str, int]]:
        """(key, value, agent, moment) of what has not run out, by key."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT key, value, agent_id, timestamp FROM shared_state"
                " WHERE coalesce(ttl, 0) <= 0 OR timestamp + ttl > ? ORDER BY key",
                (self._clock(),),
            )
            return [(str(key), str(value), str(agent or ""), int(at or 0)) for key, value, agent, at in rows]

    # --- decisions --------------------------------------------------------------------------------------------------

    def propose(self, decision: str, proposer: str) -> int:
        with self._writing() as connection:
            row = (decision, "proposed", proposer, "{}", int(self._clock()))
            made = connection.execute(
                "INSERT INTO decisions (decision, status, proposer, votes, timestamp) VALUES (?, ?, ?, ?, ?)", row
            )
            return int(made.lastrowid or 0)

    def vote(self, id: int, agent: str, vote: str) -> Decision:
        with self._writing() as connection:
            votes = dict(_decision(connection, id).votes) | {agent: vote}
            connection.execute("UPDATE decisions SET votes = ? WHERE id = ?", (json.dumps(votes), id))
            return _decision(connection, id)

    def settle(self, id: int, status: str) -> Decision:
        if status not in STATUSES:
            raise UserError(f"A decision is not {status}", f"One of {', '.join(STATUSES)}.")
        with self._writing() as connection:
            connection.execute("UPDATE decisions SET status = ? WHERE id = ?", (status, id))
            return _decision(connection, id)

    def decisions(self, status: str | None = None) -> list[Decision]:
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT * FROM decisions WHERE ? IS NULL OR status = ? ORDER BY id", (status,) * 2
            )
            return [_read_decision(row) for row in rows]

    # --- discoveries ------------------------------------------------------------------------------------------------

    def discover(self, agent: str, content: str, tags: Iterable[str] = ()) -> int:
        with self._writing() as connection:
            row = (agent, content, json.dumps(list(tags), ensure_ascii=False), int(self._clock()))
            made = connection.execute(
                "INSERT INTO discoveries (agent_id, content, tags, timestamp) VALUES (?, ?, ?, ?)", row
            )
            return int(made.lastrowid or 0)

    def search(self, words: str, tag: str | None = None, limit: int = 20) -> list[Discovery]:
        """Discoveries with all of these words, the newest first."""
        wanted = [word for word in words.casefold().split() if word]
        with self._reading() as connection:
            rows = connection.execute("SELECT * FROM discoveries ORDER BY id DESC")
            found = (Discovery(r[0], r[1], r[2], tuple(json.loads(r[3] or "[]")), r[4]) for r in rows)
            kept = (
                each
                for each in found
                if (tag is None or tag in each.tags) and all(word in each.content.casefold() for word in wanted)
            )
            return [each for each, _ in zip(kept, range(limit), strict=False)]

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


def _decision(connection: sqlite3.Connection, id: int) -> Decision:
    row = connection.execute("SELECT * FROM decisions WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise UserError(f"There is no decision {id}")
    return _read_decision(row)


def _read_decision(row: tuple[int, str, str, str, str, int]) -> Decision:
    return Decision(row[0], row[1], row[2], row[3], json.loads(row[4] or "{}"), row[5])
