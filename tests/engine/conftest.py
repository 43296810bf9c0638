"""A database of each kind for each test: SQLite files, and a PostgreSQL server that the session starts itself."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from andon.engine.content import ContentStore
from andon.engine.database import ensure_schema, open_database
from andon.engine.holds import Holds
from andon.engine.journal import Journal
from andon.engine.ledger import Ledger
from andon.engine.redaction import Redaction
from andon.engine.reviews import Reviews
from andon.engine.runs import Runs
from andon.engine.signing import SigningKey
from floor import Floor
from warm import Program, warm

PROGRAM_FOLDERS = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")


def eventually(true: Callable[[], object], seconds: float = 30.0) -> None:
    """Every wait has a deadline."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"did not become true within {seconds} s"
        time.sleep(0.01)


@pytest.fixture(name="eventually", scope="session")
def _eventually() -> Callable[..., None]:
    return eventually


# --- PostgreSQL -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cluster:
    """A PostgreSQL server reachable through a socket in its own folder, and by nobody else's name."""

    folder: Path

    def url(self, name: str) -> str:
        return f"postgresql://andon@/{name}?host={self.folder}"

    @property
    def answers(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())


def _programs() -> Path | None:
    """The folder of initdb and postgres. Debian keeps them off PATH."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    found = [folder for pattern in PROGRAM_FOLDERS for folder in Path("/").glob(pattern[1:])]
    return next((folder for folder in sorted(found, reverse=True) if (folder / "initdb").exists()), None)


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: then it runs as its own user, or as nobody."""
    if os.geteuid() != 0:
        return {}
    known = {each.pw_name: each for each in pwd.getpwall()}
    user = known.get("postgres") or known["nobody"]
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": ()}


def _end_with_parent() -> None:
    """Nothing a session started may outlive it, even one that is killed. Called in the child, as the child's user."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL programs on this machine (initdb); `make test` installs them where it may")
    # Not below pytest's folder, which only this user can enter; and short, as a socket's path must be.
    folder = Path(tempfile.mkdtemp(prefix="andon-pg-"))
    identity = _unprivileged()
    if identity:
        os.chown(folder, identity["user"], identity["group"])
    words = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}, "stdin": subprocess.DEVNULL, **identity}
    initdb = [programs / "initdb", "-D", folder / "data", "-U", "andon", "-A", "trust", "-E", "UTF8", "--locale=C"]
    subprocess.run([*initdb, "--no-sync"], **words, capture_output=True, timeout=100, check=True)
    settings = ("listen_addresses=", "fsync=off", "max_connections=200", "logging_collector=on")
    server = subprocess.Popen(
        [programs / "postgres", "-D", folder / "data", "-k", folder, *(f"--{setting}" for setting in settings)],
        **words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=_end_with_parent,  # noqa: PLW1509
    )
    try:
        eventually(lambda: server.poll() is not None or Cluster(folder).answers, seconds=100)
        assert server.poll() is None, "PostgreSQL did not start"
        yield Cluster(folder)
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait(timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(cluster: Cluster) -> Iterator[str]:
    """A database of the test's own."""
    name = f"t{uuid.uuid4().hex}"
    cluster.execute(f"CREATE DATABASE {name}")
    yield cluster.url(name)
    cluster.execute(f"DROP DATABASE {name} WITH (FORCE)")


# --- either database ------------------------------------------------------------------------------------------


@dataclass
class Store:
    """What the engine's stores need, opened as the application opens it."""

    url: str
    home: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.engine = open_database(self.url)
        ensure_schema(self.engine, self.home / "migrate.lock")
        self.runs = Runs(self.engine)
        self.journal = Journal(self.engine, Redaction(self.environment))
        self.holds = Holds(self.engine)
        self.reviews = Reviews(self.engine)
        self.ledger = Ledger(self.engine, SigningKey.load(self.home / "key"), ContentStore(self.home / "outputs"))

    @property
    def postgres(self) -> bool:
        return self.engine.dialect.name == "postgresql"

    def run(self, id: str = "r1", **values: Any) -> str:
        """A row of the run table, which everything else refers to."""
        words = {"pipeline": "auto", "task": "t", "feature": "f", "repository": "/r", "branch": "b", "spec": {}}
        self.runs.create(id, words | values)
        return id

    def sql(self, *statements: str) -> None:
        """What an attacker with the database's password would type, in one transaction."""
        with self.engine.begin() as connection:
            for statement in statements:
                connection.execute(sa.text(statement))

    def allow_changes(self) -> None:
        """Drop the triggers, as whoever wants to change history must do first."""
        for table in ("andon_journal", "andon_evidence"):
            if self.postgres:
                self.sql(f"DROP TRIGGER {table}_append_only ON {table}")
            else:
                self.sql(f"DROP TRIGGER {table}_no_update", f"DROP TRIGGER {table}_no_delete")

    def close(self) -> None:
        self.engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, once for each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'andon.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Iterator[Store]:
    opened = Store(database_url, tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(f"sqlite:///{tmp_path / 'andon.db'}", tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """open_store(url, environment): a second look at a database, as another process would have it."""
    opened: list[Store] = []

    def open_(url: str, environment: dict[str, str] | None = None) -> Store:
        opened.append(Store(url, tmp_path / "home", environment or {}))
        return opened[-1]

    yield open_
    for each in opened:
        each.close()


# --- other processes ------------------------------------------------------------------------------------------


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """programs(source, *arguments): starts Python with this source. What is left is killed after the test."""
    started: list[Program] = []

    def start(source: str, *arguments: object) -> Program:
        started.append(warm().program(source, *map(str, arguments), cwd=tmp_path))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait(timeout=20)


def finish(process: Program, seconds: float = 100) -> str:
    """Its standard output, once it has ended well."""
    out, err = process.communicate(timeout=seconds)
    assert process.returncode == 0, err
    return out


@pytest.fixture(name="finish", scope="session")
def _finish() -> Callable[..., str]:
    return finish


@pytest.fixture
def floor(sqlite_store: Any, tmp_path: Path) -> Iterator[Floor]:
    sqlite_store.run()
    made = Floor(sqlite_store, tmp_path)
    yield made
    made.watcher.close()
