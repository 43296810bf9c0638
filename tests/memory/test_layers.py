"""Memory of a team: files under many writers, and a database with time limits and votes."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from andon.domain.errors import UserError
from andon.domain.teams.bulletin import finding_entry, progress
from andon.domain.teams.deciding import Decision, Stand
from andon.domain.teams.shared import Shared, Sort, decision_row
from andon.memory.markdown import TeamFiles, artifacts_folder
from andon.memory.sqlite import Database, State

WRITER = """
import sys
from pathlib import Path
from andon.domain.teams.bulletin import finding
from andon.workspace.files import append_contained
name, count = sys.argv[2], int(sys.argv[3])
for number in range(count):
    entry = finding("now", name, f"task {number}", f"{name} found {number} " * 20, [f"{number}.md"])
    append_contained(Path(sys.argv[1]), "team_bulletin.md", entry.text())
"""


def test_B_42_the_files_lie_where_the_team_keeps_its_things(tmp_path: Path) -> None:
    assert artifacts_folder(tmp_path) == tmp_path / ".team-artifacts"

    (tmp_path / ".team-os").mkdir()

    assert artifacts_folder(tmp_path) == tmp_path / ".team-os" / "artifacts"


def test_B_44_many_write_at_once_and_every_entry_is_whole(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"agent-{n}", "50"]) for n in range(6)]

    assert [writer.wait(100) for writer in writers] == [0] * 6

    found = TeamFiles(tmp_path).bulletin()
    assert len(found) == 300
    for note in found:
        number = note.get("Task").removeprefix("task ")
        assert note.get("Findings") == (f"{note.by} found {number} " * 20).strip()
        assert note.get("Links") == f"{number}.md"
    for n in range(6):  # each in the order in which it wrote
        own = [int(note.get("Task").removeprefix("task ")) for note in found if note.by == f"agent-{n}"]
        assert own == list(range(50))


FINDER = """
import sys
from pathlib import Path
from andon.domain.teams.bulletin import finding_entry
from andon.workspace.files import append_contained
for number in range(int(sys.argv[3])):
    append_contained(Path(sys.argv[1]), "team_findings.md", finding_entry(sys.argv[2], f"found {number} " * 50))
