"""One run that cannot be read, written by an older version or edited by hand, hides no other: it says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from andon.domain.run import Status

from .small import SPEC, TASK_SPEC, Small, small

pytestmark = pytest.mark.xdist_group("broken-rows")

WITHOUT_BUDGET = {key: value for key, value in SPEC.items() if key != "budget"}
BROKEN: dict[str, tuple[str, Status, str]] = {
    "nojson22": ("auto", Status.DONE, '{"version": 1, '),
    "list2222": ("auto", Status.FAILED, "[]"),
    "null2222": ("auto", Status.RUNNING, "null"),
    "empty222": ("auto", Status.STOPPED, "{}"),
    "budget22": ("uam", Status.STOPPED, json.dumps(WITHOUT_BUDGET)),
    "strange2": ("auto", Status.DONE, json.dumps({**SPEC, "budget": {"cows": 3}})),
    "type2222": ("task", Status.WAITING, json.dumps({**TASK_SPEC, "request": {"options": {"type": "sing"}}})),
    "typeless": ("task", Status.STOPPED, json.dumps({**TASK_SPEC, "request": "none"})),
    "worktree": ("auto", Status.DONE, json.dumps({**SPEC, "worktree": 7})),
    "tongue22": ("auto", Status.FAILED, json.dumps({**SPEC, "language": "xx"})),
}
"""Pipeline, status, and what stands in the column."""
PAGES = ("/", "/?view=columns", "/runs", "/reviews", "/office", "/chat", "/settings", "/tasks/new")
LISTS = ("/api/runs", "/api/tasks", "/api/reviews", "/api/questions", "/api/status", "/api/reviews/statistics")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small(tmp_path_factory.mktemp("broken")) as made:
        made.add("good2222", Status.DONE)
        for id, (pipeline, status, spec) in BROKEN.items():
            made.add(id, status, pipeline=pipeline)
            edit(made, id, spec=spec)
        made.add("status22")
        edit(made, "status22", status="dancing")
        made.add("journal2", Status.STOPPED)
        made.store.journal.append("journal2", "1.1", "spawn", "plan", {"nobody": "here"})
        yield made


def edit(server: Small, id: str, **values: Any) -> None:
    """By hand, past andon."""
    with server.store.engine.begin() as connection:
        for name, value in values.items():
            connection.execute(
                sa.text(f"UPDATE andon_runs SET {name} = :value WHERE id = :id"), {"value": value, "id": id}
            )


@pytest.mark.parametrize("path", (*PAGES, *LISTS))
def test_D_121_a_run_that_cannot_be_read_breaks_no_page_and_no_list(server: Small, path: str) -> None:
    with closing(server.browser()) as browser:
        answer = browser.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 200, answer.text[:500]


def test_D_121_every_run_is_a_row_of_the_list_and_says_what_is_wrong(server: Small) -> None:
    with server.client() as client:
        told = {each["id"]: each for each in client.get("/api/runs").json()["runs"]}
        tasks = {each["id"]: each for each in client.get("/api/tasks").json()["tasks"]}
    assert set(told) == {*BROKEN, "good2222", "status22", "journal2"}
    assert told["good2222"]["problem"] == ""
    assert all(told[id]["problem"] for id in told if id != "good2222"), told
    assert "dancing" in told["status22"]["problem"]
    assert "budget" in told["budget22"]["problem"]
    assert set(tasks) == {"type2222", "typeless"}
    assert all(each["problem"] and each["type"] is None for each in tasks.values())


@pytest.mark.parametrize(("path", "run"), [("/", "nojson22"), ("/runs", "nojson22"), ("/reviews", "typeless")])
def test_D_121_the_page_says_what_is_wrong_beside_the_run(server: Small, path: str, run: str) -> None:
    with closing(server.browser()) as browser:
        html = browser.get(path).text
    assert f"Task of {run}" in html
    assert "annot be read" in html


@pytest.mark.parametrize("id", (*BROKEN, "status22", "journal2"))
def test_D_121_a_run_that_cannot_be_read_has_a_page_that_says_so(server: Small, id: str) -> None:
    with closing(server.browser()) as browser:
        page = browser.get(f"/runs/{id}")
        api = browser.get(f"/api/runs/{id}")
    assert page.status_code == 200
    assert "cannot be read" in page.text
    assert api.status_code == 200
    assert api.json()["problem"]


@pytest.mark.parametrize("id", ("nojson22", "empty222", "typeless"))
def test_D_121_what_cannot_be_read_cannot_go_on_and_says_so(server: Small, id: str) -> None:
    with server.client() as client:
        answer: httpx.Response = client.post(f"/api/runs/{id}/resume", json={})
    assert answer.status_code == 422, answer.text
    assert "cannot be read" in answer.json()["error"]["title"]
    assert answer.json()["error"]["hint"]
