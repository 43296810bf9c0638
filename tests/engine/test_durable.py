"""The durable engine: a step is recorded once, a failed machine records nothing, nobody takes another's work."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.engine.durable import JsonSerializer

LEGS = (Path(__file__).parent / "legs.py").read_text(encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    return folder


def executed(home: Path) -> list[tuple[str, int]]:
    """(run.step, process) of every body that really ran, in order."""
    lines = (home / "executed").read_text().splitlines()
    return [(line.split()[0], int(line.split()[1])) for line in lines]


# --- values ---------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_a_json_value_comes_back_equal(value: Any) -> None:
    serializer = JsonSerializer()

    assert serializer.deserialize(serializer.serialize(value)) == value


@pytest.mark.parametrize("value", [{"__error__": "x"}, {"text": {"__error__": 1, "more": 2}}])
def test_data_that_looks_like_an_error_comes_back_as_data(value: Any) -> None:
    serializer = JsonSerializer()

    assert serializer.deserialize(serializer.serialize(value)) == value


def test_a_recorded_value_can_be_stored_by_every_database() -> None:
    """The name of a file need not be UTF-8, and comes from git as Python has it: with a lone surrogate."""
    JsonSerializer().serialize({"changes": [{"path": "a\udcff.txt"}]}).encode("utf-8")


def test_a_tuple_comes_back_as_a_list_and_what_is_not_json_is_refused() -> None:
    serializer = JsonSerializer()

    assert serializer.deserialize(serializer.serialize((1, (2,)))) == [1, [2]]
    for value in (b"x", {1, 2}, object()):
        with pytest.raises(TypeError, match="is not JSON"):
            serializer.serialize(value)


def test_a_recorded_error_comes_back_as_an_error_that_says_what_it_was() -> None:
    serializer = JsonSerializer()

    revived = serializer.deserialize(serializer.serialize(KeyError("x")))

    assert isinstance(revived, RuntimeError)
    assert str(revived) == "KeyError: 'x'"


# --- steps ----------------------------------------------------------------------------------------------------


def test_every_step_is_done_once_and_its_value_is_what_the_next_process_sees(
    database_url: str, home: Path, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    # given a process that was killed in its third step
    (home / "pause-r1-3").touch()
    first = programs(LEGS, database_url, home, "r1", 4)
    assert first.stdout.readline() == "paused\n"
    first.kill()
    first.wait(timeout=20)
    (home / "pause-r1-3").unlink()

    # when
    second = programs(LEGS, database_url, home, "r1", 4)
    result = json.loads(finish(second))

    # then: the finished steps keep the first process's value, the interrupted one was done again
    by = [(step["number"], step["by"]) for step in result["steps"]]
    assert by == [(1, first.pid), (2, first.pid), (3, second.pid), (4, second.pid)]
    assert [step for step, _ in executed(home)] == ["r1.1", "r1.2", "r1.3", "r1.3", "r1.4"]


def test_a_finished_run_is_not_done_again(
    database_url: str, home: Path, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    first = finish(programs(LEGS, database_url, home, "r1"))
    again = finish(programs(LEGS, database_url, home, "r1"))

    assert first == again
    assert len(executed(home)) == 3


def test_many_kills_in_a_row_lose_and_repeat_nothing(
    sqlite_store: Any, home: Path, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    # given a process killed in each of its steps, one after the other
    for number in range(1, 6):
        pause = home / f"pause-r1-{number}"
        pause.touch()
        process = programs(LEGS, sqlite_store.url, home, "r1", 5)
        assert process.stdout.readline() == "paused\n"
        process.kill()
        process.wait(timeout=20)
        pause.unlink()

    # when
    finish(programs(LEGS, sqlite_store.url, home, "r1", 5))

    # then: every step began once more than it was killed, and none that was recorded ran again
    assert Counter(step for step, _ in executed(home)) == {f"r1.{n}": 2 for n in range(1, 6)}


def test_a_full_disk_is_not_recorded_and_the_run_goes_on_when_there_is_room(
    database_url: str, home: Path, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    # given
    (home / "full-r1-2").touch()
    starved = programs(LEGS, database_url, home, "r1")
    said, _ = starved.communicate(timeout=60)
    assert (starved.returncode, said) == (4, "problem: No space left on device: disk\n")

    # when the same happens again, and then there is room
    again = programs(LEGS, database_url, home, "r1")
    again.communicate(timeout=60)
    (home / "full-r1-2").unlink()
    result = json.loads(finish(programs(LEGS, database_url, home, "r1")))

    # then
    assert again.returncode == 4
    assert [step["number"] for step in result["steps"]] == [1, 2, 3]
    assert result["steps"][0]["by"] == starved.pid
    assert [step for step, _ in executed(home)] == ["r1.1", "r1.2", "r1.2", "r1.2", "r1.3"]


def test_a_process_gives_up_when_another_of_its_threads_lost_the_database(
    sqlite_store: Any, home: Path, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    # given a run that is parked in its second step
    (home / "lose-r1-2").touch()
    lost = programs(LEGS, sqlite_store.url, home, "r1")

    # then it does not wait for ever
    said, _ = lost.communicate(timeout=60)
    assert (lost.returncode, said) == (4, "problem: gone\n")

    # and goes on later
    (home / "lose-r1-2").unlink()
    assert len(json.loads(finish(programs(LEGS, sqlite_store.url, home, "r1")))["steps"]) == 3


@pytest.mark.timeout(240)
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap for a small disk")
@pytest.mark.parametrize("when", ["while it runs", "while no process runs"])
def test_a_database_on_a_full_disk_loses_nothing(home: Path, when: str) -> None:
    """Freed, the run ends as if nothing had been."""
    small = home / "small"
    small.mkdir()
    words = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--size", str(4 * 2**20), "--tmpfs", str(small)]
    fill = [sys.executable, Path(__file__).parent / "small_disk.py", small, when]

    done = subprocess.run([*words, *fill], capture_output=True, text=True, timeout=200)

    assert done.returncode == 0, done.stderr[-3000:]
    starved, again = done.stdout.splitlines()
    assert starved.startswith("4 problem: "), starved
    assert again.startswith("0 "), again
    assert [step["number"] for step in json.loads(again[2:])["steps"]] == list(range(1, 41))


# --- several runs on one database -----------------------------------------------------------------------------


def test_processes_of_two_runs_never_take_up_each_others_work(
    database_url: str, home: Path, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    # given three runs on one database, all killed in their second step
    runs = ("r1", "r2", "r3")
    for run in runs:
        (home / f"pause-{run}-2").touch()
    killed = [programs(LEGS, database_url, home, run, 6) for run in runs]
    for process in killed:
        assert process.stdout.readline() == "paused\n"
    for process in killed:
        process.kill()
        process.wait(timeout=20)
    for run in runs:
        (home / f"pause-{run}-2").unlink()

    # when all are resumed at once
    resumed = [programs(LEGS, database_url, home, run, 6) for run in runs]
    results = [json.loads(finish(process)) for process in resumed]

    # then each run was executed by its own process alone
    for run, dead, alive, result in zip(runs, killed, resumed, results, strict=True):
        ours = [(step, by) for step, by in executed(home) if step.startswith(f"{run}.")]
        assert ours == [(f"{run}.1", dead.pid), (f"{run}.2", dead.pid)] + [
            (f"{run}.{n}", alive.pid) for n in range(2, 7)
        ]
        assert [step["by"] for step in result["steps"]] == [dead.pid] + [alive.pid] * 5


def test_a_run_that_starts_leaves_a_killed_one_alone(
    database_url: str, home: Path, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    (home / "pause-r1-1").touch()
    killed = programs(LEGS, database_url, home, "r1")
    assert killed.stdout.readline() == "paused\n"
    killed.kill()
    killed.wait(timeout=20)
    (home / "pause-r1-1").unlink()

    finish(programs(LEGS, database_url, home, "r2"))

    assert [step for step, _ in executed(home)] == ["r1.1", "r2.1", "r2.2", "r2.3"]
