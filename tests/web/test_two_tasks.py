"""Two tasks on two repositories at the same time, and two people at one review (S-21, S-22, S-23)."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from andon import processes
from andon.app.access import Access, Role
from andon.app.demo import make_sample
from andon.app.queries import open_store, worktree_of
from andon.app.settings_sources import File
from andon.app.starting import StartOptions
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.tasks import Wish, host_task, task_of
from andon.app.trust import trust
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.reviews import Review
from patience import until
from receiver import Receiver
from warm import outside

STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-modify.yaml"
DOCUMENT = "docs/analysis/current_state.md"
VERIFIER = "task-verifier-1"
UNTIL_TOLD = "n=0; until [ -e go ]; do n=$((n+1)); [ $n -lt 1200 ] || exit 1; sleep 0.05; done"
pytestmark = pytest.mark.xdist_group("two-tasks")


@dataclass(frozen=True)
class Pair:
    store: Store
    tasks: Mapping[str, str]
    """The id of each person's task."""
    receivers: Mapping[str, Receiver]
    together: bool
    """Whether both verifiers were at work at the same time."""
    reviews: Mapping[str, Review]
    url: str
    tokens: Mapping[str, str]

    def told(self, person: str, kind: str) -> list[Any]:
        return [dict(each.data) for each in self.store.journal.entries(self.tasks[person]) if each.kind == kind]


def rules(person: str) -> list[dict[str, Any]]:
    """The story of modify_app; what the agent writes names its person, and the verifier of phase 1 waits."""
    told: list[dict[str, Any]] = yaml.safe_load(STORY.read_text())["rules"]
    for rule in told:
        for each in rule.get("do", ()):
            if each.get("write", {}).get("path") == DOCUMENT:
                each["write"]["text"] += f"\nWritten for {person}.\n"
        if rule["match"]["name"] == VERIFIER:
            rule["do"] = [{"run": {"command": UNTIL_TOLD, "or_fail": True}}]
    return told


def begun(person: str, folder: Path, environment: Mapping[str, str], receiver: Receiver) -> str:
    folder.mkdir()
    scenario = folder / "scenario.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": rules(person)}))
    repository = make_sample(folder)
    file = repository / "andon.toml"
    file.write_text(f'[notify]\nurls = ["{receiver.url}"]\nevents = ["review"]\n')
    identity = ("-c", "user.name=K", "-c", "user.email=k@example.org")
    for words in (["add", "andon.toml"], [*identity, "commit", "-qm", "Notices"]):
        subprocess.run(["git", *words], cwd=repository, check=True, capture_output=True, timeout=30)
    trust(open_store(environment).home, File.read(file))
    options = StartOptions(("task",), repository, settings={"runtime": "scripted", "scenario": str(scenario)})
    return host_task(options, Wish(f"Count words for {person}", TaskType.MODIFY_APP), environment).id


def verifying(store: Store, task: str) -> Path | None:
    """The folder of the verifier's order, once it is at work."""
    spawned = [dict(e.data) for e in store.journal.entries(task) if e.kind == "spawn" and e.data["name"] == VERIFIER]
    if not spawned:
        return None
    folder = store.home.run(task) / "orders" / spawned[0]["instance"].rpartition("/")[2]
    return folder if folder.exists() and processes.alive(folder) else None


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, serving: Any) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    environment = outside() | {"ANDON_HOME": str(folder / "home"), "HOME": str(folder)}
    receivers = {person: Receiver() for person in ("ann", "bob")}
    tasks = {person: begun(person, folder / person, environment, each) for person, each in receivers.items()}
    store = open_store(environment)
    access = Access(store.home)
    tokens = {person: access.token(person, Role.REVIEWER) for person in receivers}
    served = serving(store, environment)[1]
    try:
        orders = [
            until(f"{person}'s verifier", lambda task=task: verifying(store, task)) for person, task in tasks.items()
        ]
        together = all(processes.alive(each) for each in orders)
        for task in tasks.values():
            (worktree_of(store.home, store.runs.get(task)) / "go").touch()
        reviews = {
            person: until("review", lambda task=task: task_of(store, store.runs.get(task)).pending)
            for person, task in tasks.items()
        }
        yield Pair(store, tasks, receivers, together, reviews, served.url, tokens)
    finally:
        served.close()
        for task in tasks.values():
            stop(store, store.runs.get(task), lambda entry: None)
        for each in receivers.values():
            each.close()


def test_S_21_D_98_two_tasks_are_verified_side_by_side_and_each_gets_its_review(pair: Pair) -> None:
    assert pair.together
    assert [(review.phase, review.task) for review in pair.reviews.values()] == [(1, id) for id in pair.tasks.values()]
    for person in pair.tasks:
        assert [each["passed"] for each in pair.told(person, "phase_verified")] == [False, True]


def test_S_21_D_99_both_people_are_told_of_their_own_review(pair: Pair) -> None:
    for person, receiver in pair.receivers.items():
        [got] = receiver.until(1)
        assert f"Count words for {person}" in got["title"]
        assert pair.tasks[person] in got["message"]


def test_S_23_D_94_D_97_the_same_path_written_by_two_tasks_is_two_files(pair: Pair) -> None:
    folders = [worktree_of(pair.store.home, pair.store.runs.get(task)) for task in pair.tasks.values()]

    assert len({each.resolve() for each in folders}) == 2
    for person, folder in zip(pair.tasks, folders, strict=True):
        assert pair.reviews[person].deliverables == (DOCUMENT,)
        assert (folder / DOCUMENT).read_text().endswith(f"Written for {person}.\n")
        repository = Path(pair.store.runs.get(pair.tasks[person]).repository)
        assert not (repository / DOCUMENT).exists()  # nothing reaches the person's own files before the end


def test_S_22_D_102_X_55_of_two_who_approve_at_once_one_succeeds_and_the_run_goes_on_once(pair: Pair) -> None:
    # Given both people at ann's review, who have seen the same version
    review, ready = pair.reviews["ann"], threading.Barrier(2)
    seen = {"version": review.version, "tree": review.tree}

    def approve(person: str) -> httpx.Response:
        with httpx.Client(headers={"authorization": f"Bearer {pair.tokens[person]}"}, timeout=30) as client:
            ready.wait(30)
            if person == "bob":  # the same by its other name
                return client.patch(f"{pair.url}/api/reviews/{review.id}/approve", json=seen)
            return client.patch(f"{pair.url}/api/reviews/{review.id}", json={"action": "approve", **seen})

    # When both approve
    with ThreadPoolExecutor(2) as pool:
        given = dict(zip(pair.tasks, pool.map(approve, pair.tasks), strict=True))

    # Then one did, the other is told who was faster, and phase 2 begins once
    assert sorted(each.status_code for each in given.values()) == [200, 409]
    [winner] = [person for person, each in given.items() if each.status_code == 200]
    [loser] = [each.json()["error"] for each in given.values() if each.status_code == 409]
    assert loser["title"] == "Review was already processed by another user"
    assert f"{winner} decided it" in loser["hint"]
    task = pair.tasks["ann"]
    until("second review", lambda: len(task_of(pair.store, pair.store.runs.get(task)).reviews) == 2)
    assert [(each["number"], each["by"]) for each in pair.told("ann", "review_decided")] == [(1, winner)]
    assert len([e for e in pair.store.journal.entries(task) if e.kind == "phase_entered"]) == 2
    assert len([e for e in pair.told("ann", "spawn") if e["name"] == "task-agent"]) == 3  # work, rework, the plan
    assert not pair.told("bob", "review_decided")  # the other task still waits
