"""Memory of a team: files under many writers, and a database with time limits and votes."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from andon.domain.teams.bulletin import finding_entry, progress
from andon.domain.teams.shared import Shared, Sort
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
        Shared(Sort.DECISION, "lead", "Use SQLite"),
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
    assert [(each.proposer, each.decision, each.status) for each in database.decisions()] == [
        ("lead", "Use SQLite", "proposed")
    ]
    assert database.states() == [State("unit/read", "done", "a", 1000)]


def test_B_46_nothing_is_left_of_what_could_not_be_left_whole(database: Database) -> None:
    unfit = Shared(Sort.STATE, "b", "\ud800", key="x")

    with pytest.raises(UnicodeEncodeError):
        database.share([Shared(Sort.DISCOVERY, "a", "one"), unfit], 0)

    assert database.discoveries() == []


def test_B_46_a_decision_has_votes_and_one_of_three_states(database: Database, file: Path) -> None:
    database.share([Shared(Sort.DECISION, "lead", "Use SQLite")], 0)
    with sqlite3.connect(file) as connection:  # as whoever decides about it writes it
        votes = '{"agent-a": "yes", "agent-b": "yes"}'
        connection.execute("UPDATE decisions SET status = 'approved', votes = ?", (votes,))

    [found] = database.decisions()

    assert (found.status, found.votes) == ("approved", {"agent-a": "yes", "agent-b": "yes"})
    with sqlite3.connect(file) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO decisions (decision, status) VALUES ('x', 'maybe')")


def test_B_47_G_11_what_has_run_out_is_not_returned(file: Path) -> None:
    now = [1000.0]
    database = Database(file, clock=lambda: now[0])
    database.make()
    with sqlite3.connect(file) as connection:  # andon's own states are for good
        rows = [("short", 10), ("long", 0), ("for good", None)]
        connection.executemany("INSERT INTO shared_state VALUES (?, 'x', 'a', 1000, ?)", rows)
    assert [each.key for each in database.states()] == ["for good", "long", "short"]

    now[0] += 11

    assert [each.key for each in database.states()] == ["for good", "long"]
