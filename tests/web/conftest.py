"""A server on real data: a run that is done, one that asks, a task that waits for its review, a conversation."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
import yaml

from andon.app.access import Access, Role
from andon.app.demo import make_sample
from andon.app.queries import open_questions, open_store
from andon.app.serving import Address
from andon.app.starting import StartOptions
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.tasks import Wish, host_task, task_of
from andon.domain.order import Question
from andon.domain.run import Status
from andon.domain.tasks.phases import TaskType
from andon.web.server import create_app
from andon.web.site import Site
from patience import until

STORIES = Path(__file__).parents[1] / "pipelines" / "stories"


def scenario(folder: Path, rules: Any) -> Path:
    file = folder / "scenario.json"
    file.write_text(json.dumps({"scenario": 1, "rules": rules}))
    return file


def story(name: str) -> Any:
    return yaml.safe_load((STORIES / f"{name}.yaml").read_text())["rules"]


@dataclass(frozen=True)
class House:
    """A data folder with runs in it, and the server over it."""

    folder: Path
    environment: Mapping[str, str]
    store: Store
    site: Site
    url: str
    task: str
    """A task that waits for its first review."""
    run: str
    """A run of which only the rows are there, as if it had been stopped."""
    tokens: Mapping[str, str]

    def client(self, role: str = "admin", **more: Any) -> httpx.Client:
        headers = {"authorization": f"Bearer {self.tokens[role]}", **more.pop("headers", {})}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, **more)

    def browser(self, role: Role = Role.ADMIN) -> httpx.Client:
        """Signed in with a link, as a browser is; without what a browser's page sends along."""
        browser = httpx.Client(base_url=self.url, timeout=30)
        assert browser.get(f"/login?token={Access(self.store.home).link('ann', role)}").status_code == 303
        return browser

    @property
    def review(self) -> str:
        pending = task_of(self.store, self.store.runs.get(self.task)).pending
        assert pending is not None
        return pending.id


def rows(store: Store, id: str, like: str, status: Status = Status.STOPPED, entries: int = 450) -> str:
    """A run of which only the rows are there, begun like another one."""
    other = store.runs.get(like)
    spec = {**other.spec, "pipeline": "auto"}
    values = {"pipeline": "auto", "task": f"Task of {id}", "feature": id, "repository": other.repository}
    store.runs.create(id, values | {"branch": f"feat/{id}", "spec": spec, "status": str(status)})
    told = [(f"1.{number}/x", "notice", {"text": f"number {number}"}) for number in range(1, entries + 1)]
    store.journal.append_all(id, "plan", told)
    return id


def asking(store: Store, run: str, number: int = 1, **more: Any) -> str:
    """A question that a run waits for."""
    id = f"{run}/1.{number}"
    question = Question(text="Which colour?", category="choice", options=("red", "blue"), default="red", **more)
    return store.holds.open(id, run, question).id


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    environment = {**os.environ, "ANDON_HOME": str(folder / "home"), "HOME": str(folder), "USER": "ann"}
    file = scenario(folder, [*story("task-modify"), *story("task-custom")])
    repository = make_sample(folder)
    options = StartOptions(("task",), repository, settings={"runtime": "scripted", "scenario": str(file)})
    task = host_task(options, Wish("Count words", TaskType.MODIFY_APP), environment)
    store = open_store(environment)
    run = rows(store, "stopped2", task.id)
    until("review", lambda: task_of(store, store.runs.get(task.id)).pending)
    until("park", lambda: store.parked(store.runs.get(task.id)))
    access = Access(store.home)
    tokens = {role.value: access.token(f"{role}-token", role) for role in Role}
    site, served = serve(store, environment | {"ANDON_RUNTIME": "scripted", "ANDON_SCENARIO": str(file)})
    try:
        yield House(folder, environment, store, site, served.url, task.id, run, tokens)
    finally:
        served.close()
        stop(store, store.runs.get(task.id), lambda entry: None)


class Served:
    def __init__(self, site: Site) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        app = create_app(site, Address("127.0.0.1", port).hosts)
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._thread.start()
        until("server", lambda: self._server.started)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._socket.close()


def serve(store: Store, environment: Mapping[str, str]) -> tuple[Site, Served]:
    site = Site.of(store, environment)
    return site, Served(site)


@pytest.fixture(scope="session", name="serving")
def _serving() -> Any:
    return serve


@pytest.fixture
def api(house: House) -> Iterator[httpx.Client]:
    with house.client() as client:
        yield client


def questions_of(store: Store, run: str) -> list[str]:
    return [each.id for each in open_questions(store) if each.run == run]
