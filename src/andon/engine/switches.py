"""Switches that hold for everybody who shares the database, with who turned them last. Off until somebody did."""

from __future__ import annotations

import time
from dataclasses import dataclass

import sqlalchemy as sa

from andon.engine import tables
from andon.engine.database import one_writer, reading

ON, OFF = "true", "false"


@dataclass(frozen=True, slots=True)
class Switch:
    name: str
    value: str = OFF
    by: str = ""
    at: float | None = None

    @property
    def on(self) -> bool:
        return self.value == ON


class Switches:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def get(self, name: str) -> Switch:
        table = tables.switches
        with reading(self._engine) as connection:
            row = connection.execute(sa.select(table).where(table.c.name == name)).mappings().first()
        return Switch(**row) if row is not None else Switch(name)

    def turn(self, name: str, on: bool, by: str) -> Switch:
        table = tables.switches
        values = {"value": ON if on else OFF, "by": by, "at": time.time()}
        with self._engine.begin() as connection:
            one_writer(connection, name)
            if not connection.execute(table.update().where(table.c.name == name).values(**values)).rowcount:
                connection.execute(table.insert(), {"name": name, **values})
        return self.get(name)
