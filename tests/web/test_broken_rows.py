"""One run that cannot be read, written by an older version or edited by hand, hides no other: it says what is wrong."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from andon.app.memory import memory_of
from andon.app.store import PARKED
from andon.app.wishing import new_wish
from andon.domain.order import Question
from andon.domain.run import Status
from andon.domain.tasks.reviews import Review

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
ROWS: dict[str, dict[str, dict[str, Any]]] = {
    "wishes": {
        "wishstat": {"state": "dancing"},
        "wishjson": {"options": "{"},
        "wishlist": {"options": "[]"},
        "wishtime": {"created_at": "yesterday"},
    },
    "holds": {
        "quest222/1.1": {"options": "{"},
        "quest333/1.1": {"opened_at": "yesterday"},
    },
    "reviews": {
        "reviewst": {"status": "dancing"},
        "reviewjs": {"verification": "{"},
        "reviewat": {"decided_at": "yesterday"},
    },
}
"""Table, row, and what somebody wrote into it by hand."""
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
        made.add("moment22")
        edit(made, "moment22", created_at="yesterday")
        made.add("entry222", Status.STOPPED)
        made.store.journal.append("entry222", "1.1", "check", "check", {"goal": "lint"})
        beside(made)
        yield made


def beside(server: Small) -> None:
    """Drafts, questions and reviews: some as they should be, some that nobody can read."""
    store = server.store
    for id in ("wishgood", *ROWS["wishes"]):
        store.wishes.add(replace(new_wish(f"Task of {id}", "/repository", "ann", "task", True), id=id))
    for run in ("quest111", "quest222", "quest333"):
        server.add(run, Status.WAITING)
        store.holds.open(f"{run}/1.1", run, Question(text="Which colour?", category="choice", options=("red", "blue")))
        store.home.run(run).mkdir(parents=True, exist_ok=True)
        (store.home.run(run) / PARKED).touch()
    for id in ("reviewok", *ROWS["reviews"]):
        server.add(f"of{id}", Status.DONE, pipeline="task", spec=dict(TASK_SPEC))
        store.reviews.open(f"of{id}/1.1", Review(id, f"of{id}", 1, "a" * 40, datetime.now(UTC)), {})
    for table, broken in ROWS.items():
        for id, values in broken.items():
            edit(server, id, table, **values)


def edit(server: Small, id: str, table: str = "runs", **values: Any) -> None:
    """By hand, past andon."""
    with server.store.engine.begin() as connection:
        for name, value in values.items():
            change = f"UPDATE andon_{table} SET {name} = :value WHERE id = :id"
            connection.execute(sa.text(change), {"value": value, "id": id})


def learning(server: Small) -> None:
    """One that can be read, and one of which somebody edited the tags."""
    kept = memory_of(server.folder, server.site.environment, server=False)
    kept.add("Tests are slow.", (), "ann")
    broken = kept.add("Tests are quick.", (), "ann")
    with closing(sqlite3.connect(kept.learnings.file)) as connection:
        connection.execute("UPDATE learnings SET tags = '{' WHERE id = ?", (broken.id,))
        connection.commit()


@pytest.mark.parametrize("path", (*PAGES, *LISTS))
def test_D_121_a_run_that_cannot_be_read_breaks_no_page_and_no_list(server: Small, path: str) -> None:
    with closing(server.browser()) as browser:
        answer = browser.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 200, answer.text[:500]


def test_D_121_every_run_is_a_row_of_the_list_and_says_what_is_wrong(server: Small) -> None:
    with server.client() as client:
        told = {each["id"]: each for each in client.get("/api/runs").json()["runs"]}
        tasks = {each["id"]: each for each in client.get("/api/tasks").json()["tasks"]}
    others = {"status22", "journal2", "moment22", "quest222", "quest333", *(f"of{id}" for id in ROWS["reviews"])}
    good = {"good2222", "quest111", "ofreviewok", "entry222"}
    assert set(told) == {*BROKEN, *others, *good}
    assert {id for id, each in told.items() if not each["problem"]} == good
    assert "dancing" in told["status22"]["problem"]
    assert "budget" in told["budget22"]["problem"]
    assert set(tasks) == {"type2222", "typeless", "ofreviewok", *(f"of{id}" for id in ROWS["reviews"])}
    assert all(each["problem"] and each["type"] is None for id, each in tasks.items() if id != "ofreviewok")


@pytest.mark.parametrize(("path", "run"), [("/", "nojson22"), ("/runs", "nojson22"), ("/reviews", "typeless")])
def test_D_121_the_page_says_what_is_wrong_beside_the_run(server: Small, path: str, run: str) -> None:
    with closing(server.browser()) as browser:
        html = browser.get(path).text
    assert f"Task of {run}" in html
    assert "annot be read" in html


def test_D_121_a_task_of_no_type_is_a_row_of_the_board(server: Small) -> None:
    """ "As the text says" is the first choice of the form."""
    with closing(server.browser()) as browser:
        csrf = re.search(r'name="csrf" content="([^"]+)"', browser.get("/tasks/new").text)
        assert csrf is not None
        draft = {"csrf": csrf[1], "text": "Count the letters", "repository": "/r", "how": "", "act": "draft"}
        for how in ("", "auto", "uam"):
            told = browser.post("/tasks", data=draft | {"how": how}, headers={"origin": server.url})
            assert told.status_code == 303
        board = browser.get("/")
    assert board.status_code == 200
    assert board.text.count("Count the letters") == 3


@pytest.mark.parametrize(
    ("path", "ids"),
    [
        ("/", [*ROWS["wishes"], "quest222", "quest333", "moment22"]),
        ("/runs", ["quest222", "ofreviewst", "moment22"]),
        ("/reviews", [f"of{id}" for id in ROWS["reviews"]]),
        ("/runs/entry222", ["cannot be read"]),
    ],
)
def test_D_121_every_row_that_cannot_be_read_is_shown_with_its_id(server: Small, path: str, ids: list[str]) -> None:
    with closing(server.browser()) as browser:
        html = browser.get(path).text
    assert "annot be read" in html
    assert [id for id in ids if id not in html] == []
    assert "Task of wishgood" in html or path != "/"


def test_D_121_lists_for_programs_have_what_cannot_be_read_beside_the_rest(server: Small) -> None:
    with server.client() as client:
        reviews, questions = client.get("/api/reviews").json(), client.get("/api/questions").json()
    assert [each["id"] for each in reviews["reviews"]] == ["reviewok"]
    assert {each["id"]: bool(each["problem"]) for each in reviews["unreadable"]} == dict.fromkeys(ROWS["reviews"], True)
    assert [each["id"] for each in questions["questions"]] == ["quest111/1.1"]
    assert {each["id"] for each in questions["unreadable"]} == set(ROWS["holds"])


def test_D_121_a_draft_that_cannot_be_read_can_be_dropped(server: Small) -> None:
    with closing(server.browser()) as browser:
        csrf = re.search(r'name="csrf" content="([^"]+)"', browser.get("/tasks/new").text)
        assert csrf is not None
        answer = browser.post("/tasks/wishjson/drop", data={"csrf": csrf[1]}, headers={"origin": server.url})
        board = browser.get("/").text
    assert answer.status_code == 303
    assert "wishjson" not in board and "wishlist" in board
    edit(server, "wishjson", "wishes", state="draft")


def test_D_121_a_learning_that_cannot_be_read_hides_no_other(server: Small) -> None:
    learning(server)
    with closing(server.browser()) as browser:
        page = browser.get("/office/memory")
        found = browser.get("/office/memory?q=slow")
    assert page.status_code == found.status_code == 200
    assert "Tests are slow." in page.text and "cannot be read" in page.text
    assert "Tests are slow." in found.text


@pytest.mark.parametrize("id", (*BROKEN, "status22", "journal2", "moment22", "quest222", "ofreviewst"))
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


PYTHON = re.compile(r"\b[A-Z][A-Za-z]+Error\b|object has no attribute|Traceback|unhashable|<class|__init__")
"""Words that say something only to whoever knows Python."""


@pytest.mark.parametrize(
    "path", (*PAGES, *LISTS, "/runs/entry222", *(f"/runs/{id}" for id in BROKEN), "/runs/journal2")
)
def test_D_121_what_is_wrong_is_said_without_the_words_of_python(server: Small, path: str) -> None:
    with closing(server.browser()) as browser:
        text = browser.get(path).text
    assert PYTHON.findall(text) == []
