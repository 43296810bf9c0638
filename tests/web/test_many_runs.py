"""However many runs there are: none is out of reach, what goes on is always seen, and a page costs a few questions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from andon.app.overview import Overviews
from andon.domain.language import Language
from andon.domain.order import Question
from andon.domain.run import Status
from andon.engine import tables
from andon.web.page import parts
from andon.web.pages import PAGES
from andon.web.rendering import Reader
from andon.web.security import Visitor
from andon.web.site import SHOWN, Role
from warm import outside, warm

from .small import SPEC, TASK_SPEC, Small, small

pytestmark = pytest.mark.xdist_group("many-runs")
MANY = SHOWN + 120
OLD = "oldest22"
"""Begun before all others, and waiting for an answer."""


def fill(server: Small, count: int, first: int = 0) -> list[str]:
    """So many runs at rest, the newest last."""
    begun = time.time() - 100_000
    made = [
        {
            **{"id": f"many{number:04}", "pipeline": "auto", "task": f"Task number {number}", "feature": "f"},
            **{"repository": f"/r/{number % 7}", "branch": "b", "status": "done", "phase": "", "mode": ""},
            **{"reason": "goal_met", "leg": 1, "spec": dict(SPEC)},
            # Some begin at the same moment.
            **{"created_at": begun + number // 3, "updated_at": begun + number // 3, "ended_at": None},
        }
        for number in range(first, first + count)
    ]
    with server.store.engine.begin() as connection:
        connection.execute(tables.runs.insert(), made)
    return [each["id"] for each in made]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small(tmp_path_factory.mktemp("many")) as made:
        long_ago = time.time() - 1_000_000
        made.add(OLD, Status.WAITING, created_at=long_ago, task="The oldest task", pipeline="task", spec=TASK_SPEC)
        made.store.holds.open(f"{OLD}/1.1", OLD, Question("Which colour?", options=("red", "blue")))
        (made.store.home.run(OLD)).mkdir(parents=True)
        (made.store.home.run(OLD) / "parked").touch()
        fill(made, MANY)
        yield made


@pytest.fixture
def old_tasks(server: Small) -> Iterator[None]:
    """A conversation and a task that are older than all other runs, and a run beside the task."""
    talk = {**TASK_SPEC, "request": {"task": "t", "options": {**TASK_SPEC["request"]["options"], "type": "custom"}}}
    for id, spec in (("talk2222", talk), ("done2222", TASK_SPEC)):
        told = {"pipeline": "task", "spec": spec, "task": f"About {id}", "repository": str(server.folder / id)}
        server.add(id, Status.DONE, created_at=time.time() - 1_000_000, **told)
    (server.folder / "done2222" / ".git").mkdir(parents=True)
    server.add("auto2222", Status.DONE, repository=str(server.folder / "done2222"))
    yield
    with server.store.engine.begin() as connection:
        connection.execute(tables.runs.delete().where(tables.runs.c.id.in_(("talk2222", "done2222", "auto2222"))))


@pytest.mark.usefixtures("old_tasks")
def test_D_121_tasks_and_conversations_are_listed_however_many_other_runs_are_newer(server: Small) -> None:
    environment = outside() | {"ANDON_HOME": str(server.folder / "home"), "HOME": str(server.folder)}
    listed = warm().start("task", "list", cwd=server.folder, env=environment).finish(60)
    shown = warm().start("task", "show", "--json", cwd=server.folder / "done2222", env=environment).finish(60)
    with closing(server.browser()) as browser:
        chats, new = browser.get("/chat").text, browser.get("/tasks/new").text

    assert "About done2222" in listed.stdout and "About talk2222" in listed.stdout, listed.stdout
    assert json.loads(shown.stdout)["id"] == "done2222", shown.stderr  # the newest task here, not the newest run
    assert "About talk2222" in chats
    assert str(server.folder / "talk2222") in new


def test_D_121_what_waits_is_seen_however_old_it_is(server: Small) -> None:
    with closing(server.browser()) as browser:
        board, runs, tower = browser.get("/").text, browser.get("/runs").text, browser.get("/api/status").json()
        waiting = browser.get("/api/runs", params={"status": "waiting"}).json()["runs"]
        tasks = browser.get("/api/tasks").json()["tasks"]

    assert "120 older ones, at rest, are under Runs" in board
    assert "Which colour?" in board and "The oldest task" in board
    assert "The oldest task" in runs
    assert tower["lamps"]["waiting"] == 1
    assert [each["id"] for each in waiting] == [OLD]
    assert [each["id"] for each in tasks] == [OLD]


def test_D_121_a_program_reads_all_runs_page_by_page_each_once(server: Small) -> None:
    seen, before = list[str](), None
    with server.client() as client:
        while True:
            page = client.get("/api/runs", params={"limit": 90} | ({"before": before} if before else {})).json()
            seen += [each["id"] for each in page["runs"]]
            assert len(page["runs"]) <= 90
            if (before := page["before"]) is None:
                break
        filtered = client.get("/api/runs", params={"repository": "/r/3", "limit": 500, "status": "done"}).json()["runs"]
        strange = client.get("/api/runs", params={"before": "nosuchid"})

    assert len(seen) == len(set(seen)) == MANY + 1
    assert seen[-1] == OLD
    assert len(filtered) == len([number for number in range(MANY) if number % 7 == 3])
    assert strange.status_code == 404


def test_D_121_a_person_reads_all_runs_page_by_page(server: Small) -> None:
    seen, path = set[str](), "/runs"
    with closing(server.browser()) as browser:
        for _ in range(20):
            html = browser.get(path).text
            seen |= set(re.findall(r'id="run-(\w+)"', html))
            found = re.search(r'href="(/runs\?[^"]*before=[^"]+)"', html)
            if found is None:
                break
            path = found[1].replace("&amp;", "&")
        words = browser.get("/runs", params={"q": "TASK number 7"}).text

    assert len(seen) == MANY + 1
    assert set(re.findall(r'id="run-(\w+)"', words)) == {f"many{n:04}" for n in range(MANY) if str(n).startswith("7")}


@pytest.fixture(scope="module")
def told(server: Small) -> str:
    """A run with a long journal, in which what is looked for is said once, at the beginning."""
    run = server.add("longlong", Status.DONE, task="A long one", created_at=time.time() - 900_000)
    said = [("1.1/x", "notice", {"text": "the needle"}), ("1.2/x", "branched", {"text": "feat/long"})]
    said += [(f"1.{n}/x", "notice", {"text": f"hay {n}"}) for n in range(3, 1_500)]
    server.store.journal.append_all(run, "plan", said)
    return run


@pytest.mark.parametrize("query", [{"q": "needle"}, {"q": "NEEDLE", "kind": ""}, {"kind": "git"}])
def test_D_121_what_is_looked_for_in_a_journal_is_found_however_old_it_is(
    server: Small, told: str, query: dict[str, str]
) -> None:
    with closing(server.browser()) as browser:
        page = browser.get(f"/runs/{told}", params=query).text
        fragment = browser.get(f"/runs/{told}/rows", params=query).text
    for html in (page, fragment):
        assert re.findall(r'id="j(\d+)"', html) == ["1" if "q" in query else "2"]
        assert "Nothing like that" not in html and "200 older" not in html


def test_D_121_a_journal_is_read_page_by_page_each_row_once(server: Small, told: str) -> None:
    seen, path = list[str](), f"/runs/{told}/rows?q=hay"
    with closing(server.browser()) as browser:
        while path:
            html = browser.get(path).text
            seen += re.findall(r'id="j(\d+)"', html)
            found = re.search(r'hx-get="([^"]+)"', html)
            path = found[1].replace("&amp;", "&") if found else ""
    assert seen == [str(n) for n in range(1_499, 2, -1)]


def test_D_121_a_filter_finds_runs_and_tasks_however_old_they_are(server: Small) -> None:
    with closing(server.browser()) as browser:
        board, reviews = (browser.get(path, params={"q": "number 7"}).text for path in ("/", "/reviews"))
    assert "Task number 7<" in board
    assert reviews
    done = subprocess.run(
        [sys.executable, "-m", "andon", "task", "list"],
        env=dict(server.site.environment),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert OLD in done.stdout, done.stdout + done.stderr


def test_D_121_the_stream_of_all_runs_tells_of_the_oldest_too(server: Small) -> None:
    with server.client() as client, client.stream("GET", "/api/events") as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": quiet"
        server.store.journal.append(OLD, "1.2", "notice", "plan", {"text": "still here"})
        told = next(json.loads(line[6:]) for line in lines if line.startswith('data: {"run"'))

    assert (told["run"], told["data"]["text"]) == (OLD, "still here")


def test_D_121_the_stream_of_all_runs_tells_what_is_noted_about_one_at_rest(server: Small) -> None:
    with server.client() as client, client.stream("GET", "/api/events") as stream:
        lines = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith('data: {"run"'))
        told = list[str]()
        for number in (1, 2, 3):  # each when the one before has been told: not all with one look
            server.store.journal.append("many0610", f"1.{number}", "notice", "plan", {"text": f"note {number}"})
            told.append(next(each["data"]["text"] for each in lines if each["run"] == "many0610"))

    assert told == ["note 1", "note 2", "note 3"]


@contextmanager
def counted(engine: sa.Engine) -> Iterator[list[str]]:
    asked = list[str]()

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        asked.append(statement)

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("path", ["/", "/runs", "/reviews"])
def test_D_121_a_page_is_drawn_again_with_the_same_few_questions_however_many_runs(tmp_path: Path, path: str) -> None:
    reader = Reader(Language.EN, "", Visitor("ann", Role.ADMIN, "x"))

    def questions(server: Small) -> int:
        def draw() -> None:
            parts(server.site, reader, PAGES[path](server.site, reader, {}, {}))

        draw()
        found = list[int]()
        for _ in range(5):  # the server's own chores ask something now and then
            with counted(server.store.engine) as asked:
                draw()
            found.append(len([each for each in asked if each.lstrip().upper().startswith("SELECT")]))
        return min(found)

    with small(tmp_path) as server:
        fill(server, 30)
        few = questions(server)
        fill(server, 270, first=30)
        many = questions(server)

    assert few == many
    assert many <= 12


def test_D_121_an_overview_is_made_again_when_something_has_happened(server: Small) -> None:
    overviews = Overviews(server.store)

    def seen() -> tuple[int, str]:
        found = next(each for each in overviews.many(server.store.runs.index(SHOWN)) if each.run.id == "many0600")
        return found.events, found.run.reason

    assert seen() == (0, "goal_met")
    server.store.journal.append("many0600", "1.1", "notice", "plan", {"text": "x"})
    assert seen() == (1, "goal_met")
    server.store.runs.update("many0600", reason="other")
    assert seen() == (1, "other")
