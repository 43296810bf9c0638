"""`andon memory decisions` and `decide`: what a team proposed, and a person's last word on it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.domain.teams.deciding import Decision, Stand
from andon.domain.teams.shared import decision_row
from andon.memory.sqlite import Database
from warm import Finished

Memory = Callable[..., Finished]
LONG = "Order the words that occur equally often by the alphabet, and say so in the plan where everybody reads it."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "project" / ".team-artifacts" / "memory.db"
    (tmp_path / "project" / ".git").mkdir(parents=True)
    rows = [
        Decision(LONG, "surveyor", 1, {"surveyor": "yes", "ranker": "no"}),
        Decision("Use SQLite", "ranker", 2, {"ranker": "yes"}, Stand.APPROVED),
    ]
    Database(made).share([decision_row(each) for each in rows], 0)
    return made


@pytest.fixture
def memory(run_andon: Memory, tmp_path: Path) -> Memory:
    def typed(*words: str) -> Finished:
        return run_andon("memory", *words, cwd=tmp_path / "project", env={"USER": "kim"})

    return typed


def test_B_46_proposals_are_listed_with_their_votes_in_eighty_columns(memory: Memory, file: Path) -> None:
    everything, open = memory("decisions").stdout, memory("decisions", "--open").stdout

    assert "      proposed · from surveyor · 1 yes, 1 no: surveyor yes, ranker no\n" in everything
    assert "   2  Use SQLite\n      approved · from ranker · 1 yes, 0 no: ranker yes\n" in everything
    assert "SQLite" not in open
    assert max(map(len, everything.splitlines())) <= 80


def test_B_46_every_vote_is_shown_and_how_to_settle_it(memory: Memory, file: Path) -> None:
    many = {f"a-member-with-a-long-name-{number}": "yes" for number in range(9)}
    Database(file).share([decision_row(Decision("Use less", "lead", 3, many))], 0)

    told = memory("decisions")

    assert all(f"{name} yes" in " ".join(told.stdout.split()) for name in many) and "…" not in told.stdout
    assert "andon memory decide ID approved" in told.stderr
    assert max(map(len, told.stdout.splitlines())) <= 80


def test_B_46_a_person_has_the_last_word_and_can_take_it_back(memory: Memory, file: Path) -> None:
    settled = memory("decide", "1", "rejected")
    shown = json.loads(memory("decisions", "--json").stdout)["decisions"][0]
    again = json.loads(memory("decide", "1", "proposed", "--json").stdout)

    assert settled.stdout.startswith("Rejected: 1  Order the words")
    assert (shown["stand"], shown["votes"]) == ("rejected", {"surveyor": "yes", "ranker": "no", "kim": "no"})
    assert (again["stand"], again["votes"]) == ("proposed", {"surveyor": "yes", "ranker": "no"})


def test_B_46_what_cannot_be_is_said_with_a_hint(memory: Memory, file: Path) -> None:
    unknown, odd = memory("decide", "9", "approved"), memory("decide", "1", "perhaps")
    huge, forgotten = memory("decide", "9" * 20, "approved"), memory("forget", "9" * 20)
    file.write_bytes(b"no database " * 500)
    broken = memory("decisions")
    file.unlink()
    file.symlink_to("/etc/hostname")
    linked = memory("decide", "1", "approved")
    file.unlink()
    none = memory("decisions")

    assert {each.code for each in (unknown, odd, huge, forgotten, broken, linked, none)} == {3}
    assert "no decision 9" in unknown.stderr and "andon memory decisions" in unknown.stderr
    assert "perhaps" in odd.stderr and "cannot be used" in broken.stderr and "link" in linked.stderr
    assert "No team of project has a database yet" in none.stderr


def test_B_46_rows_that_others_wrote_and_are_no_decisions_are_left_out(memory: Memory, file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("INSERT INTO decisions (decision, status, votes) VALUES (NULL, 'proposed', '[]')")
        connection.execute("INSERT INTO decisions (decision, status, votes) VALUES ('Mine', 'proposed', '[1]')")

    told = json.loads(memory("decisions", "--json").stdout)["decisions"]

    assert [each["text"] for each in told][1:] == ["Use SQLite", "Mine"] and told[2]["votes"] == {}


def test_B_46_a_project_may_be_reached_through_a_link(memory: Memory, file: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "project")

    told = memory("decide", "1", "approved", "--repo", str(tmp_path / "link"))

    assert told.stdout.startswith("Approved: 1"), told.stderr
