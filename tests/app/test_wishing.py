"""The queue of tasks: each is started once, and one whose start was interrupted is a draft again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from andon.app.demo import make_sample
from andon.app.folders import Folders
from andon.app.queries import open_store
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.wishing import new_wish, queue, start_waiting, submit
from andon.engine.wishes import WishState

Place = tuple[Store, Mapping[str, str], Path]


@pytest.fixture
def place(tmp_path: Path, sample_scenario: Path) -> Place:
    environment = {**os.environ, "ANDON_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    environment |= {"ANDON_RUNTIME": "scripted", "ANDON_SCENARIO": str(sample_scenario)}
    return open_store(environment), environment, make_sample(tmp_path)


def test_D_99_a_task_in_the_queue_is_started_once_however_many_look(place: Place) -> None:
    store, environment, repository = place
    wish = replace(new_wish("Count words", str(repository), "ann", door="auto"), created_at=0.0)
    submit(store, wish)

    folders = Folders(store, environment, repository)
    with ThreadPoolExecutor(4) as looking:
        looks = [looking.submit(start_waiting, store, environment, folders) for _ in range(4)]
        started = [run for each in looks for run in each.result()]

    assert len(started) == len(store.runs.newest(10)) == 1
    assert (store.wishes.get(wish.id).state, store.wishes.get(wish.id).run) == (WishState.STARTED, started[0].id)
    stop(store, store.runs.get(started[0].id), lambda entry: None)


def test_D_99_one_whose_start_was_interrupted_is_a_draft_that_says_so(place: Place) -> None:
    store, environment, repository = place
    wish = submit(store, new_wish("Count words", str(repository), "ann", draft=True))
    queue(store, wish.id)
    store.wishes.move(wish.id, WishState.PENDING, WishState.STARTING)  # and then its process was killed

    assert start_waiting(store, environment, Folders(store, environment, repository)) == []

    found = store.wishes.get(wish.id)
    assert (found.state, found.problem) == (WishState.DRAFT, "Its start was interrupted.")
