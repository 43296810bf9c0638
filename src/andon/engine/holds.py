"""Where runs wait for people: rows, and one watcher per process that wakes whoever waits.

A waiting run holds no thread, no queue slot and does not poll; the watcher asks the database one cheap question.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Question
from andon.domain.unreadable import Sifted, number, sift
from andon.engine import tables
from andon.engine.database import one_writer, reading
from andon.engine.failures import explain

GiveUp = Callable[[EnvironmentProblem], None]

TIMEOUT = "timeout"
"""Who gives an answer that nobody gave."""
POLL_SECONDS = 0.2
LOOK_BACK_SECONDS = 10.0
"""PostgreSQL may commit signal 7 after signal 8: each look reaches back at least this long."""
FIRST_LOOK_BACK = 200
"""How many numbers the first look reaches back, for what is under way while a process starts."""


@dataclass(frozen=True, slots=True)
class Hold:
    id: str
    run: str
    question: Question
    opened_at: float
    answer: str | None
    answered_by: str | None
    kept_by: str | None = None
    """Who asked the run to wait for them: its default is not taken then, however long it takes."""

    @property
    def open(self) -> bool:
        return self.answer is None

    @property
    def by_person(self) -> bool:
        """Not the default, taken when its time was up."""
        return self.answered_by not in (None, TIMEOUT)

    @property
    def deadline(self) -> float | None:
        """When the default is taken. None: never."""
        timeout = self.question.timeout
        return None if timeout is None or self.kept_by is not None else self.opened_at + timeout


class Holds:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def open(self, id: str, run: str, question: Question) -> Hold:
        """Open a hold, or return the one a previous attempt of the same step opened."""
        with self._engine.begin() as connection:
            one_writer(connection, id)
            known = _find(connection, id)
            if known is not None:
                return known
            opened_at = time.time()
            row = {
                "id": id,
                "run": run,
                "category": question.category,
                "text": question.text,
                "options": list(question.options),
                "default": question.default,
                "timeout": question.timeout,
                "opened_at": opened_at,
            }
            connection.execute(tables.holds.insert(), row)
            return Hold(id, run, question, opened_at, None, None)

    def get(self, id: str) -> Hold | None:
        with reading(self._engine) as connection:
            return _find(connection, id)

    def of_run(self, run: str) -> list[Hold]:
        return [_hold(row) for row in self._rows(tables.holds.c.run == run)]

    def all_open(self) -> Sifted[Hold]:
        return sift(self._rows(tables.holds.c.answered_at.is_(None)), lambda row: row["id"], _hold)

    def answer(self, id: str, answer: str, by: str) -> Hold:
        """Answer an open hold. Of any number of concurrent answers exactly one wins; the others are told."""
        with self._engine.begin() as connection:
            return answer_in(connection, id, answer, by, time.time())

    def keep_waiting(self, id: str, by: str) -> bool:
        """From now on only an answer ends the wait. False: somebody asked for that before."""
        with self._engine.begin() as connection:
            one_writer(connection, id)
            hold = _find(connection, id)
            if hold is None:
                raise UserError(f"No question {id}", "`andon answer` without arguments lists what is open.")
            if not hold.open:
                raise UserError(f"Question {id} was already answered by {hold.answered_by}: {hold.answer}")
            if hold.kept_by is not None:
                return False
            table = tables.holds
            connection.execute(table.update().where(table.c.id == id).values(kept_at=time.time(), kept_by=by))
            return True

    def take_default(self, id: str, by: str) -> bool:
        """The default as the answer, now that its time is up. False: a person was faster, or asked the run to wait."""
        with self._engine.begin() as connection:
            one_writer(connection, id)
            hold = _find(connection, id)
            if hold is None or not hold.open or hold.kept_by is not None:
                return False
            answer_in(connection, id, hold.question.default or "", by, time.time())
            return True

    def request_stop(self, run: str) -> None:
        """Ask whichever process executes the run to stop it."""
        with self._engine.begin() as connection:
            leg = connection.execute(sa.select(tables.runs.c.leg).where(tables.runs.c.id == run)).scalar()
            _signal(connection, run, "stop", str(leg), time.time())

    def stop_requested(self, run: str) -> bool:
        """Whether the run's present leg was asked to stop: a stop outlives the process that was to obey it.

        Told by the leg, not by the time: clocks are set back, and differ between machines.
        """
        table = tables.signals
        query = (
            sa.select(table.c.id)
            .join(tables.runs, tables.runs.c.id == table.c.run)
            .where(table.c.run == run, table.c.kind == "stop", table.c.subject == sa.cast(tables.runs.c.leg, sa.Text))
            .limit(1)
        )
        with reading(self._engine) as connection:
            return connection.execute(query).first() is not None

    def _rows(self, condition: Any) -> list[Any]:
        table = tables.holds
        with reading(self._engine) as connection:
            query = sa.select(table).where(condition).order_by(table.c.opened_at)
            return list(connection.execute(query).mappings())


class Watcher:
    """The one thread of a process that notices answers and stop requests other processes wrote."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._waiting: dict[tuple[str, str], list[Callable[[], None]]] = {}
        self._lock = threading.Lock()
        self._line: Any = None
        self._give_up: GiveUp | None = None
        self._ended = threading.Event()
        self.parked = 0
        """How many wait for a person without a limit."""
        self._newest = self._read_newest()
        self._floor = self._next_floor = self._newest - FIRST_LOOK_BACK
        self._raise_floor_at = time.monotonic() + LOOK_BACK_SECONDS
        # Those that are there, not all numbers up to the newest: one in between may still be under way.
        self._seen = {row["id"] for row in self._recent()}
        self._thread = threading.Thread(target=self._watch, name="andon-watcher", daemon=True)

    def start(self, give_up: GiveUp | None = None) -> None:
        """`give_up` is told, in the watcher's thread, when the database failed for good: nobody is woken any more."""
        self._give_up = give_up
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def future(self, kind: str, subject: str) -> asyncio.Future[None]:
        """A future of the running loop, done when the signal (`answered`, hold) or (`stop`, run) arrives."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not future.done():
                future.set_result(None)

        def wake_from_watcher() -> None:
            with suppress(RuntimeError):  # its loop is closed: nobody waits any more
                loop.call_soon_threadsafe(wake)

        with self._lock:
            self._waiting.setdefault((kind, subject), []).append(wake_from_watcher)
        future.add_done_callback(lambda _: self._forget((kind, subject), wake_from_watcher))
        return future

    @contextmanager
    def parking(self) -> Generator[None]:
        """While somebody waits for a person, for as long as it takes."""
        self.parked += 1
        try:
            yield
        finally:
            self.parked -= 1

    def wake(self, kind: str, subject: str) -> None:
        """Deliver a signal inside this process, without waiting for the next look at the database."""
        with self._lock:
            wakers = list(self._waiting.get((kind, subject), ()))
        for waker in wakers:
            waker()

    def _forget(self, key: tuple[str, str], waker: Callable[[], None]) -> None:
        with self._lock:
            wakers = self._waiting.get(key, [])
            if waker in wakers:
                wakers.remove(waker)
            if not wakers:
                self._waiting.pop(key, None)

    def _read_newest(self) -> int:
        with reading(self._engine) as connection:
            return connection.execute(sa.select(sa.func.max(tables.signals.c.id))).scalar() or 0

    def _unseen(self) -> bool:
        """Whether there are signals that were not delivered yet. Rows are never removed, so counting them will do.

        Asked five times a second for as long as a run waits: one statement on a connection of its own takes a tenth
        of what a look through the pool takes.
        """
        if self._line is None:
            self._line = self._connect()
        cursor = self._line.cursor()
        cursor.execute(f"SELECT count(*) FROM {tables.signals.name} WHERE id > {self._floor}")
        return cursor.fetchone() != (len(self._seen),)

    def _connect(self) -> Any:
        """A driver's own connection, which the pool no longer counts."""
        pooled = self._engine.raw_connection()
        line: Any = pooled.dbapi_connection
        pooled.detach()
        if self._engine.dialect.name == "postgresql":
            line.autocommit = True
        return line

    def _recent(self) -> list[Any]:
        table = tables.signals
        with reading(self._engine) as connection:
            return list(connection.execute(sa.select(table).where(table.c.id > self._floor)).mappings())

    def _watch(self) -> None:
        while not self._ended.wait(POLL_SECONDS):
            try:
                self._look()
            except Exception as error:
                self._hang_up()
                problem = self._for_good(error)
                if problem is None:
                    continue  # the database is away for a moment; the next look catches up from the same place
                if self._give_up is None:
                    raise
                self._give_up(problem)
                return
        self._hang_up()

    def _look(self) -> None:
        if self._unseen():
            self._deliver()
        self._raise_floor()

    def _for_good(self, error: Exception) -> EnvironmentProblem | None:
        """Why there is no use in looking again; None when there is."""
        if isinstance(error, EnvironmentProblem):
            return error
        if isinstance(error, (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error)):
            return explain(error, self._engine.url)
        what = f"Answers and stops can no longer be seen: {type(error).__name__}: {error}"
        return EnvironmentProblem(what, "Nothing is lost: `andon resume` goes on with the run.")

    def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            with suppress(self._engine.dialect.loaded_dbapi.Error):
                line.close()

    def _deliver(self) -> None:
        for row in self._recent():
            if row["id"] not in self._seen:
                self._seen.add(row["id"])
                self._newest = max(self._newest, row["id"])
                self.wake(row["kind"], row["subject"] if row["kind"] == "answered" else row["run"])

    def _raise_floor(self) -> None:
        if time.monotonic() >= self._raise_floor_at:
            self._floor, self._next_floor = self._next_floor, self._newest
            self._raise_floor_at = time.monotonic() + LOOK_BACK_SECONDS
            self._seen = {id for id in self._seen if id > self._floor}


