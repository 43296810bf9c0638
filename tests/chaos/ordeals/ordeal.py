"""One run from its start to its end, its orchestrator killed on the way, and the people around it.

The person here does what a person would: starts the run, resumes it when it was interrupted, answers, stops.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from andon.app.home import Home
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.domain.run import RunRow, Status
from ordeals import tree
from ordeals.agents import served
from ordeals.kinds import STAY, Kind
from ordeals.orchestrator import Moment, Orchestrator
from ordeals.place import Place
from ordeals.story import Story, Telling

DEADLINE_SECONDS = 240.0
STARTS = 60
"""A run that needs its orchestrator started more often than that will never end."""
LONGEST_THOUGHT = 1.5
"""How long the person thinks before answering, so that kills find the run parked."""
Draw = Callable[[int], "Moment | None"]
"""(entries the journal has) → when to kill next, None for never again."""


@dataclass
class Endured:
    """How one run came through."""

    kind: str
    name: str
    run: str = ""
    kills: int = 0
    seconds: float = 0.0
    effects: int = 0
    story: Story | None = None
    lost: list[str] = field(default_factory=list[str])
    orphans: list[str] = field(default_factory=list[str])
    moments: list[str] = field(default_factory=list[str])
    """For the one who looks for the cause: what was killed, and what it had last written."""


class Ordeal:
    def __init__(self, place: Place, kind: Kind, name: str, dice: random.Random, draw: Draw) -> None:
        self._place = place
        self._kind = kind
        self._dice = dice
        self._draw = draw
        self._store: Store | None = None
        self._repository = place.repository(name, kind.files)
        self._stopping: Orchestrator | None = None
        self._stop_asked = False
        self._answers: dict[str, float] = {}
        self._variables: dict[str, str] = {}
        """What a real agent program needs."""
        self._log = place.root / f"{name}.log"
        self.endured = Endured(kind.name, name)

    def endure(self) -> Endured:
        began = time.monotonic()
        endured = self.endured
        try:
            with served(self._place, self._kind) as self._variables:
                self._to_the_end(began + DEADLINE_SECONDS)
        except (TimeoutError, RuntimeError) as problem:
            endured.lost.append(str(problem))
        row = self._row()
        if row is not None and self._store is not None:
            endured.run = row.id
            endured.orphans = tree.orphans()
            tree.end_all()
            endured.story = Telling(self._place, self._store, row, shuffled=self._kind.shuffled).story()
            if (row.status, row.reason) != (self._kind.status, self._kind.reason):
                endured.lost.append(f"ended {row.status} {row.reason}, not {self._kind.status} {self._kind.reason}")
        tree.end_all()
        endured.effects = _effects(self._log.with_suffix(".trap"))
        endured.seconds = time.monotonic() - began
        return endured

    def _to_the_end(self, deadline: float) -> None:
        failures = 0
        for _ in range(STARTS):
            words = self._next_command()
            if words is None:
                return
            moment = self._draw(self._journal_length())
            orchestrator = Orchestrator(self._place, words, self._log, moment, self._variables)
            if self._attend(orchestrator, deadline) or self._settled():
                continue
            failures += 1
            self.endured.lost.append(f"andon {words[0]} ended by itself: {orchestrator.complaint()}")
            if failures == 3:
                raise RuntimeError("given up")
        raise RuntimeError(f"not at its end after {STARTS} starts")

    def _attend(self, orchestrator: Orchestrator, deadline: float) -> bool:
        """Let it work until it ends or its moment comes. True when it was killed."""
        while not orchestrator.ended:
            if orchestrator.reached:
                orchestrator.kill()
                break
            self._act(orchestrator)
            if time.monotonic() > deadline:
                orchestrator.kill()
                raise TimeoutError(f"not at its end after {DEADLINE_SECONDS:g} s")
        killed = orchestrator.wait()
        if killed:
            self.endured.kills += 1
            last = orchestrator.entries[-1]["key"] if orchestrator.entries else "nothing"
            self.endured.moments.append(f"{orchestrator.words[0]} after {last} {orchestrator.moment}")
        if self._stopping is not None:
            # It returns once nobody executes the run any more, whether it was obeyed or the one who should is dead.
            self._stopping.wait()
            self._stopping = None
        return killed

    # --- the person -------------------------------------------------------------------------------------------

    def _next_command(self) -> tuple[str, ...] | None:
        row, kind = self._row(), self._kind
        if row is None:
            played = ("--scenario", str(self._place.scenario(kind))) if kind.runtime == "scripted" else ()
            given = ("--repo", str(self._repository), "--runtime", kind.runtime, *played)
            return (*kind.door, kind.asked, *given, *kind.options, "--json")
        status = self._status(row)
        if not status.ended:
            again = self._stop_asked and row.leg == 1 and self._dice.random() < 0.5
            return ("stop" if again else "resume", row.id, "--json")
        if kind.resumed is not None and row.leg == 1:
            return ("resume", row.id, *kind.resumed, "--json")
        if kind.fork and row.forked_from is None:
            return ("fork", row.id, "--from", str(kind.fork), "--json")
        return None

    def _act(self, orchestrator: Orchestrator) -> None:
        if self._kind.answers:
            self._answer(orchestrator)
        if self._kind.stop and not self._stop_asked and orchestrator.words[0] != "stop":
            row = self._row()
            if row is not None and row.leg == 1 and (self._store_home(row) / "worktree" / STAY).exists():
                self._stop_asked = True
                self._stopping = Orchestrator(self._place, ("stop", row.id, "--json"), self._log)

    def _answer(self, orchestrator: Orchestrator) -> None:
        row = self._row() if orchestrator.entries or self.endured.kills else None
        if row is None or self._store is None:
            return
        if orchestrator.moment is not None and orchestrator.moment.parked:
            return  # it is to be killed while it waits
        for hold in self._store.holds.of_run(row.id):
            if not hold.open:
                continue
            thought = self._dice.random() * LONGEST_THOUGHT if self.endured.kills else 0.0
            if time.monotonic() >= self._answers.setdefault(hold.id, time.monotonic() + thought):
                with suppress(UserError):
                    self._store.holds.answer(hold.id, self._kind.answers[hold.question.text], "a person")

    # --- how it stands ----------------------------------------------------------------------------------------

    def _row(self) -> RunRow | None:
        if self._store is None:
            if not _has_tables(self._place.home / "andon.db"):
                return None  # left to andon itself: a kill may hit while it makes its tables
            environment = self._place.environment
            self._store = Store.open(Home.of(environment), environment)
        rows = self._store.runs.newest(5, str(self._repository))
        return rows[0] if rows else None

    def _status(self, row: RunRow) -> Status:
        """As screens see it, after the instant in which a dying process still holds its lock."""
        assert self._store is not None
        until = time.monotonic() + 5
        while (status := self._store.status(row)) in (Status.RUNNING, Status.WAITING):
            if time.monotonic() > until:
                raise RuntimeError(f"nobody executes run {row.id}, but its lock is held")
            time.sleep(0.01)
        return status

    def _settled(self) -> bool:
        row = self._row()
        return row is not None and self._status(row).ended

    def _journal_length(self) -> int:
        row = self._row()
        return len(self._store.journal.entries(row.id)) if row is not None and self._store is not None else 0

    def _store_home(self, row: RunRow) -> Path:
        return self._place.home / "runs" / row.id


def _effects(log: Path) -> int:
    """The most effects one of its processes had, as the trap counted them."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return max((int(line.split()[0]) for line in lines), default=0)


def _has_tables(database: Path) -> bool:
    if not database.exists():
        return False
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)
    try:
        return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'andon_schema'").fetchone() is not None
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
