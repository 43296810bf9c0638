"""Board, run, new task and evidence through the server: what a person sees and does there, without JavaScript."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from typing import Any

import httpx
import pytest

from andon.app.access import Role
from andon.domain.order import Question

OURS = {"sec-fetch-site": "same-origin"}


def csrf(browser: httpx.Client) -> str:
    found = re.search(r'name="csrf" content="([^"]+)"', browser.get("/").text)
    assert found
    return found[1]


def sent(browser: httpx.Client, path: str, **fields: str) -> httpx.Response:
    return browser.post(path, data={"csrf": csrf(browser), **fields}, headers={**OURS, "origin": str(browser.base_url)})


SEEN = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.S)


@pytest.mark.parametrize(("language", "word"), [("en", "Change"), ("ko", "수정")])
def test_E_05_a_task_is_called_by_a_word_and_not_by_the_machines_name_of_its_kind(
    house: Any, language: str, word: str
) -> None:
    with closing(house.browser()) as browser:
        browser.cookies.set("andon-language", language)
        paths = ("/", "/?view=columns", "/runs", "/reviews", f"/runs/{house.task}", f"/reviews/{house.review}", "/chat")
        pages = {path: SEEN.sub("\n", browser.get(path).text) for path in paths}

    assert [path for path, text in pages.items() if re.search(r"(modify|create)_app", text)] == []
    assert all(word in pages[path] for path in ("/", "/runs", "/reviews", f"/runs/{house.task}"))


def test_D_116_a_secret_given_on_the_page_stands_in_no_record(house: Any) -> None:
    hold = f"{house.task}/1.999"
    house.store.holds.open(
        hold, house.task, Question("S3_KEY: to reach the bucket", ("granted", "denied"), category="secret")
    )
    value = "correct-horse-battery"
    with closing(house.browser()) as browser:
        shown = browser.get(f"/runs/{house.task}").text
        assert 'type="password"' in shown and "Kept as a secret" in shown

        refused = sent(browser, "/answer", hold=hold, answer=value)
        assert refused.status_code == 422 and value not in refused.text
        assert sent(browser, "/secret", hold=hold, value=value).status_code == 303

    answered = house.store.holds.get(hold)
    assert answered is not None and answered.answer == "granted"
    dump = "\n".join(sqlite3.connect(house.store.home.root / "andon.db").iterdump())
    assert value not in dump and value not in json.dumps([e.data for e in house.store.journal.entries(house.task)])


def test_E_25_an_agents_question_with_options_takes_own_words_and_one_of_andon_does_not(house: Any) -> None:
    agents, andons = f"{house.task}/1.996", f"{house.task}/1.997"
    house.store.holds.open(agents, house.task, Question("Which colour?", ("red", "blue"), category="choice"))
    house.store.holds.open(andons, house.task, Question("Once more?", ("yes", "no"), category="limit"))
    with closing(house.browser()) as browser:
        shown = browser.get(f"/runs/{house.task}").text
        answered = sent(browser, "/answer", hold=agents, answer="a warm grey")
        refused = sent(browser, "/answer", hold=andons, answer="a warm grey")
        assert sent(browser, "/answer", hold=andons, answer="no").status_code == 303

    assert shown.count("Or say it in your own words") == 1 and f'data-draft="hold-{agents}"' in shown
    assert answered.status_code == 303 and refused.status_code == 422
    kept = house.store.holds.get(agents)
    assert kept is not None and kept.answer == "a warm grey"


def test_E_25_keep_waiting_ends_the_countdown_of_a_question(house: Any) -> None:
    hold = f"{house.task}/1.998"
    house.store.holds.open(hold, house.task, Question("How often?", default="twice", timeout=3600))
    with closing(house.browser()) as browser:
        before, board = browser.get(f"/runs/{house.task}").text, browser.get("/").text
        assert sent(browser, "/keep-waiting", hold=hold, back="/").status_code == 303
        after = browser.get(f"/runs/{house.task}").text
        assert sent(browser, "/answer", hold=hold, answer="thrice").status_code == 303

    assert "With no answer:" in before and f'data-keep="{hold}"' in before and "data-deadline" in board
    assert "Waits for ann. No default is taken." in after
    assert not any(word in after for word in ("With no answer:", "data-keep", "data-deadline", "Keep waiting"))


def test_D_125_what_cannot_start_is_a_draft_with_the_reason_and_can_be_dropped(house: Any) -> None:
    with closing(house.browser()) as browser:
        nowhere = sent(browser, "/tasks", text="Add a CSV export", repository="/nowhere/at/all", how="task:modify_app")
        assert nowhere.status_code == 303 and "problem=" in nowhere.headers["location"]
        form = browser.get(nowhere.headers["location"]).text
        assert "Add a CSV export" in form and 'role="alert"' in form
        [wish] = [each for each in house.store.wishes.waiting() if each.text == "Add a CSV export"]
        assert wish.state == "draft" and wish.problem
        assert "Add a CSV export" in browser.get("/?state=draft").text

        assert sent(browser, f"/tasks/{wish.id}/drop").status_code == 303
        assert "Add a CSV export" not in browser.get("/").text


def test_D_125_a_task_waits_while_its_repository_is_busy(house: Any) -> None:
    repository = house.store.runs.get(house.task).repository
    with closing(house.browser()) as browser:
        queued = sent(browser, "/tasks", text="Another one", repository=repository, how="task:modify_app")

        assert queued.headers["location"] == "/"
        assert "starts when its repository is free" in browser.get("/?state=pending").text
        [wish] = [each for each in house.store.wishes.waiting() if each.text == "Another one"]
        sent(browser, f"/tasks/{wish.id}/drop")


def test_D_77_a_viewer_sees_everything_and_may_do_nothing(house: Any) -> None:
    with closing(house.browser(Role.VIEWER)) as browser:
        pages = [browser.get(path).text.partition("<dialog")[0] for path in ("/", f"/runs/{house.task}")]
        assert not any(word in page for page in pages for word in ("Stop the line", "New task"))
        assert sent(browser, f"/runs/{house.task}/stop").status_code == 403
        assert sent(browser, "/tasks", text="x", repository="/r").status_code == 403


def test_D_121_the_record_of_a_run_is_verified_on_its_page(house: Any) -> None:
    with closing(house.browser()) as browser:
        page = browser.get(f"/runs/{house.task}/evidence")

    assert page.status_code == 200 and "records verify" in page.text


def test_D_121_older_rows_come_page_by_page_and_a_filter_keeps_to_its_kinds(house: Any) -> None:
    with closing(house.browser()) as browser:
        first = re.findall(r'id="j(\d+)"', browser.get(f"/runs/{house.run}").text)
        second = re.findall(r'id="j(\d+)"', browser.get(f"/runs/{house.run}/rows?before={first[-1]}").text)
        none = browser.get(f"/runs/{house.run}?kind=checks").text

    assert len(first) == 200 and int(second[0]) == int(first[-1]) - 1
    assert not re.findall(r'id="j(\d+)"', none)


def test_C_25_a_run_of_uam_shows_its_todos_and_what_each_waits_for(house: Any) -> None:
    other = house.store.runs.get(house.task)
    spec = {**other.spec, "pipeline": "uam", "request": {"task": "Plan", "options": {"pipeline": "full"}}}
    values = {"pipeline": "uam", "task": "Plan", "feature": "plan", "repository": other.repository}
    house.store.runs.create("planned2", values | {"branch": "feat/plan", "spec": spec, "status": "done"})
    graph = [
        {"number": 1, "title": "Rank words", "after": [], "box": "x"},
        {"number": 2, "title": "Print <them>", "after": [1], "box": " "},
    ]
    house.store.journal.append("planned2", "1.1/x", "plan_approved", "plan", {"path": "PLAN.md", "graph": graph})
    with closing(house.browser()) as browser:
        page = browser.get("/runs/planned2").text

    assert "1 of 2 done" in page and page.count('class="edge') == 1
    assert "TODO-1: Rank words</a> · Done" in page
    assert "TODO-2: Print &lt;them&gt;</a> · not started · after TODO-1" in page
    assert 'href="/runs/planned2?q=worker-2#journal"' in page
