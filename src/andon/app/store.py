"""The database and what is kept beside it, opened for reading and small writes. Never starts the durable engine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from andon.app.anchoring import StoreAnchorage
from andon.app.given_secrets import all_values
from andon.app.home import PARKED, STARTING, Home
from andon.app.machine import Machine, owner_of
from andon.domain.errors import EnvironmentProblem
from andon.domain.run import RunRow, Status
from andon.engine.content import ContentStore
from andon.engine.database import ensure_schema, open_database
from andon.engine.holds import Holds
from andon.engine.journal import Journal
from andon.engine.ledger import Ledger
from andon.engine.notices import Notices
from andon.engine.redaction import Redaction
from andon.engine.reminders import Reminders
from andon.engine.reviews import Reviews
from andon.engine.runs import ExecutorLock, Runs
from andon.engine.signing import SigningKey
from andon.engine.switches import Switches
from andon.engine.wishes import Wishes

STARTING_SECONDS = 30.0
"""A process that does not hold the lock of its run by then never will."""


@dataclass(frozen=True)
class Store:
    home: Home
    engine: sa.Engine
    redaction: Redaction

    @classmethod
    def open(cls, home: Home, environment: Mapping[str, str]) -> Store:
        home.make()
        engine = open_database(home.database_url)
        try:
            ensure_schema(engine, home.root / "migrate.lock")
        except DatabaseError as error:
            hint = "Check ANDON_DATABASE_URL and that the server runs." if engine.name == "postgresql" else ""
            raise EnvironmentProblem(f"The database cannot be used: {_first_line(error)}", hint) from error
        return cls(home, engine, Redaction(environment, all_values(home)))

    @cached_property
    def machine(self) -> Machine:
        return Machine.load(self.home.machine)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self.engine, self.machine.as_json())

    @cached_property
    def journal(self) -> Journal:
        return Journal(self.engine, self.redaction)

    @cached_property
    def holds(self) -> Holds:
        return Holds(self.engine)

    @cached_property
    def wishes(self) -> Wishes:
        return Wishes(self.engine)

    @cached_property
    def reviews(self) -> Reviews:
        return Reviews(self.engine)

    @cached_property
    def reminders(self) -> Reminders:
        return Reminders(self.engine, self.journal)

    @cached_property
    def notices(self) -> Notices:
        return Notices(self.engine)

    @cached_property
    def switches(self) -> Switches:
        return Switches(self.engine)

    @cached_property
    def ledger(self) -> Ledger:
        key, outputs = SigningKey.load(self.home.key), ContentStore(self.home.outputs)
        return Ledger(self.engine, key, outputs, StoreAnchorage(self.home.repositories))

    def keep(self, output: bytes) -> str:
        """What a check printed, without secrets, in the content store; its digest."""
        clean = self.redaction.text(output.decode("utf-8", "surrogateescape"))
        return self.ledger.store.keep(clean.encode("utf-8", "surrogateescape"))

    def lock(self, run: str) -> ExecutorLock:
        return ExecutorLock(self.home.run(run))

    @property
    def shared(self) -> bool:
        """Other machines may use this database too. SQLite's lies in the data folder."""
        return self.engine.name != "sqlite"

    def elsewhere(self, run: RunRow) -> str:
        """The host of the other machine that a run belongs to; "" where it is this machine's own."""
        if not self.shared:
            return ""
        owner = owner_of(run)
        if owner is None:  # of a version before this
            return "" if self.home.run(run.id).is_dir() else "unknown by name"
        return "" if owner.id == self.machine.id else owner.host

    def status(self, run: RunRow) -> Status:
        """How a run really stands: one that says running while nobody executes it was interrupted. Of another machine's
        its row is all that is known here."""
        if self.elsewhere(run):
            return run.status
        if run.status in (Status.RUNNING, Status.WAITING) and not self.lock(run.id).held_by_someone:
            if self._is_starting(run):
                return Status.RUNNING
            return Status.WAITING if self.parked(run) else Status.INTERRUPTED
        return run.status

    def _is_starting(self, run: RunRow) -> bool:
        try:
            return time.time() - (self.home.run(run.id) / STARTING).stat().st_mtime < STARTING_SECONDS
        except FileNotFoundError:
            return False

    def parked(self, run: RunRow) -> bool:
        """It waits for a person, and no process waits with it."""
        return self.leaving(run) and not self.lock(run.id).held_by_someone

    def leaving(self, run: RunRow) -> bool:
        """It waits for a person, and its process has left or is about to: whoever answers starts the next one."""
        return run.status is Status.WAITING and (self.home.run(run.id) / PARKED).exists()


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", error)).splitlines()[0]
