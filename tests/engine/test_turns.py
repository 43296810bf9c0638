"""Writers of one process take turns: none sleeps while another could write, and none keeps its turn for ever."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from andon.engine import turns
from andon.engine.database import open_database, reading

SECONDS = 10.0


@pytest.fixture
def engine(tmp_path: Path) -> sa.Engine:
    engine = open_database(f"sqlite:///{tmp_path / 'andon.db'}")
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE said (word TEXT)"))
    return engine


def say(engine: sa.Engine, word: str) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO said VALUES (:word)"), {"word": word})


def words(engine: sa.Engine) -> list[str]:
    with reading(engine) as connection:
        return [row[0] for row in connection.execute(sa.text("SELECT word FROM said"))]


def in_thread(engine: sa.Engine, word: str) -> threading.Thread:
    thread = threading.Thread(target=say, args=(engine, word), daemon=True)
    thread.start()
    return thread


def test_E_12_a_writer_waits_for_the_one_before_and_writes_when_that_has_ended(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO said VALUES ('first')"))
        second = in_thread(engine, "second")
        second.join(0.2)
        assert second.is_alive() and words(engine) == []  # readers wait for nobody
    second.join(SECONDS)

    assert words(engine) == ["first", "second"]


def test_E_12_who_fails_inside_its_transaction_leaves_its_turn(engine: sa.Engine) -> None:
    with pytest.raises(sa.exc.OperationalError), engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO nowhere VALUES (1)"))

    next_one = in_thread(engine, "next")
    next_one.join(SECONDS)

    assert words(engine) == ["next"]


def test_E_12_a_connection_that_is_thrown_away_leaves_its_turn(engine: sa.Engine) -> None:
    connection = engine.connect()
    connection.begin()
    connection.invalidate()
    connection.close()

    next_one = in_thread(engine, "next")
    next_one.join(SECONDS)

    assert words(engine) == ["next"]


def test_E_12_whoever_gets_no_turn_in_time_tries_without_one(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given somebody who holds a turn without writing, as a connection would that was lost sight of
    monkeypatch.setattr(turns, "PATIENCE_SECONDS", 0.1)
    with engine.connect() as connection:
        connection.begin()
        connection.connection.dbapi_connection.execute("ROLLBACK")  # SQLite is free; the turn is not given back

        # Then
        late = in_thread(engine, "late")
        late.join(SECONDS)
        assert words(engine) == ["late"]


def test_E_12_many_writers_at_once_all_write(engine: sa.Engine) -> None:
    threads = [in_thread(engine, f"word {number}") for number in range(40)]
    for thread in threads:
        thread.join(3 * SECONDS)

    assert sorted(words(engine)) == sorted(f"word {number}" for number in range(40))
