"""A task in the background that waits without a process: time approves it, and it goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import yaml

from andon.app.demo import make_sample
from andon.app.notify_settings import Book
from andon.app.queries import open_store
from andon.app.reminding import Reminding, switch_auto_approval
from andon.app.starting import StartOptions
from andon.app.stopping import stop
from andon.app.tasks import Wish, host_task, task_of
from andon.domain.run import Status
from andon.domain.tasks.phases import TaskType
from patience import until

STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-modify.yaml"


def test_D_108_a_task_whose_process_has_left_goes_on_when_time_approves_it(tmp_path: Path) -> None:
    # given: a task in the background that waits for the review of its first phase
    environment: Mapping[str, str] = {**os.environ, "ANDON_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": yaml.safe_load(STORY.read_text())["rules"]}))
    options = StartOptions(
        ("task",), make_sample(tmp_path), settings={"runtime": "scripted", "scenario": str(scenario)}
    )
    run = host_task(options, Wish("Count words", TaskType.MODIFY_APP), environment)
    store = open_store(environment)
    until("park", lambda: store.parked(store.runs.get(run.id)))
    [review] = store.reviews.pending()

    # when
    switch_auto_approval(store, True, "kim")
    fired = Reminding(store, Book(), environment).fire_due(review.opened_at + timedelta(hours=168))

    # then
    assert [each.outcome for each in fired] == ["sent", "sent", "sent", "approved"]
    until("second review", lambda: (found := task_of(store, store.runs.get(run.id)).pending) and found.phase == 2)
    until("park", lambda: store.parked(store.runs.get(run.id)))
    assert stop(store, store.runs.get(run.id), lambda entry: None) is Status.STOPPED
