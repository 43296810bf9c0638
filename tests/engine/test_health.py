"""E-22: a PostgreSQL server as `andon doctor` looks at it. SQLite's part is in tests/app/test_doctor.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from andon.engine.database import ensure_schema, open_database
from andon.engine.health import examine_database


@pytest.mark.postgres
def test_E_22_a_postgresql_server_is_looked_at_and_left_as_it_is(tmp_path: Path, postgres_url: str) -> None:
    before = examine_database(postgres_url)
    engine = open_database(postgres_url)
    ensure_schema(engine, tmp_path / "lock")
    engine.dispose()
    after = examine_database(postgres_url)

    assert (before.problem, after.problem) == ("", "")
    assert "made by the next run" in before.detail and "tables current" in after.detail
    assert after.place.startswith("PostgreSQL, ")


@pytest.mark.postgres
def test_E_22_a_server_that_only_reads_is_a_problem(postgres_url: str) -> None:
    apart = "&" if "?" in postgres_url else "?"

    found = examine_database(f"{postgres_url}{apart}options=-cdefault_transaction_read_only%3Don")

    assert found.problem == "it can only be read" and found.fix
