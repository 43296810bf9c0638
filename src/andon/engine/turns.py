"""One writer at a time within this process, in the order they came.

SQLite lets one transaction write. Whoever finds it busy sleeps and looks again, after ever longer sleeps: a dozen
threads that write a little would spend most of their time asleep. Here they wait for each other and are woken. Between
processes SQLite's own waiting stays, and is enough.
"""

from __future__ import annotations

import threading
from typing import Any

import sqlalchemy as sa

PATIENCE_SECONDS = 30.0
"""As long as SQLite itself is told to wait. Whoever gets no turn by then tries without one: SQLite still allows one
writer only."""


class Turns:
    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._writing: set[int] = set()
        """The connection whose turn it is."""

    def take(self, connection: sa.Connection) -> None:
        if self._turn.acquire(timeout=PATIENCE_SECONDS):
            self._writing.add(_key(connection.connection))

    def leave(self, connection: Any) -> None:
        """The connection's transaction has ended, if it had one; or it is closed."""
        key = _key(connection)
        if key in self._writing:
            self._writing.discard(key)
            self._turn.release()

    def follow(self, dialect: sa.Dialect) -> None:
        """Leave after every end of a transaction: events would come before it."""
        for name in ("do_commit", "do_rollback", "do_close", "do_terminate"):
            setattr(dialect, name, self._leaving(getattr(dialect, name)))

    def _leaving(self, end: Any) -> Any:
        def ended(connection: Any) -> None:
            try:
                end(connection)
            finally:
                self.leave(connection)

        return ended


def _key(connection: Any) -> int:
    return id(getattr(connection, "dbapi_connection", None) or connection)
