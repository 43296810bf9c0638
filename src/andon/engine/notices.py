"""Notices to people and where each has to go, as rows: written once by key, delivered once to each target.

A target is known by a fingerprint: its address may hold a password, and is never written down here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from andon.domain.notices import Event, Notice
from andon.domain.tasks.reminders import To
from andon.engine import tables
from andon.engine.database import one_writer, reading

BACK_OFF = (5.0, 30.0, 120.0, 600.0, 3600.0, 4 * 3600.0)
"""Seconds after the first failed attempt, the second, and so on; then it is given up."""
CLAIM_SECONDS = 60.0
"""How long a process that delivers keeps others off; one that dies meanwhile is followed by another attempt."""


@dataclass(frozen=True, slots=True)
class Target:
    fingerprint: str
    name: str
    """For people: without anything secret."""


@dataclass(frozen=True, slots=True)
class Delivery:
    notice: Notice
    at: float
    target: Target
    attempts: int
    next_at: float | None
    """None: it is over."""
    delivered_at: float | None
    problem: str

    @property
    def state(self) -> str:
        if self.delivered_at is not None:
            return "delivered"
        return "given_up" if self.next_at is None else "retrying" if self.attempts else "waiting"


class Notices:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def post(self, notice: Notice, targets: Sequence[Target], now: float) -> bool:
        """Keep a notice to be delivered. False when its key was kept before."""
        with self._engine.begin() as connection:
            return post_in(connection, notice, targets, now)

    def newest(self, limit: int = 50, run: str | None = None) -> list[Notice]:
        table = tables.notices
        query = sa.select(table).order_by(table.c.at.desc(), table.c.key).limit(limit)
        query = query if run is None else query.where(table.c.run == run)
        with reading(self._engine) as connection:
            return [_notice(row) for row in connection.execute(query).mappings()]

    def deliveries(self, limit: int = 50) -> list[Delivery]:
        """Newest first."""
        query = _joined().order_by(tables.notices.c.at.desc(), tables.notices.c.key).limit(limit)
        with reading(self._engine) as connection:
            return [_delivery(row) for row in connection.execute(query).mappings()]

    def next_at(self, fingerprints: Collection[str]) -> float | None:
        """When the next delivery to one of these targets is due."""
        table = tables.deliveries
        query = sa.select(sa.func.min(table.c.next_at)).where(table.c.target.in_(list(fingerprints)))
        with reading(self._engine) as connection:
            return connection.execute(query).scalar()

    def claim(self, fingerprints: Collection[str], now: float) -> Delivery | None:
        """The delivery that is due longest, for this process alone for a while; None when there is none."""
        table = tables.deliveries
        due = table.c.target.in_(list(fingerprints)) & (table.c.next_at <= now)
        with reading(self._engine) as connection:
            if connection.execute(sa.select(table.c.notice).where(due).limit(1)).first() is None:
                return None
        with self._engine.begin() as connection:
            one_writer(connection, "deliveries")
            row = connection.execute(_joined().where(due).order_by(table.c.next_at).limit(1)).mappings().first()
            if row is None:
                return None
            found = _delivery(row)
            _change(connection, found, next_at=now + CLAIM_SECONDS)
            return found

    def delivered(self, delivery: Delivery, now: float) -> None:
        with self._engine.begin() as connection:
            values = {"delivered_at": now, "next_at": None, "problem": ""}
            _change(connection, delivery, attempts=delivery.attempts + 1, **values)

    def failed(self, delivery: Delivery, problem: str, now: float) -> bool:
        """Note why, and when to try again. True when it is given up."""
        over = delivery.attempts >= len(BACK_OFF)
        next_at = None if over else now + BACK_OFF[delivery.attempts]
        with self._engine.begin() as connection:
            _change(connection, delivery, attempts=delivery.attempts + 1, next_at=next_at, problem=problem)
        return over


def post_in(connection: sa.Connection, notice: Notice, targets: Sequence[Target], now: float) -> bool:
    """The same as part of a transaction: a notice is kept exactly when what it tells of is."""
    one_writer(connection, notice.key)
    table = tables.notices
    if connection.execute(sa.select(table.c.key).where(table.c.key == notice.key)).first() is not None:
        return False
    connection.execute(table.insert(), _row(notice) | {"at": now})
    rows = [{"notice": notice.key, "target": each.fingerprint, "name": each.name, "next_at": now} for each in targets]
    if rows:
        connection.execute(tables.deliveries.insert(), rows)
    return True


def _change(connection: sa.Connection, delivery: Delivery, **values: Any) -> None:
    table = tables.deliveries
    which = (table.c.notice == delivery.notice.key) & (table.c.target == delivery.target.fingerprint)
    connection.execute(table.update().where(which, table.c.delivered_at.is_(None)).values(**values))


def _joined() -> sa.Select[Any]:
    notices, deliveries = tables.notices, tables.deliveries
    return sa.select(notices, deliveries).join(deliveries, deliveries.c.notice == notices.c.key)


def _row(notice: Notice) -> dict[str, Any]:
    names = ("key", "run", "type", "urgency", "title", "text")
    return {name: getattr(notice, name) for name in names} | {"event": str(notice.event), "to": str(notice.to)}


def _notice(row: Mapping[Any, Any]) -> Notice:
    names = ("key", "run", "type", "urgency", "title", "text")
    return Notice(event=Event(row["event"]), to=To(row["to"]), **{name: row[name] for name in names})


def _delivery(row: Mapping[Any, Any]) -> Delivery:
    told = {name: row[name] for name in ("at", "attempts", "next_at", "delivered_at", "problem")}
    return Delivery(notice=_notice(row), target=Target(row["target"], row["name"]), **told)
