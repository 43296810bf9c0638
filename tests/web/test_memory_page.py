"""What a project remembers, on the page and over the API: looked for, settled, written down, forgotten."""

from __future__ import annotations

import html
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from andon.app.access import Role
from andon.app.memory import memory_of
from andon.domain.learning import Lesson, Origin
from andon.domain.teams.deciding import NO, YES, Decision, Stand
from andon.domain.teams.shared import decision_row
from andon.memory.sqlite import Database

from .small import Small, small

HOSTILE = "Use tabs <script>alert(1)</script>"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Small]:
    project = tmp_path / "project"
    (project / ".team-artifacts").mkdir(parents=True)
    with small(tmp_path, here=project) as made:
        yield made


def propose(house: Small, *texts: str) -> None:
    rows = [Decision(text, "writer", 100 + at, {"writer": YES, "reader": NO}) for at, text in enumerate(texts)]
    Database(house.folder / "project/.team-artifacts/memory.db").share([decision_row(each) for each in rows], 100.0)


def decisions(house: Small) -> list[Decision]:
    return Database(house.folder / "project/.team-artifacts/memory.db").decisions()


def learn(house: Small, text: str) -> int:
    kept = memory_of(house.folder / "project", house.site.environment, server=False)
    kept.learnings.remember("r123", [Lesson(text, ("tests",), "planner")], Origin("r123", "auto", "t", "failed"))
    return kept.learnings.all()[0].id


def page(house: Small, role: Role = Role.ADMIN, **query: str) -> str:
    with house.client(role) as client:
        answer = client.get("/office/memory", params=query, headers={"accept": "text/html"})
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def text(shown: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def press(house: Small, act: str, role: Role = Role.ADMIN, **given: str) -> httpx.Response:
    with closing(house.browser(role)) as browser:
        shown = browser.get("/office/memory", headers={"accept": "text/html"}).text
        csrf = re.search(r'name="csrf" value="([^"]+)"', shown)
        fields = {"csrf": csrf[1] if csrf else "", **given}
        return browser.post(f"/office/memory/{act}", data=fields, headers={"origin": house.url, "accept": "text/html"})


def test_B_46_a_person_sees_what_members_proposed_and_how_they_voted_and_settles_it(house: Small) -> None:
    propose(house, "Count words", HOSTILE)

    before = page(house)
    assert press(house, "decide", id="1", stand="approved").status_code == 303
    assert press(house, "decide", id="2", stand="rejected").status_code == 303

    assert "<script>alert" not in before and "Use tabs <script>alert(1)</script>" in text(before)
    assert "writer for it · reader against it" in text(before) and before.count('value="approved"') == 2
    assert [(each.stand, each.votes.get("ann")) for each in decisions(house)] == [
        (Stand.APPROVED, "yes"),
        (Stand.REJECTED, "no"),
    ]
    assert press(house, "decide", id="2", stand="proposed").status_code == 303
    assert decisions(house)[1].open and "Open again" in page(house)


def test_B_46_who_only_looks_settles_nothing_and_what_is_none_is_told(house: Small) -> None:
    propose(house, "Count words")

    assert 'value="approved"' not in page(house, Role.VIEWER)
    assert press(house, "decide", Role.VIEWER, id="1", stand="approved").status_code == 403
    assert press(house, "decide", id="7", stand="approved").status_code == 404
    assert press(house, "decide", id="9" * 5000, stand="approved").status_code == 404
    assert press(house, "decide", id="1", stand="maybe").status_code == 422
    assert decisions(house)[0].open


def test_B_40_what_runs_learned_is_listed_with_its_origin_found_forgotten_and_brought_back(house: Small) -> None:
    id = learn(house, "The staging database is slow")

    listed = text(page(house))
    found = text(page(house, q="staging"))
    assert press(house, "forget", id=str(id)).headers["location"].endswith("#learnings")
    gone, kept = text(page(house)), text(page(house, forgotten="yes"))
    assert press(house, "forget", id=str(id), undo="yes").status_code == 303

    assert "The staging database is slow run r123 · planner · " in listed and "failed tests" in listed
    assert "The staging database is slow" in found.partition("What the team proposed")[0]
    assert "staging" not in gone and "The staging database is slow" in kept
    assert "The staging database is slow" in text(page(house))


def test_B_40_a_person_writes_something_down_for_later_runs(house: Small) -> None:
    assert press(house, "add", text="Ask before you delete").status_code == 303
    assert press(house, "add", text="  ").status_code == 422
    assert press(house, "add", Role.VIEWER, text="Delete all").status_code == 403

    shown = text(page(house))
    assert "Ask before you delete ann · " in shown and "written by a person" in shown and "Delete all" not in shown


def test_B_45_a_file_of_that_name_that_is_no_database_is_told_and_the_rest_is_there(house: Small) -> None:
    (house.folder / "project/.team-artifacts/memory.db").write_bytes(b"not a database" * 100)
    learn(house, "Known")

    shown = text(page(house))
    assert "memory.db cannot be used" in shown and "Known" in shown


def test_B_40_B_46_programs_do_the_same_over_the_API(house: Small) -> None:
    propose(house, "Count words")

    def asked(method: str, path: str, role: Role = Role.REVIEWER, **given: Any) -> httpx.Response:
        with house.client(role) as client:
            return client.request(method, f"/api/memory{path}", **given)

    added = asked("POST", "", json={"text": "Slow on Mondays", "tags": ["time"]})
    assert added.status_code == 201 and added.json()["by"] == "reviewer-token"
    found = asked("GET", "", params={"q": "mondays"}).json()
    assert [(hit["text"], hit["layer"], hit["place"]) for hit in found["hits"]] == [
        ("Slow on Mondays", "sqlite", "learnings")
    ]
    assert asked("GET", "/decisions", Role.VIEWER).json()["decisions"][0]["stand"] == "proposed"
    assert asked("PATCH", "/decisions/1", json={"stand": "approved"}).json()["stand"] == "approved"
    assert asked("PATCH", "/decisions/2", json={"stand": "approved"}).status_code == 404
    assert asked("PATCH", "/decisions/1", Role.VIEWER, json={"stand": "rejected"}).status_code == 403
    assert asked("DELETE", f"/{added.json()['id']}").status_code == 200
    assert asked("GET", "", params={"q": "mondays"}).json()["hits"] == []
    assert asked("DELETE", "/99").status_code == 404


@pytest.mark.parametrize("at", ["1794989642000", "9e999", "-1e18", "'soon'"])
def test_B_45_a_moment_that_no_calendar_has_hides_nothing(house: Small, at: str) -> None:
    propose(house, "Count words")
    with closing(sqlite3.connect(house.folder / "project/.team-artifacts/memory.db")) as connection:
        connection.execute(f"UPDATE decisions SET timestamp = {at}")
        connection.commit()

    assert "Count words" in text(page(house)) and "Count words" in text(page(house, q="count words"))


def test_what_is_looked_for_is_found_however_much_is_remembered(house: Small) -> None:
    learn(house, "The needle is old")
    kept = memory_of(house.folder / "project", house.site.environment, server=False).learnings
    with closing(sqlite3.connect(kept.file)) as connection:
        more = [(f"k{n}", f"hay {n}", float(n), "[]", "", "", "", "", "passed") for n in range(2_100)]
        columns = "key, text, at, tags, by, run, pipeline, task, verdict"
        connection.executemany(f"INSERT INTO learnings ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", more)
        connection.commit()
    assert "The needle is old" in page(house, q="needle")
