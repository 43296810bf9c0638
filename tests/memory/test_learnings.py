"""What runs learned about a repository: kept once, with its origin, under many writers."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from andon.domain.errors import UserError
from andon.domain.learning import BY_HAND, Lesson, Origin
from andon.memory.learnings import Learnings

PASSED = Origin("r1", "auto", "Parse leap days", "passed")
WRITER = """
import sys
from pathlib import Path
from andon.domain.learning import Lesson, Origin
from andon.memory.learnings import Learnings
file, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    lesson, origin = Lesson(f"{name} found {number}"), Origin(name, "uam", "t", "passed")
    Learnings(file).remember(f"{name}/1.{number}", [lesson], origin)
"""


@pytest.fixture
def learnings(tmp_path: Path) -> Learnings:
    return Learnings(tmp_path / "of" / "learnings.db", clock=lambda: 86_400.0)


def test_E_14_a_lesson_is_kept_once_under_its_key_with_its_origin(learnings: Learnings) -> None:
    lessons = [Lesson("Leap days are refused", ("failure",), "planner"), Lesson("  ")]

    counts = [learnings.remember("r1/1.9", lessons, PASSED) for _ in range(2)]

    assert counts == [1, 0]
    [kept] = learnings.all()
    assert (kept.text, kept.tags, kept.by) == ("Leap days are refused", ("failure",), "planner")
    assert kept.origin == "run r1, 1970-01-02, passed" and kept.task == "Parse leap days"


def test_E_14_a_later_leg_of_the_run_tells_how_it_ended_for_all_it_learned(learnings: Learnings) -> None:
    stopped = Origin("r1", "auto", "t", "did not pass: limit")
    learnings.remember("r1/1.9", [Lesson("one")], stopped)
    learnings.remember("r2/1.9", [Lesson("other")], Origin("r2", "auto", "t", "did not pass: x"))

    learnings.remember("r1/2.4", [Lesson("one"), Lesson("two")], PASSED)

    told = {each.text: each.verdict for each in learnings.all()}
    assert told == {"one": "passed", "two": "passed", "other": "did not pass: x"}


def test_E_14_what_is_forgotten_is_hidden_from_runs_and_comes_back(learnings: Learnings) -> None:
    added = learnings.add(Lesson("Use the staging database", ("ops",)))
    assert added.verdict == BY_HAND and learnings.recall("staging database") == (added,)

    learnings.forget(added.id)
    assert not learnings.all() and not learnings.recall("staging database")
    assert learnings.all(forgotten=True) == [added]

    learnings.forget(added.id, undo=True)
    assert learnings.all() == [added]
    with pytest.raises(UserError, match="no learning 99"):
        learnings.forget(99)
    with pytest.raises(UserError, match="nothing to remember"):
        learnings.add(Lesson(" \n"))


def test_E_28_texts_come_in_clean(tmp_path: Path) -> None:
    kept = Learnings(tmp_path / "l.db", clean=lambda text: text.replace("hunter22", "[redacted]"))

    kept.remember("r1/1.1", [Lesson("password hunter22", ("hunter22",))], Origin("r1", "auto", "log in with hunter22"))

    assert b"hunter22" not in (tmp_path / "l.db").read_bytes()
    assert kept.all()[0].text == "password [redacted]"


def test_E_14_many_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "learnings.db"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), f"r{n}", "30"]) for n in range(5)]

    assert [writer.wait(100) for writer in writers] == [0] * 5

    assert {each.text for each in Learnings(file).all()} == {f"r{n} found {k}" for n in range(5) for k in range(30)}


def test_looking_makes_no_file_and_a_broken_or_newer_one_is_said_in_a_line(tmp_path: Path) -> None:
    missing, broken, newer, empty = (tmp_path / name for name in ("none.db", "broken.db", "newer.db", "empty.db"))
    broken.write_bytes(b"not a database" * 100)
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    empty.touch()

    assert not Learnings(missing).all() and not Learnings(empty).all() and not missing.exists()
    for file, said in ((broken, "cannot be used"), (newer, "newer andon")):
        with pytest.raises(UserError, match=said) as caught:
            Learnings(file).recall("anything at all")
        assert caught.value.hint