def answer_in(connection: sa.Connection, id: str, answer: str, by: str, at: float) -> Hold:
    """Answer an open hold, and wake whoever waits there, as part of a transaction."""
    one_writer(connection, id)  # whoever looks whether it is open before taking its default sees all or nothing of this
    table = tables.holds
    changed = connection.execute(
        table.update()
        .where(table.c.id == id, table.c.answered_at.is_(None))
        .values(answer=answer, answered_by=by, answered_at=at)
    ).rowcount
    hold = _find(connection, id)
    if hold is None:
        raise UserError(f"No question {id}", "`andon answer` without arguments lists what is open.")
    if not changed:
        raise UserError(f"Question {id} was already answered by {hold.answered_by}: {hold.answer}")
    _signal(connection, hold.run, "answered", id, at)
    return hold


def _signal(connection: sa.Connection, run: str, kind: str, subject: str, at: float) -> None:
    connection.execute(tables.signals.insert(), {"run": run, "kind": kind, "subject": subject, "at": at})


def _find(connection: sa.Connection, id: str) -> Hold | None:
    row = connection.execute(sa.select(tables.holds).where(tables.holds.c.id == id)).mappings().first()
    return _hold(row) if row is not None else None


def _hold(row: Any) -> Hold:
    tables.intact(row)
    question = Question(row["text"], tuple(map(str, row["options"])), row["default"], row["timeout"], row["category"])
    told = row["answer"], row["answered_by"], row["kept_by"]
    return Hold(row["id"], row["run"], question, number(row["opened_at"]), *told)