"""


def test_E_14_B_41_many_summarise_at_once_and_no_finding_is_lost(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", FINDER, str(tmp_path), f"agent-{n}", "40"]) for n in range(5)]

    assert [writer.wait(100) for writer in writers] == [0] * 5

    text = (tmp_path / "team_findings.md").read_text()
    for n in range(5):
        own = re.findall(rf"^## agent-{n}\nfound (\d+) ", text, re.MULTILINE)
        assert [int(number) for number in own] == list(range(40))


def test_B_43_findings_and_progress_are_text_for_people() -> None:
    text = finding_entry("reader", "# Loud\nfound it") + finding_entry("writer", "wrote it")

    assert re.findall(r"^## (.*)", text, re.MULTILINE) == ["reader", "writer"]
    assert progress([("one", True), ("two", False)]) == "# Progress\n\n- [x] one\n- [ ] two\n"


# --- database -------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "team" / "memory.db"


@pytest.fixture
def database(file: Path) -> Database:
    return Database(file)


def test_B_45_the_tables_are_those_of_the_specification_and_the_journal_is_wal(file: Path) -> None:
    Database(file).make()
    Database(file).make()

    with sqlite3.connect(file) as connection:
        columns = {
            table: [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({table})")]
            for table in ("shared_state", "decisions", "discoveries")
        }
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        key = [row[1] for row in connection.execute("PRAGMA table_info(shared_state)") if row[5]]
    assert columns["shared_state"] == [
        *(("key", "TEXT"), ("value", "TEXT"), ("agent_id", "TEXT"), ("timestamp", "INTEGER"), ("ttl", "INTEGER")),
    ]
    assert [name for name, _ in columns["decisions"]] == ["id", "decision", "status", "proposer", "votes", "timestamp"]
    assert [name for name, _ in columns["discoveries"]] == ["id", "agent_id", "content", "tags", "timestamp"]
    assert key == ["key"]


def test_B_46_what_members_leave_is_all_there_and_is_not_left_twice(database: Database) -> None:
    left = [
        Shared(Sort.DISCOVERY, "a", "The cache is cold", ("cache", "성능")),
        Shared(Sort.DISCOVERY, "b", "The cache is warm"),
        decision_row(Decision("Use SQLite", "lead", 1000)),
        Shared(Sort.STATE, "a", "open", key="unit/read"),
        Shared(Sort.STATE, "a", "done", key="unit/read"),
    ]
    database.share(left, 1000.7)
    database.share(left, 1000.7)

    assert [(each.agent_id, each.content, each.tags) for each in database.discoveries()] == [
        ("b", "The cache is warm", ()),
        ("a", "The cache is cold", ("cache", "성능")),
    ]
    assert [each.agent_id for each in database.discoveries(most=1)] == ["b"]
    assert database.decisions() == [Decision("Use SQLite", "lead", 1000, id=1)]
    assert database.states() == [State("unit/read", "done", "a", 1000)]


def test_B_46_nothing_is_left_of_what_could_not_be_left_whole(database: Database) -> None:
    unfit = Shared(Sort.STATE, "b", "\ud800", key="x")

    with pytest.raises(UnicodeEncodeError):
        database.share([Shared(Sort.DISCOVERY, "a", "one"), unfit], 0)

    assert database.discoveries() == []


def test_B_46_votes_are_kept_all_of_them_and_there_are_three_states(database: Database, file: Path) -> None:
    first = Decision("Use SQLite", "a", 7, {"a": "yes"})
    database.share([decision_row(first)], 7)
    database.share([decision_row(replace(first, votes={"a": "yes", "b": "yes"}, stand=Stand.APPROVED))], 9)

    [found] = database.decisions()

    assert (found.stand, found.votes) == (Stand.APPROVED, {"a": "yes", "b": "yes"})
    with sqlite3.connect(file) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO decisions (decision, status) VALUES ('x', 'maybe')")


def test_B_46_what_a_person_settles_no_later_vote_changes_until_they_take_it_back(database: Database) -> None:
    first = Decision("Use SQLite", "a", 7, {"a": "yes"})
    database.share([decision_row(first)], 7)
    settled = database.decide(1, Stand.REJECTED, "kim")
    database.share([decision_row(replace(first, votes={"a": "yes", "b": "yes"}, stand=Stand.APPROVED))], 9)

    assert database.decisions() == [settled] and settled.votes == {"a": "yes", "kim": "no"}
    assert database.decide(1, Stand.PROPOSED, "kim") == replace(first, id=1)
    with pytest.raises(UserError, match="no decision 2"):
        database.decide(2, Stand.APPROVED, "kim")


def test_B_46_of_many_decisions_the_newest_are_told_the_oldest_first(database: Database) -> None:
    database.share([decision_row(Decision(str(n), "a", n)) for n in range(5)], 0)

    assert [each.text for each in database.decisions(most=2)] == ["3", "4"]


def test_B_47_G_11_what_has_run_out_is_not_returned_and_is_removed(file: Path) -> None:
    now = [1000.0]
    database = Database(file, clock=lambda: now[0])
    database.make()
    database.share(
        [Shared(Sort.STATE, "a", "x", key="short", ttl=10), Shared(Sort.STATE, "a", "x", key="for good")], 1000
    )
    with sqlite3.connect(file) as connection:  # as others write it
        connection.execute("INSERT INTO shared_state VALUES ('long', 'x', 'a', 1000, 0)")
    assert [each.key for each in database.states()] == ["for good", "long", "short"]

    now[0] += 11

    assert [each.key for each in database.states()] == ["for good", "long"]
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM shared_state").fetchone() == (2,)


def test_B_47_what_has_run_out_is_not_returned_while_somebody_else_writes(
    database: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.share([Shared(Sort.STATE, "a", "x", key="short", ttl=1)], 1000)
    monkeypatch.setattr("andon.memory.sqlite.BUSY_SECONDS", 0.05)
    with sqlite3.connect(file, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")

        assert database.states() == []
        assert other.execute("SELECT count(*) FROM shared_state").fetchone() == (1,)


def test_B_45_who_was_killed_while_making_it_leaves_nothing_that_is_in_the_way(file: Path) -> None:
    file.parent.mkdir()
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    Database(file).share([Shared(Sort.DISCOVERY, "a", "one")], 0)
    file.unlink()
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE shared_state (key TEXT PRIMARY KEY, value, agent_id, timestamp, ttl)")

    assert Database(file).decisions() == [] and Database(file).states() == []


MAKER = """
import sys
from pathlib import Path
from andon.domain.teams.shared import Shared, Sort
from andon.memory.sqlite import Database
Database(Path(sys.argv[1])).share([Shared(Sort.DISCOVERY, sys.argv[2], "found")], 0)
"""


def test_B_45_many_make_it_at_once_and_nothing_is_lost(file: Path) -> None:
    makers = [subprocess.Popen([sys.executable, "-c", MAKER, str(file), f"agent-{n}"]) for n in range(6)]

    assert [maker.wait(100) for maker in makers] == [0] * 6
    assert sorted(each.agent_id for each in Database(file).discoveries()) == [f"agent-{n}" for n in range(6)]


def test_B_45_a_link_is_not_followed_wherever_it_lies(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "memory.db"
    Database(other, clock=lambda: 0.0).share([Shared(Sort.STATE, "a", "x", key="k", ttl=1)], 0)
    file.parent.mkdir()
    file.symlink_to(other)
    (tmp_path / "linked").symlink_to(other.parent)

    for linked in (file, tmp_path / "linked" / "memory.db"):
        with pytest.raises(UserError, match="link"):
            Database(linked).states()
    with sqlite3.connect(other) as connection:
        assert connection.execute("SELECT count(*) FROM shared_state").fetchone() == (1,)


def test_B_46_rows_of_other_tools_are_read_as_far_as_they_can_be(database: Database, file: Path) -> None:
    database.make()
    with sqlite3.connect(file) as connection:
        connection.execute("INSERT INTO decisions VALUES (1, 'Mine', 'approved', 'x', 'no JSON', 1)")
        connection.execute("INSERT INTO decisions VALUES (2, 'Yours', 'proposed', NULL, x'00', 'then')")
        connection.execute("INSERT INTO discoveries VALUES (1, NULL, 'One', 'no JSON', NULL)")
        connection.execute("INSERT INTO discoveries VALUES (2, 'b', 'Two', '{\"a\": 1}', 'then')")
        connection.execute("INSERT INTO shared_state VALUES ('k', 1, NULL, 'then', NULL)")

    assert [(each.text, each.votes, each.at) for each in database.decisions()] == [("Mine", {}, 1), ("Yours", {}, 0)]
    assert [(each.agent_id, each.content, each.tags, each.timestamp) for each in database.discoveries()] == [
        *(("b", "Two", (), 0), ("", "One", (), 0)),
    ]
    assert database.states() == [State("k", "1", "", 0)]


def test_B_46_two_runs_vote_on_the_same_and_no_vote_is_lost(database: Database) -> None:
    known = Decision("Use SQLite", "a", 7, {"a": "yes"})
    database.share([decision_row(known)], 7)
    [there] = database.decisions()

    database.share([decision_row(replace(there, votes={"a": "yes", "b": "no"}))], 8)
    database.share([decision_row(replace(there, votes={"a": "yes", "c": "yes"}))], 9)

    assert database.decisions()[0].votes == {"a": "yes", "b": "no", "c": "yes"}
