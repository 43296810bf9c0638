"""The API as programs use it: over HTTP, on a real server and real data."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from andon.app.stopping import stop
from andon.app.tasks import task_of
from andon.domain.run import Status
from andon.domain.tasks.states import ReviewState
from patience import until
from published import mistakes

from .conftest import House, Served, asking, rows, serve, story


@contextmanager
def streaming(house: House, path: str, url: str = "", **headers: str) -> Iterator[Iterator[dict[str, Any]]]:
    """The messages of a stream: id, event and data of each."""
    sent = {"last-event-id" if key == "last" else key: value for key, value in headers.items()}
    with house.client(headers=sent) as client, client.stream("GET", f"{url}{path}") as answer:
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
        yield messages(answer.iter_lines())


def messages(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {}
    for line in lines:
        name, mark, value = line.partition(": ")
        if not line and message:
            yield message
            message = {}
        elif mark and name:
            message[name] = json.loads(value) if name == "data" else value


def taken(stream: Iterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    return [next(stream) for _ in range(count)]


# --- streams --------------------------------------------------------------------------------------------------------


def test_D_121_a_run_is_told_from_its_beginning_in_order_and_goes_on_live(house: House) -> None:
    run = rows(house.store, "streamed", house.task, entries=300)
    with streaming(house, f"/api/runs/{run}/events") as stream:
        first = taken(stream, 300)
        for number in range(301, 321):
            house.store.journal.append(run, f"1.{number}/x", "notice", "plan", {"text": f"number {number}"})
        more = taken(stream, 20)

    told = [*first, *more]
    assert [int(each["id"]) for each in told] == list(range(1, 321))
    assert [each["data"]["seq"] for each in told] == list(range(1, 321))
    assert told[-1]["data"]["data"] == {"text": "number 320"}


def test_D_121_a_late_subscriber_catches_up_after_the_last_event(house: House) -> None:
    run = rows(house.store, "resumed2", house.task, entries=50)

    with streaming(house, f"/api/runs/{run}/events", last="47") as stream:
        assert [each["id"] for each in taken(stream, 3)] == ["48", "49", "50"]
    with streaming(house, f"/api/runs/{run}/events?last=49") as stream:
        assert next(stream)["id"] == "50"


def test_D_121_the_events_of_a_scripted_run_have_their_names_in_order(house: House) -> None:
    newest = house.store.journal.newest(house.task)

    with streaming(house, f"/api/runs/{house.task}/events") as stream:
        told = taken(stream, newest)

    names = [each["event"] for each in told]
    assert set(names) >= {"phase_start", "step_start", "step_end", "action"}
    assert names.index("phase_start") < names.index("step_start") < names.index("step_end")
    kinds = {each["data"]["kind"]: each["event"] for each in told}
    assert (kinds["phase_entered"], kinds["spawn"], kinds["result"]) == ("phase_start", "step_start", "step_end")


def test_D_121_while_others_write_none_is_left_out_and_none_comes_twice(house: House) -> None:
    run = rows(house.store, "busy2222", house.task, entries=1)

    def write(writer: int) -> None:
        for number in range(50):
            house.store.journal.append(run, f"1.{writer}{number:03}/w{writer}", "notice", "do", {"text": f"{writer}"})

    with streaming(house, f"/api/runs/{run}/events") as one, streaming(house, f"/api/runs/{run}/events") as other:
        writers = [threading.Thread(target=write, args=(writer,)) for writer in (1, 2, 3)]
        for each in writers:
            each.start()
        seen = [taken(one, 151), taken(other, 151)]
        for each in writers:
            each.join(30)

    assert [[int(each["id"]) for each in told] for told in seen] == [list(range(1, 152))] * 2


def test_D_121_all_runs_are_told_in_one_stream_that_can_be_continued(house: House) -> None:
    one, two = (
        rows(house.store, "alpha222", house.task, entries=1),
        rows(house.store, "bravo222", house.task, entries=1),
    )
    with streaming(house, "/api/events", last="of-another-server-7") as stream:
        first = next(stream)
        for number in range(2, 7):
            for run in (one, two):
                house.store.journal.append(run, f"1.{number}/x", "notice", "plan", {"text": f"{run} {number}"})
        told = list(stream_until(stream, 10, {one, two}))
    assert (first["event"], first["data"]) == ("reset", {})
    assert [each["data"]["seq"] for each in told if each["data"]["run"] == one] == [2, 3, 4, 5, 6]
    assert [each["data"]["seq"] for each in told if each["data"]["run"] == two] == [2, 3, 4, 5, 6]

    with streaming(house, "/api/events", last=told[4]["id"]) as stream:
        again = list(stream_until(stream, 5, {one, two}))

    assert [each["id"] for each in again] == [each["id"] for each in told[5:]]


def stream_until(stream: Iterator[dict[str, Any]], count: int, runs: set[str]) -> Iterator[dict[str, Any]]:
    """So many messages of these runs; other tests have runs too."""
    while count:
        message = next(stream)
        if message["data"].get("run") in runs:
            count -= 1
            yield message


def test_D_121_an_id_of_a_server_that_was_restarted_leads_to_a_reset(house: House) -> None:
    with streaming(house, "/api/events", last="x-1") as stream:
        old = next(stream)["id"]
    _, second = serve(house.store, house.environment)
    try:
        with streaming(house, f"{second.url}/api/events", last=old) as stream:
            assert next(stream)["event"] == "reset"
    finally:
        closed(second)


def closed(server: Served) -> None:
    server.close()


# --- reading --------------------------------------------------------------------------------------------------------


def test_the_journal_comes_in_pages_that_fit_together(house: House, api: httpx.Client) -> None:
    before, numbers = "", list[int]()
    while True:
        page = api.get(f"/api/runs/{house.run}/journal?limit=200{before}").json()
        numbers += [each["seq"] for each in page["entries"]]
        if page["before"] is None:
            break
        before = f"&before={page['before']}"

    newest = house.store.journal.newest(house.run)
    assert numbers == list(range(newest, 0, -1))


@pytest.mark.parametrize("path", ["/api/runs?status=zzz", "/api/tasks?state=zzz", "/api/reviews?status=zzz"])
def test_a_status_that_there_is_not_is_refused_with_those_that_there_are(api: httpx.Client, path: str) -> None:
    """An empty list would say that nothing stands so."""
    refused = api.get(path)

    assert refused.status_code == 422, refused.text
    known = {"runs": "needs_user", "tasks": "review", "reviews": "pending"}[path.split("/")[2].partition("?")[0]]
    assert known in str(refused.json()["error"])


def test_a_run_is_listed_and_told_in_detail(house: House, api: httpx.Client) -> None:
    listed = {each["id"]: each for each in api.get("/api/runs").json()["runs"]}
    stopped = api.get("/api/runs?status=stopped&limit=1").json()["runs"]
    told = api.get(f"/api/runs/{house.task}").json()

    assert listed[house.task]["status"] == "waiting" and [each["status"] for each in stopped] == ["stopped"]
    assert told["review"] == house.review and told["standing"] is None
    assert [each["name"] for each in told["stations"]] == ["analysis", "planning", "implementation", "verification"]
    assert told["agents"] and told["lamp"] == "waiting"
    assert api.get(f"/api/runs/{house.run}").json()["standing"]["ways_on"]
    assert api.get(f"/api/runs/{house.task[:4]}").status_code == 404, "programs name a run by its whole id"


def test_the_evidence_of_a_run_is_told_and_holds(house: House, api: httpx.Client) -> None:
    told = api.get(f"/api/runs/{house.task}/evidence/verify").json()

    records = api.get(f"/api/runs/{house.task}/evidence").json()["records"]
    assert told["holds"] is True and told["records"] == len(records) and told["breaks"] == []


def test_every_endpoint_is_described(house: House, api: httpx.Client) -> None:
    described = api.get("/api/openapi.json").json()

    for path, methods in described["paths"].items():
        assert path.startswith("/api/"), path
        for method, told in methods.items():
            answers = set(told["responses"])
            assert told.get("summary"), (method, path)
            assert answers >= {"401", "403", "422", "503"}, (method, path, answers)
            assert "{" not in path or "404" in answers, (method, path)
            assert method == "get" or answers >= {"409", "413"}, (method, path)
            good = next(each for status, each in told["responses"].items() if status.startswith("2"))
            shape = good["content"].get("application/json", good["content"].get("text/event-stream"))["schema"]
            assert shape, (method, path)


# --- deciding -------------------------------------------------------------------------------------------------------


def test_an_open_question_is_listed_and_answered_once(house: House, api: httpx.Client) -> None:
    run = rows(house.store, "asking22", house.task, Status.WAITING, entries=1)
    lock = house.store.lock(run)
    assert lock.acquire()
    try:
        hold = asking(house.store, run)
        listed = [each for each in api.get("/api/questions").json()["questions"] if each["run"] == run]
        wrong = api.post(f"/api/questions/{hold}/answer", json={"answer": "3"})
        with ThreadPoolExecutor(8) as pool:
            given = list(pool.map(lambda _: answer(house, hold), range(8)))
    finally:
        lock.release()

    assert [(each["id"], each["options"], each["default"]) for each in listed] == [(hold, ["red", "blue"], "red")]
    assert listed[0]["own_words"], "an agent asks"
    assert wrong.status_code == 422 and "1 red; 2 blue" in wrong.text
    assert sorted(each.status_code for each in given)[0] == 200
    assert [each.status_code for each in given].count(200) == 1, [each.text for each in given]
    kept = house.store.holds.get(hold)
    assert kept is not None and (kept.answer, kept.answered_by) == ("blue", "reviewer-token")


def test_E_25_a_question_waits_for_whoever_asks_it_to(house: House, api: httpx.Client) -> None:
    run = rows(house.store, "keeping2", house.task, Status.WAITING, entries=1)
    lock = house.store.lock(run)
    assert lock.acquire()
    try:
        first, second = (asking(house.store, run, number, timeout=3600) for number in (1, 2))
        endless = asking(house.store, run, 3)
        before = api.get("/api/questions").json()["questions"]
        kept = [api.post(f"/api/questions/{first}/keep-waiting").json() for _ in range(2)]
        command = [sys.executable, "-m", "andon", "answer", second, "--keep-waiting", "--json"]
        done = subprocess.run(command, env=house.environment, capture_output=True, text=True, timeout=60)
        refused = api.post(f"/api/questions/{endless}/keep-waiting")
        with house.client("viewer") as viewer:
            assert viewer.post(f"/api/questions/{second}/keep-waiting").status_code == 403
        for hold in (first, second, endless):
            assert api.post(f"/api/questions/{hold}/answer", json={"answer": "blue"}).status_code == 200
        late = api.post(f"/api/questions/{first}/keep-waiting")
    finally:
        lock.release()

    assert next(each for each in before if each["id"] == first)["deadline"] > time.time()
    assert [(each["deadline"], each["kept_by"]) for each in kept] == [(None, "admin-token")] * 2
    assert done.returncode == 0 and json.loads(done.stdout)["kept_by"] == "ann", done.stderr
    assert refused.status_code == 422 and "no time limit" in refused.text
    assert late.status_code == 422 and "already answered" in late.text
    told = [entry.data for entry in house.store.journal.entries(run) if entry.kind == "hold_kept"]
    assert told == [{"hold": first, "by": "admin-token"}, {"hold": second, "by": "ann"}]


def answer(house: House, hold: str) -> httpx.Response:
    with house.client("reviewer") as client:
        return client.post(f"/api/questions/{hold}/answer", json={"answer": "2"})


def test_D_111_odd_decisions_are_bad_requests_and_a_stale_one_a_conflict(house: House, api: httpx.Client) -> None:
    path = f"/api/reviews/{house.review}"

    assert api.patch(path, json={"action": "maybe"}).status_code == 400
    assert api.patch(path, json={}).status_code == 400
    assert api.patch(path, json={"action": "approve", "version": 9}).status_code == 409
    assert api.patch(path, json={"action": "approve", "tree": "0" * 40}).status_code == 409
    assert api.patch(path, json={"action": "reject"}).status_code == 422
    assert api.patch("/api/reviews/none", json={"action": "approve"}).status_code == 404
    assert api.get(path).json()["status"] == "pending"


def test_D_111_a_task_goes_from_start_to_its_decided_review_over_HTTP(house: House, api: httpx.Client) -> None:
    """Started, decided by one of many at once, gone on with, and stopped: everything by a program."""
    from andon.app.demo import make_sample

    folder = house.folder / "by-program"
    folder.mkdir()
    inputs = {"critical": "words() <keeps> the order"}
    wish = {"text": "Count words", "type": "modify_app", "repository": str(make_sample(folder)), "inputs": inputs}
    begun = api.post("/api/tasks", json=wish)
    assert begun.status_code == 201, begun.text
    task = begun.json()["id"]
    try:
        until("review", lambda: api.get(f"/api/tasks/{task}").json()["review"])
        review = api.get(f"/api/tasks/{task}").json()["review"]
        assert api.get(f"/api/tasks/{task}").json()["inputs"] == inputs
        first = next(e for e in house.store.journal.entries(task) if e.kind == "spawn").data["prompt"]
        assert "Count words" in first and "What must not break: words() <keeps> the order" in first
        assert "<dd>words() &lt;keeps&gt; the order</dd>" in api.get(f"/runs/{task}").text
        seen = {"version": review["version"], "tree": review["tree"]}
        with ThreadPoolExecutor(8) as pool:
            given = list(pool.map(lambda _: decide(house, review["id"], seen), range(8)))
        assert sorted(each.status_code for each in given) == [200] + [409] * 7, [each.text for each in given]
        told = api.get(f"/api/reviews/{review['id']}").json()
        assert (told["status"], told["decided_by"], told["auto_approved"]) == ("approved", "reviewer-token", False)
        assert mistakes("review", told) == mistakes("phase-verification", told["verification"]) == []  # E-08
        until("second review", lambda: (api.get(f"/api/tasks/{task}").json()["review"] or {}).get("id", "") != "")
        assert api.get(f"/api/tasks/{task}").json()["phase"] == 2
        assert api.post(f"/api/runs/{task}/stop").status_code == 202
        until("stop", lambda: api.get(f"/api/runs/{task}").json()["status"] == "stopped")
    finally:
        run = house.store.runs.get(task)
        if not house.store.status(run).ended:
            stop(house.store, run, lambda entry: None)
    assert task_of(house.store, house.store.runs.get(task)).reviews[0].status is ReviewState.APPROVED


def decide(house: House, review: str, seen: dict[str, Any]) -> httpx.Response:
    with house.client("reviewer") as client:
        return client.patch(f"/api/reviews/{review}", json={"action": "approve", **seen})


def test_D_63_X_47_a_conversation_is_begun_answered_and_rated_over_HTTP(house: House, api: httpx.Client) -> None:
    asked = story("task-custom")[0]
    assert asked
    begun = api.post("/api/tasks", json={"text": "Explain WebSockets", "type": "custom"})
    assert begun.status_code == 201, begun.text
    task = begun.json()["id"]

    turns = until("answer", lambda: [t for t in said(api, task) if t["author"] == "agent"])
    until("rest", lambda: house.store.status(house.store.runs.get(task)).ended)
    good = api.post(f"/api/tasks/{task}/feedback", json={"rating": 4, "comment": "clear"})
    odd = [api.post(f"/api/tasks/{task}/feedback", json={"rating": rating}).status_code for rating in (0, 6, 4.5, "x")]

    assert turns[0]["score"]["overall"]
    assert (good.status_code, good.json()) == (200, {"success": True})
    assert odd == [400, 400, 400, 400]
    assert api.post("/api/tasks/none/feedback", json={"rating": 4}).status_code == 404
    assert [t["rating"] for t in said(api, task) if t["author"] == "agent"] == [4]
    more = api.post(f"/api/tasks/{task}/messages", json={"text": "And how do I test it?"})
    assert more.status_code == 202, more.text
    until("second answer", lambda: len([t for t in said(api, task) if t["author"] == "agent"]) == 2)


def said(api: httpx.Client, task: str) -> list[dict[str, Any]]:
    return api.get(f"/api/tasks/{task}/messages").json()["turns"]


@pytest.mark.parametrize("status", ["stopped"])
def test_what_cannot_be_resumed_says_why(house: House, api: httpx.Client, status: str) -> None:
    busy = api.post(f"/api/runs/{house.task}/resume", json={})

    assert busy.status_code in (409, 422) and busy.json()["error"]["hint"]
    assert api.post(f"/api/runs/{house.run}/resume", json={"direction": "  "}).status_code == 422
    assert api.post(f"/api/runs/{house.run}/resume", json={"budget": {"money": -1}}).status_code == 422


def test_tokens_are_made_listed_and_taken_back(house: House, api: httpx.Client) -> None:
    made = api.post("/api/tokens", json={"name": "ci", "role": "viewer"})
    again = api.post("/api/tokens", json={"name": "ci", "role": "viewer"})
    listed = api.get("/api/tokens").json()["tokens"]
    gone = api.delete("/api/tokens/ci")

    assert (made.status_code, again.status_code, gone.status_code) == (201, 422, 200)
    assert "ci" in [each["name"] for each in listed] and made.json()["token"] not in json.dumps(listed)
