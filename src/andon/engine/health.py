"""How the database is: whether it opens, whose version its tables have, whether it is sound and can be written.

Makes and changes nothing, so that a look is harmless; a database that is not there yet is no problem.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from andon.engine.database import SCHEMA_HEAD, normalise_url

SECONDS = 5
LARGEST_CHECKED = 512 * 1024**2
"""Reading all of a larger file takes longer than somebody waits for an answer."""


@dataclass(frozen=True, slots=True)
class Health:
    place: str
    """Which database, without anything secret."""
    detail: str = ""
    problem: str = ""
    fix: str = ""


def examine_database(url: str) -> Health:
    found = sa.make_url(normalise_url(url))
    if found.get_backend_name() == "sqlite":
        return _sqlite(Path(found.database or ""))
    return _postgresql(found)


def _sqlite(path: Path) -> Health:
    place = f"SQLite, {path}"
    if not path.exists():
        return Health(place, "not there yet, the first run makes it")
    size = path.stat().st_size
    mended = f"Move {path} away (the next run begins a new one), or restore it from a backup."
    try:
        with closing(sqlite3.connect(f"file:{_quoted(path)}?mode=rw", uri=True, timeout=SECONDS)) as database:
            database.isolation_level = None
            sound = database.execute("PRAGMA quick_check(1)").fetchone()[0] if size <= LARGEST_CHECKED else "ok"
            if sound != "ok":
                return Health(place, problem=f"damaged: {sound}", fix=mended)
            version = database.execute("SELECT version_num FROM andon_schema").fetchone() if _has(database) else None
            database.execute("BEGIN IMMEDIATE")
            # A page is written only by a change; this one is taken back.
            database.execute("CREATE TABLE andon_examined (x)")
            database.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        return Health(place, problem=str(error), fix=_fix(str(error), path))
    except sqlite3.DatabaseError as error:
        return Health(place, problem=f"damaged: {error}", fix=mended)
    return _of_version(place, f"{size / 1024**2:.1f} MiB", version[0] if version else None)


def _quoted(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _has(database: sqlite3.Connection) -> bool:
    tables = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'andon_schema'"
    return database.execute(tables).fetchone() is not None


def _fix(said: str, path: Path) -> str:
    known: Mapping[str, str] = {
        "locked": "Another process writes to it for a long time: `andon runs --all` shows who works. Try again.",
        "readonly": f"Make {path} and its folder writable for you.",
        "unable to open": f"Make {path} and its folder readable and writable for you.",
        "full": "Make room on that disk.",
    }
    return next((fix for word, fix in known.items() if word in said), f"Look at {path}, and at the disk it lies on.")


def _postgresql(url: sa.URL) -> Health:
    place = f"PostgreSQL, {url.host or 'local'}{f':{url.port}' if url.port else ''}/{url.database or ''}"
    engine = sa.create_engine(url, connect_args={"connect_timeout": SECONDS})
    try:
        with engine.connect() as connection:
            has = sa.inspect(connection).has_table("andon_schema")
            version = connection.scalar(sa.text("SELECT version_num FROM andon_schema")) if has else None
            told = connection.scalar(sa.text("SHOW server_version"))
            if connection.scalar(sa.text("SHOW transaction_read_only")) == "on":
                fix = "Name the server that takes writes, not a copy of it, in ANDON_DATABASE_URL."
                return Health(place, problem="it can only be read", fix=fix)
            may = sa.text("SELECT has_schema_privilege(current_schema(), 'CREATE')")
            if not connection.scalar(may):
                fix = f"Let the role {url.username or ''} create tables there: GRANT CREATE ON SCHEMA … TO …"
                return Health(place, problem="its tables cannot be made or upgraded", fix=fix)
    except DatabaseError as error:
        said = str(error.orig or error).strip().splitlines() or [type(error).__name__]
        return Health(place, problem=said[0], fix="Check ANDON_DATABASE_URL and that the server runs.")
    finally:
        engine.dispose()
    return _of_version(place, f"server {told}", version)


def _of_version(place: str, detail: str, version: str | None) -> Health:
    if version is None:
        return Health(place, f"{detail}, its tables are made by the next run")
    if version > SCHEMA_HEAD:
        return Health(
            place, problem=f"made by a newer andon (tables {version}, known {SCHEMA_HEAD})", fix="Upgrade andon."
        )
    current = "current" if version == SCHEMA_HEAD else f"{version}, upgraded to {SCHEMA_HEAD} by the next command"
    return Health(place, f"{detail}, sound, writable, tables {current}")
