"""Runs in the background: their process leaves while a person is asked, and whoever answers starts the next one."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import yaml

from andon.app.controlling import stop_soon
from andon.app.deciding import decide_review
from andon.app.demo import make_sample
from andon.app.hosting import take_up
from andon.app.queries import open_store
from andon.app.resuming import Otherwise, ready_to_go_on
from andon.app.starting import StartOptions
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.tasks import Verdict, Wish, decide, start_task, task_of
from andon.domain.errors import Conflict
from andon.domain.run import RunRow, Status
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.states import TaskState
from patience import DEADLINE, until

STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-modify.yaml"


@pytest.fixture
def hosted(tmp_path: Path) -> tuple[Store, RunRow]:
    environment: Mapping[str, str] = {**os.environ, "ANDON_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": yaml.safe_load(STORY.read_text())["rules"]}))
    settings = {"runtime": "scripted", "scenario": str(scenario)}
    options = StartOptions(("task",), make_sample(tmp_path), settings=settings, background=True)
    wish = Wish("Count words", TaskType.MODIFY_APP)
    return open_store(environment), start_task(options, wish, environment, lambda entry: None).run


def pending(store: Store, run: RunRow, phase: int) -> bool:
    review = task_of(store, store.runs.get(run.id)).pending
    return review is not None and review.phase == phase


def test_D_119_a_hosted_task_waits_without_a_process_and_goes_on_when_it_is_decided(
    hosted: tuple[Store, RunRow],
) -> None:
    store, run = hosted

    until("review", lambda: pending(store, run, 1))
    until("park", lambda: store.parked(store.runs.get(run.id)))

    assert store.status(store.runs.get(run.id)) is Status.WAITING
    decide(store, task_of(store, store.runs.get(run.id)), Verdict(True, "ann"))
    until("second review", lambda: pending(store, run, 2))
    until("park", lambda: store.parked(store.runs.get(run.id)))
    assert stop(store, store.runs.get(run.id), lambda entry: None) is Status.STOPPED


def test_D_119_a_decision_or_a_stop_is_not_lost_on_a_process_that_is_just_leaving(hosted: tuple[Store, RunRow]) -> None:
    store, run = hosted
    until("park", lambda: store.parked(store.runs.get(run.id)))

    with still_there(store, run):
        decide(store, task_of(store, store.runs.get(run.id)), Verdict(True, "ann"))
    until("second review", lambda: pending(store, run, 2))
    until("park", lambda: store.parked(store.runs.get(run.id)))
    with still_there(store, run):
        stop_soon(store, store.runs.get(run.id))

    until("stop", lambda: store.status(store.runs.get(run.id)) is Status.STOPPED)


@contextmanager
def still_there(store: Store, run: RunRow) -> Generator[None]:
    """The process that has just left its mark, and holds the run for a moment longer."""
    lock = store.lock(run.id)
    assert lock.acquire(patience=DEADLINE)
    yield
    lock.release()


def test_D_119_a_review_of_an_earlier_leg_waits_for_nobody_until_it_is_presented_again(
    hosted: tuple[Store, RunRow],
) -> None:
    store, run = hosted
    until("park", lambda: store.parked(store.runs.get(run.id)))
    [before] = store.reviews.pending()
    stop(store, store.runs.get(run.id), lambda entry: None)

    resumed = ready_to_go_on(store, store.runs.get(run.id), Otherwise(direction="Keep it short", by="ann"))

    task = task_of(store, resumed)
    assert (task.pending, task.state) == (None, TaskState.IN_PROGRESS)
    assert store.reminders.waiting() == []
    with pytest.raises(Conflict):
        decide_review(store, before, Verdict(True, "bob"))


def test_D_119_what_ran_in_the_background_when_everything_was_killed_is_taken_up_again(
    hosted: tuple[Store, RunRow],
) -> None:
    store, run = hosted
    until("work", lambda: any(entry.kind == "spawn" for entry in store.journal.entries(run.id)))

    os.kill(executing(run), signal.SIGKILL)
    until("end", lambda: store.status(store.runs.get(run.id)) is Status.INTERRUPTED)

    assert [each.id for each in take_up(store)] == [run.id]
    until("review", lambda: pending(store, run, 1))
    assert take_up(store) == []
    stop(store, store.runs.get(run.id), lambda entry: None)


def executing(run: RunRow) -> int:
    """The process in the background, by its command line."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                if (folder / "cmdline").read_bytes().rstrip(b"\0").endswith(f"hosting\0{run.id}".encode()):
                    return int(folder.name)
    raise AssertionError("nobody executes it")
