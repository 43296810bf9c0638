"""E-22: what `andon doctor` says about the database and the port, and that nothing is wrong without a fix."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.app.doctor import examine
from andon.app.doctor_rows import Finding, database, port
from andon.app.home import Home
from andon.app.store import Store


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.of({"ANDON_HOME": str(tmp_path / "home")})


def with_database(home: Home) -> Path:
    Store.open(home, {}).engine.dispose()
    return home.root / "andon.db"


def test_E_22_a_database_that_is_not_there_yet_is_no_problem_and_is_not_made(home: Home) -> None:
    found = database(home)

    assert (found.state, home.root.exists()) == ("ok", False)
    assert f"SQLite, {home.root / 'andon.db'}" in found.detail and "first run makes it" in found.detail


def test_E_22_a_database_is_opened_read_and_tried_for_writing(home: Home) -> None:
    path = with_database(home)

    found = database(home)

    assert found.state == "ok" and "sound, writable, tables current" in found.detail
    with sqlite3.connect(path) as opened:
        assert opened.execute("SELECT count(*) FROM sqlite_master WHERE name = 'andon_examined'").fetchone() == (0,)


def damaged(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)


def no_database(path: Path) -> None:
    path.write_text("hello, this is a letter\n" * 100)


def of_a_newer_andon(path: Path) -> None:
    with sqlite3.connect(path) as opened:
        opened.execute("UPDATE andon_schema SET version_num = '9999'")


def a_folder(path: Path) -> None:
    for each in path.parent.glob("andon.db*"):
        each.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("harm", "told", "fix"),
    [
        (damaged, "damaged", "Move "),
        (no_database, "damaged: file is not a database", "Move "),
        (of_a_newer_andon, "made by a newer andon (tables 9999", "Upgrade andon."),
        (a_folder, "unable to open", "readable and writable"),
    ],
)
def test_E_22_a_database_that_cannot_be_used_is_told_with_a_fix(
    home: Home, harm: Callable[[Path], None], told: str, fix: str
) -> None:
    harm(with_database(home))

    found = database(home)

    assert found.state == "missing" and told in found.detail and fix in found.fix


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://ada:secret@127.0.0.1:1/andon", "PostgreSQL, 127.0.0.1:1/andon: "),
        ("mysql://ada:secret@127.0.0.1/andon", "Unsupported database URL"),
    ],
)
def test_E_22_a_server_that_does_not_answer_is_told_without_its_password(tmp_path: Path, url: str, told: str) -> None:
    found = database(Home.of({"ANDON_HOME": str(tmp_path), "ANDON_DATABASE_URL": url}))

    assert found.state == "missing" and told in found.detail and "ANDON_DATABASE_URL" in found.fix
    assert "secret" not in found.detail + found.fix


def test_E_22_a_port_is_free_or_it_is_told_who_has_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        taken = port(number)
    free = port(number)

    assert taken.state == "degraded" and f"(pid {os.getpid()})" in taken.detail and taken.fix
    assert free == Finding(f"port {number}", "ok", "free, for the web page")


@pytest.mark.parametrize("broken", ["nothing installed", "no home", "a bad database", "all well"])
def test_E_22_nothing_is_wrong_without_a_fix(tmp_path: Path, broken: str) -> None:
    environment = {
        "nothing installed": {"PATH": "/nonexistent", "ANDON_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)},
        "no home": {"PATH": os.environ["PATH"], "ANDON_HOME": "/proc/nothing", "HOME": "/nonexistent"},
        "a bad database": {"ANDON_HOME": str(tmp_path / "home"), "ANDON_DATABASE_URL": "postgresql://127.0.0.1:1/x"},
        "all well": {"PATH": os.environ["PATH"], "ANDON_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)},
    }[broken]

    found = examine(environment, tmp_path)

    assert [row.name for row in found if row.state != "ok" and not row.fix] == []
    assert {"port 3747", "repository here", "agent claude", "agent codex"} <= {row.name for row in found}
