"""Opens the one database andon and its durable engine share, and brings both schemas up to date under a lock.

SQLite by default, PostgreSQL by URL. Nothing else in andon creates an engine or runs a migration.
"""

from __future__ import annotations

import fcntl
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError

from andon.domain.errors import EnvironmentProblem, UserError
from andon.engine.failures import give_up_on_failure
from andon.engine.turns import Turns

if TYPE_CHECKING:
    from alembic.config import Config

SCHEMA_HEAD = "0005"
"""The newest Alembic revision in migrations/versions. A test compares the two."""

_OUR_LOCKS = 0x616E646F
"""The first half of every advisory lock of andon's in PostgreSQL ("ando"), apart from those of the durable engine."""
_BUSY_SECONDS = 30
_PRAGMAS = (f"busy_timeout={_BUSY_SECONDS * 1000}", "foreign_keys=ON", "journal_mode=WAL", "synchronous=FULL")


def normalise_url(url: str) -> str:
    """postgres:// and postgresql:// both mean psycopg 3; anything but those and sqlite is a person's mistake."""
    for prefix in ("postgresql+psycopg://", "postgresql://", "postgres://"):
        if url.startswith(prefix):
            return "postgresql+psycopg://" + url.removeprefix(prefix)
    if url.startswith("sqlite:///"):
        return url
    raise _refused(url)


def _refused(url: str) -> UserError:
    # What stands before the last @ may be a password.
    return UserError(
        f"Unsupported database URL: {url.split('@')[-1]}",
        "ANDON_DATABASE_URL takes postgresql://user@host/name, or leave it unset for SQLite.",
    )


def open_database(url: str) -> sa.Engine:
    """An engine for `url`, with the SQLite settings under which concurrent processes were measured to be safe."""
    url = normalise_url(url)
    if not url.startswith("sqlite"):
        try:
            return sa.create_engine(url, pool_size=20, max_overflow=0, pool_pre_ping=True)
        except (ValueError, ArgumentError):
            raise _refused(url) from None
    engine = sa.create_engine(url, pool_size=20, max_overflow=0, poolclass=sa.QueuePool, module=_sqlite_module())

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        # isolation_level None: pysqlite must not begin transactions behind our back.
        connection.isolation_level = None
        for pragma in _PRAGMAS:
            _set(connection, pragma)

    @event.listens_for(engine, "begin")
    def _on_begin(connection: sa.Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        # A deferred transaction that turns writer later fails under contention instead of waiting.
        if connection.get_execution_options().get("read_only", False):
            connection.exec_driver_sql("BEGIN")
            return
        turns.take(connection)
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except BaseException:
            turns.leave(connection.connection)
            raise

    turns = Turns()
    turns.follow(engine.dialect)
    give_up_on_failure(engine)
    return engine


def _set(connection: Any, pragma: str) -> None:
    """Set a pragma. SQLite does not wait by itself where two processes switch to WAL, or leave it, at one moment."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute(f"PRAGMA {pragma}")
            return
        except Exception as error:  # of whichever module was loaded
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _sqlite_module() -> Any:
    import sqlite3

    if sqlite3.sqlite_version_info >= (3, 42) or sys.version_info < (3, 12):
        return sqlite3
    try:
        import pysqlite3  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
    except ImportError as error:
        raise EnvironmentProblem(
            f"SQLite {sqlite3.sqlite_version} is too old for Python {sys.version_info[0]}.{sys.version_info[1]}",
            "Install pysqlite3-binary, use Python 3.11, or set ANDON_DATABASE_URL to a PostgreSQL server.",
        ) from error
    return pysqlite3  # pyright: ignore[reportUnknownVariableType]


@contextmanager
def reading(engine: sa.Engine) -> Generator[sa.Connection]:
    """A connection that never takes SQLite's write lock."""
    with engine.connect().execution_options(read_only=True) as connection:
        yield connection


def one_writer(connection: sa.Connection, subject: str) -> None:
    """Make this transaction the only one that writes about `subject`: numbers then have no holes and no doubles."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_OUR_LOCKS, sa.func.hashtext(subject))))
    # SQLite has one writer at a time anyway: every transaction begins IMMEDIATE.


def ensure_schema(engine: sa.Engine, lock_file: Path) -> None:
    """Create or upgrade andon's tables. Cheap when they are current; concurrent first starts wait for each other."""
    if _schema_version(engine) == SCHEMA_HEAD:
        return
    with locked(lock_file):
        if _schema_version(engine) != SCHEMA_HEAD:
            _upgrade(engine)


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold an exclusive lock on a file for the length of the block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _schema_version(engine: sa.Engine) -> str | None:
    with reading(engine) as connection:
        if not sa.inspect(connection).has_table("andon_schema"):
            return None
        return connection.execute(sa.text("SELECT version_num FROM andon_schema")).scalar()


def _upgrade(engine: sa.Engine) -> None:
    # Imported here: Alembic costs as much as SQLAlchemy to import, and is needed once per release.
    from alembic import command
    from alembic.util import CommandError

    with engine.begin() as connection:
        # A file lock serves one machine; others may share this database.
        one_writer(connection, "schema")
        try:
            command.upgrade(migrations(connection), "head")
        except CommandError as error:
            raise EnvironmentProblem(
                f"The database was made by a newer andon ({error})", "Upgrade andon; the database is left as it is."
            ) from error


def migrations(connection: sa.Connection) -> Config:
    """andon's migrations, for Alembic to apply to this connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
