"""What runs and people learned about one repository (E-14): a table beside those of layer 2, in andon's own folder.

No agent can write it. Texts come in clean of secrets; what is forgotten is hidden, and can be brought back.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from andon.domain.errors import NoSuch, UserError
from andon.domain.learning import LONGEST, Learning, Lesson, Origin, relevant
from andon.domain.unreadable import Sifted, Unreadable, number, read, sift
from andon.memory.sqlite import BUSY_SECONDS, EVERY

VERSION = 1
NEWEST = 2_000
"""Learnings that a run looks through; more than that is history."""
_COLUMNS = "id, text, at, tags, by, run, pipeline, task, verdict"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS learnings (
  id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, text TEXT NOT NULL, at REAL NOT NULL,
  tags TEXT NOT NULL, by TEXT NOT NULL, run TEXT NOT NULL, pipeline TEXT NOT NULL, task TEXT NOT NULL,
  verdict TEXT NOT NULL, forgotten_at REAL
);
CREATE INDEX IF NOT EXISTS learnings_of_run ON learnings (run);
CREATE TABLE IF NOT EXISTS learned_about (place TEXT PRIMARY KEY);
"""


class Learnings:
    """Implements ports.Memory. Opened anew for every question: many processes share it."""

    def __init__(
        self,
        file: Path,
        clean: Callable[[str], str] = lambda text: text,
        clock: Callable[[], float] = time.time,
        about: str = "",
    ) -> None:
        """`about`: the place of what they are of, kept with them."""
        self.file = file
        self._about = about
        self._clean = clean
        self._clock = clock

    # --- what runs do -----------------------------------------------------------------------------------------------

    def recall(self, about: str) -> tuple[Learning, ...]:
        return relevant(about, self.all(most=NEWEST))

    def remember(self, key: str, lessons: Sequence[Lesson], origin: Origin) -> int:
        if not lessons and not self.file.exists():
            return 0
        with self._open(write=True) as connection:
            if origin.run:
                connection.execute("UPDATE learnings SET verdict = ? WHERE run = ?", (origin.verdict, origin.run))
            said = connection.execute("SELECT text FROM learnings WHERE run = ?", (origin.run,)).fetchall()
            known = {text for (text,) in said} if origin.run else set[str]()
            return sum(self._keep(connection, f"{key}#{at}", each, origin, known) for at, each in enumerate(lessons))

    def _keep(self, connection: sqlite3.Connection, key: str, lesson: Lesson, origin: Origin, known: set[str]) -> int:
        text = self._clean(lesson.text).strip()[:LONGEST]
        if not text or text in known:
            return 0
        known.add(text)
        tags = json.dumps([self._clean(tag) for tag in lesson.tags], ensure_ascii=False)
        source = (lesson.by, origin.run, origin.pipeline, self._clean(origin.task), origin.verdict)
        made = connection.execute(
            "INSERT OR IGNORE INTO learnings (key, text, at, tags, by, run, pipeline, task, verdict)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (key, text, self._clock(), tags, *source),
        )
        return made.rowcount

    # --- what people do ---------------------------------------------------------------------------------------------

    def add(self, lesson: Lesson) -> Learning:
        """What a person wants runs to know."""
        with self._open(write=True) as connection:
            number = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM learnings").fetchone()[0]
            if not self._keep(connection, f"person/{number}/{self._clock()}", lesson, Origin(), set()):
                raise UserError("There is nothing to remember", 'Say it in words: `andon memory add "…"`.')
            return self._one(connection, "id = last_insert_rowid()")

    def forget(self, id: int, *, undo: bool = False) -> Learning:
        """Hide a learning from runs and searches, or bring it back."""
        with self._open(write=True) as connection:
            found = self._one(connection, "id = ?", id)
            moment = None if undo else self._clock()
            connection.execute("UPDATE learnings SET forgotten_at = ? WHERE id = ?", (moment, id))
            return found

    def all(self, *, forgotten: bool = False, most: int = EVERY) -> Sifted[Learning]:
        """The newest first. A file that is not there is not made for this."""
        if not self.file.exists():
            return Sifted(())
        wanted = "IS NOT NULL" if forgotten else "IS NULL"
        with self._open() as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'learnings'").fetchone():
                return Sifted(())  # whoever makes it was interrupted, or has not got so far
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM learnings WHERE forgotten_at {wanted} ORDER BY id DESC LIMIT ?", (most,)
            )
            return sift(rows, lambda row: row[0], _learning)

    def about(self) -> str:
        """The place of what they are of, as it was written down; empty: nobody has."""
        if not self.file.exists():
            return ""
        with self._open() as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'learned_about'").fetchone():
                return ""
            row = connection.execute("SELECT place FROM learned_about LIMIT 1").fetchone()
            return str(row[0]) if row else ""

    def _one(self, connection: sqlite3.Connection, which: str, *values: int) -> Learning:
        row = connection.execute(f"SELECT {_COLUMNS} FROM learnings WHERE {which}", values).fetchone()
        if row is None:
            raise NoSuch(f"There is no learning {values[0]}", "`andon memory list` shows them with their ids.")
        found = read(row[0], lambda: _learning(row))
        if isinstance(found, Unreadable):
            raise UserError(f"Learning {found.id} cannot be read: {found.problem}", f"It stands in {self.file}.")
        return found

    @contextmanager
    def _open(self, *, write: bool = False) -> Generator[sqlite3.Connection]:
        """One transaction. Whatever the database says against it is said in a line."""
        try:
            if write:
                self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(sqlite3.connect(self.file, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
                if connection.execute("PRAGMA user_version").fetchone()[0] > VERSION:
                    raise UserError(f"{self.file} was written by a newer andon", "Update this one.")
                if write:
                    connection.execute("PRAGMA journal_mode=WAL")
                    connection.execute("BEGIN IMMEDIATE")
                    _make(connection)
                    if self._about:
                        connection.execute("INSERT OR IGNORE INTO learned_about VALUES (?)", (self._about,))
                yield connection
                connection.commit()
        except (sqlite3.Error, OSError) as error:
            hint = "Move the file away to begin anew; learnings are of use, and nothing depends on them."
            raise UserError(f"{self.file} cannot be used: {error}", hint) from error


def _make(connection: sqlite3.Connection) -> None:
    for statement in filter(str.strip, _SCHEMA.split(";")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _learning(row: Iterable[Any]) -> Learning:
    id, text, at, tags, *source = row
    return Learning(id, text, number(at), tuple(map(str, json.loads(tags))), *source)
