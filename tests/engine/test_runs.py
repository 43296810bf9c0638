"""The run table and the lock of the process that executes a run."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.domain.errors import UserError
from andon.domain.run import Status
from andon.engine.runs import ExecutorLock, new_run_id

HOLDER = """
import sys, time
from pathlib import Path
from andon.engine.runs import ExecutorLock
lock = ExecutorLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
if sys.argv[2:] == ["child"]:
    import subprocess
    print(subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.DEVNULL).pid, flush=True)
time.sleep(60)
"""


# --- the table ------------------------------------------------------------------------------------------------


def test_a_run_comes_back_as_it_was_created(store: Any) -> None:
    spec = {"version": 1, "payload": {"task": "가"}, "budget": {"money": 0.5, "tokens": None}}

    run = store.runs.create(
        "abcd2345",
        {"pipeline": "auto", "task": "가\n\t'\"", "feature": "f", "repository": "/r", "branch": "b", "spec": spec},
    )

    assert run == store.runs.get("abcd2345")
    assert (run.task, run.spec, run.status, run.leg) == ("가\n\t'\"", spec, Status.RUNNING, 1)
    assert (run.phase, run.mode, run.reason, run.ended_at, run.forked_from) == ("", "", "", None, None)
    assert run.workflow == "abcd2345.1"
    assert abs(run.created_at - time.time()) < 60


def test_an_update_changes_what_it_names_and_the_time(store: Any) -> None:
    store.run()
    before = store.runs.get("r1")

    store.runs.update("r1", status="done", reason="goal_met", ended_at=5.5)

    after = store.runs.get("r1")
    assert (after.status, after.reason, after.ended_at, after.task) == (Status.DONE, "goal_met", 5.5, before.task)
    assert after.updated_at >= before.updated_at and after.created_at == before.created_at


def test_the_same_id_cannot_be_given_twice(store: Any) -> None:
    store.run("r1")

    with pytest.raises(Exception, match=r"(?i)unique"):
        store.run("r1")


def test_a_run_that_does_not_exist_is_a_persons_mistake(store: Any) -> None:
    for ask in (store.runs.get, store.runs.find):
        with pytest.raises(UserError, match="No run nothing"):
            ask("nothing")


def test_ids_can_be_read_aloud_and_do_not_repeat() -> None:
    ids = {new_run_id() for _ in range(2000)}

    assert len(ids) == 2000
    assert all(len(id) == 8 and not set(id) & set("ilo01") and id == id.lower() for id in ids)


@pytest.mark.parametrize(("prefix", "found"), [("ab", "abcd2345"), ("abcd2345", "abcd2345"), ("x", "xyzw2345")])
def test_a_run_is_found_by_the_beginning_of_its_id(store: Any, prefix: str, found: str) -> None:
    store.run("abcd2345")
    store.run("xyzw2345")

    assert store.runs.find(prefix).id == found


@pytest.mark.parametrize("prefix", ["ABCD", "Ab"])
def test_an_id_may_be_typed_in_capitals(store: Any, prefix: str) -> None:
    store.run("abcd2345")

    assert store.runs.find(prefix).id == "abcd2345"


@pytest.mark.parametrize("prefix", ["%", "_", "a%", "abcd2345x", "\\", "a\x00", "\udcff"])
def test_a_prefix_is_taken_literally(store: Any, prefix: str) -> None:
    store.run("abcd2345")

    with pytest.raises(UserError, match="No run"):
        store.runs.find(prefix)


def test_an_ambiguous_beginning_is_told_with_what_it_could_mean(store: Any) -> None:
    store.run("abcd2345")
    store.run("abxy2345")
    store.run("zzzz2345")

    with pytest.raises(UserError, match="ambiguous") as told:
        store.runs.find("ab")

    assert "abcd2345" in told.value.message and "abxy2345" in told.value.message
    assert "zzzz2345" not in told.value.message


def test_a_whole_id_is_never_ambiguous(store: Any) -> None:
    for number, id in enumerate(("ab", "abc", "abcd", "abcde")):
        store.run(id, created_at=100.0 + number)

    assert store.runs.find("ab").id == "ab"


def test_without_an_id_the_newest_run_of_the_repository_is_meant(store: Any) -> None:
    store.run("a2", repository="/one", created_at=200.0)
    store.run("a1", repository="/one", created_at=100.0)
    store.run("b1", repository="/two", created_at=300.0)

    assert store.runs.find("", "/one").id == "a2"
    assert store.runs.find("").id == "b1"
    assert store.runs.find("a1", "/two").id == "a1"  # an id counts wherever one stands
    assert [run.id for run in store.runs.newest()] == ["b1", "a2", "a1"]
    assert [run.id for run in store.runs.newest(1, "/one")] == ["a2"]


def test_where_no_run_was_the_message_says_how_to_start_one(store: Any) -> None:
    with pytest.raises(UserError, match="No runs yet") as told:
        store.runs.find("", "/somewhere")

    assert "andon auto" in told.value.hint


def test_unfinished_runs_are_those_that_have_not_ended(store: Any) -> None:
    for status in Status:
        store.run(f"{status}", repository="/one", status=str(status))
    store.run("elsewhere", repository="/two")

    assert {run.id for run in store.runs.unfinished("/one")} == {"running", "waiting", "interrupted"}


@pytest.mark.parametrize("task", ["a\x00b", "a\udcffb"], ids=["NUL", "undecodable byte"])
def test_a_task_need_not_be_text(store: Any, task: str) -> None:
    store.run("r1", task=task, spec={"task": task})

    assert store.runs.get("r1").task == "a�b"
    assert store.runs.get("r1").spec == {"task": task}


# --- the lock -------------------------------------------------------------------------------------------------


def test_a_lock_is_held_by_one_process_at_a_time(tmp_path: Path, programs: Callable[..., Any]) -> None:
    holder = programs(HOLDER, tmp_path / "run")
    assert holder.stdout.readline() == "True\n"
    lock = ExecutorLock(tmp_path / "run")

    assert not lock.acquire()
    assert lock.held_by_someone
    second = programs(HOLDER, tmp_path / "run")
    assert second.stdout.readline() == "False\n"


@pytest.mark.parametrize("child", [(), ("child",)], ids=["alone", "with a child that lives on"])
def test_a_killed_process_frees_the_lock(
    tmp_path: Path, programs: Callable[..., Any], eventually: Callable[..., None], child: tuple[str, ...]
) -> None:
    # given
    holder = programs(HOLDER, tmp_path / "run", *child)
    assert holder.stdout.readline() == "True\n"
    left = int(holder.stdout.readline()) if child else None
    lock = ExecutorLock(tmp_path / "run")

    # when
    holder.kill()
    holder.wait(timeout=20)

    # then
    assert not lock.held_by_someone
    assert lock.acquire()
    lock.release()
    if left:
        os.kill(left, signal.SIGKILL)


def test_a_lock_can_be_released_and_taken_again(tmp_path: Path) -> None:
    one, two = ExecutorLock(tmp_path / "run"), ExecutorLock(tmp_path / "run")

    assert one.acquire()
    assert not two.acquire()
    one.release()
    one.release()
    assert two.acquire()
    assert two.held_by_someone


def test_patience_waits_for_a_lock_that_is_soon_free(tmp_path: Path) -> None:
    one, two = ExecutorLock(tmp_path / "run"), ExecutorLock(tmp_path / "run")
    assert one.acquire()
    threading.Timer(0.2, one.release).start()

    assert two.acquire(patience=20)


def test_impatience_gives_up_in_time(tmp_path: Path) -> None:
    one = ExecutorLock(tmp_path / "run")
    assert one.acquire()
    started = time.monotonic()

    assert not ExecutorLock(tmp_path / "run").acquire(patience=0.2)

    assert 0.2 <= time.monotonic() - started < 5


def test_a_run_nobody_ever_executed_is_held_by_nobody_and_looking_leaves_no_trace(tmp_path: Path) -> None:
    assert not ExecutorLock(tmp_path / "run").held_by_someone
    assert not (tmp_path / "run").exists()


def test_two_who_only_look_do_not_see_each_other(tmp_path: Path) -> None:
    """Else a screen that refreshes would make `andon resume` say that the run is being executed."""
    lock = ExecutorLock(tmp_path / "run")
    assert lock.acquire()
    lock.release()
    seen: list[bool] = []
    together = threading.Barrier(4)

    def look() -> None:
        together.wait(timeout=30)
        seen.extend(ExecutorLock(tmp_path / "run").held_by_someone for _ in range(2000))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert len(seen) == 8000 and not any(seen)
