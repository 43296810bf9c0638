"""Notices to people: delivered once to each address, tried again when it fails, and no run waits for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from andon.app.notify_settings import Book, NotifySettings, book
from andon.app.notifying import Courier, notifying, send_trial
from andon.app.queries import open_store
from andon.app.serving import Address, announced
from andon.app.settings import load_settings, needing_trust
from andon.app.settings_sources import File
from andon.app.store import Store
from andon.app.trust import trust
from andon.domain.errors import UserError
from andon.domain.language import Language
from andon.domain.notices import Event, Notice
from andon.domain.order import Question
from andon.domain.run import RunRow
from andon.domain.tasks.reminders import To
from andon.engine import notices
from receiver import SECONDS, Receiver
from warm import outside


@pytest.fixture
def receivers() -> Iterator[Callable[[], Receiver]]:
    made: list[Receiver] = []

    def make() -> Receiver:
        made.append(Receiver())
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return outside() | {"ANDON_HOME": str(tmp_path)}


@pytest.fixture
def store(home: dict[str, str]) -> Store:
    return open_store(home)


def to(*urls: str, events: Any = None) -> Book:
    return book(NotifySettings(urls=urls, admin_urls=None, events=events), {})  # type: ignore[arg-type]


def run_of(store: Store, folder: Path, **more: Any) -> RunRow:
    common = {"pipeline": "auto", "task": "Greet everybody", "feature": "f", "repository": str(folder), "branch": "b"}
    return store.runs.create("r1", {**common, "spec": {"language": "en"}, **more})


def notice(key: str, **more: Any) -> Notice:
    told = {"run": "r1", "event": Event.QUESTION, "type": "user_question", "urgency": "high", "to": To.CREATOR}
    return Notice(key, **{**told, "title": "질문: Which?", "text": "One, or two?", **more})


def posted(store: Store, key: str, addresses: Book) -> None:
    store.notices.post(notice(key), addresses.addressed(notice(key)), time.time())


def test_E_26_a_notice_arrives_with_its_words_and_its_urgency(
    store: Store, home: dict[str, str], receivers: Callable[[], Receiver]
) -> None:
    one, two = receivers(), receivers()
    addresses = to(one.url, two.url)
    posted(store, "r1/1.7/opened", addresses)

    tried = Courier(store, addresses, home).deliver_due()

    assert [each.problem for each in tried] == ["", ""]
    for each in (one, two):
        [got] = each.got
        assert (got["title"], got["message"], got["type"]) == ("질문: Which?", "One, or two?", "warning")
    assert {each.state for each in store.notices.deliveries()} == {"delivered"}


def test_E_26_a_notice_leads_to_the_page_of_its_run_where_one_is_served(
    store: Store, home: dict[str, str], receivers: Callable[[], Receiver]
) -> None:
    one = receivers()
    posted(store, "r1/1.8/opened", to(one.url))

    with announced(store.home, Address("127.0.0.1", 4747)):
        Courier(store, to(one.url), home).deliver_due()

    [got] = one.got
    assert got["message"] == "One, or two?\n\nhttp://127.0.0.1:4747/runs/r1"


def test_E_26_what_was_delivered_is_never_sent_again(
    store: Store, home: dict[str, str], receivers: Callable[[], Receiver]
) -> None:
    receiver = receivers()
    addresses = to(receiver.url)
    for _ in range(3):
        posted(store, "r1/1.7/opened", addresses)
        Courier(store, addresses, home).deliver_due()

    assert len(receiver.got) == 1


def test_E_26_of_two_couriers_a_delivery_is_ones_alone(
    store: Store, home: dict[str, str], receivers: Callable[[], Receiver]
) -> None:
    receiver = receivers()
    receiver.hanging.clear()
    addresses = to(receiver.url)
    posted(store, "r1/1.7/opened", addresses)
    couriers = [threading.Thread(target=Courier(open_store(home), addresses, home).deliver_due) for _ in range(2)]
    for each in couriers:
        each.start()
    deadline = time.monotonic() + SECONDS
    while all(each.is_alive() for each in couriers):  # the one without a delivery has nothing to wait for
        assert time.monotonic() < deadline, "both wait for the server"
        couriers[0].join(0.02)
        couriers[1].join(0.02)

    receiver.hanging.set()
    for each in couriers:
        each.join(SECONDS)

    assert len(receiver.got) == 1


def test_E_26_a_failure_is_told_in_the_journal_and_tried_again_later(
    store: Store,
    home: dict[str, str],
    tmp_path: Path,
    receivers: Callable[[], Receiver],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_of(store, tmp_path)
    receiver = receivers()
    receiver.status = 503
    addresses = to(receiver.url)
    posted(store, "r1/1.7/opened", addresses)
    before = time.time()

    [tried] = Courier(store, addresses, home).deliver_due()

    assert "503" in tried.problem and not tried.given_up
    [kept] = store.notices.deliveries()
    assert kept.state == "retrying" and kept.next_at is not None and kept.next_at >= before + notices.BACK_OFF[0]
    [entry] = store.journal.entries("r1")
    assert entry.kind == "warning" and "was not told (question)" in entry.data["text"] and entry.place == (1, 7)
    assert Courier(store, addresses, home).deliver_due() == []  # not before its time

    receiver.status = 200
    monkeypatch.setattr(time, "time", lambda: before + 60.0)
    [tried] = Courier(store, addresses, home).deliver_due()
    assert not tried.problem and len(receiver.got) == 1


def test_E_26_after_the_last_attempt_it_is_given_up_and_said(
    store: Store, home: dict[str, str], tmp_path: Path
) -> None:
    run_of(store, tmp_path)
    addresses = to("json://127.0.0.1:1/nobody")
    posted(store, "r1/1.7/opened", addresses)
    for attempt in range(len(notices.BACK_OFF)):
        claimed = store.notices.claim(addresses.all, time.time() + 10**6 * (attempt + 1))
        assert claimed is not None and not store.notices.failed(claimed, "away", 0.0)

    [tried] = Courier(store, addresses, home).deliver_due()

    assert tried.given_up and store.notices.deliveries()[0].state == "given_up"
    assert "given up after 7 attempts" in store.journal.entries("r1")[-1].data["text"]
    assert Courier(store, addresses, home).deliver_due() == []


def test_E_26_one_address_that_is_down_does_not_keep_the_other_from_being_told(
    store: Store, home: dict[str, str], receivers: Callable[[], Receiver]
) -> None:
    receiver = receivers()
    addresses = to("json://127.0.0.1:1/nobody", receiver.url)
    for key in ("test/1", "test/2"):
        told = notice(key, run="")
        store.notices.post(told, addresses.addressed(told), 0.0)

    tried = Courier(store, addresses, home).deliver_due()

    assert len(receiver.got) == 2
    assert sorted(bool(each.problem) for each in tried) == [False, False, True]  # the second is not tried in vain


@pytest.mark.parametrize("kind", ["hold", "done"])
def test_E_26_a_run_never_waits_for_a_server_that_hangs(
    store: Store, home: dict[str, str], tmp_path: Path, receivers: Callable[[], Receiver], kind: str
) -> None:
    receiver = receivers()
    receiver.hanging.clear()
    run = run_of(store, tmp_path)
    environment = home | {"ANDON_NOTIFY_URLS": receiver.url}

    with notifying(store, run, environment):
        began = time.monotonic()
        _say(store, kind)
        said = time.monotonic() - began
        receiver.hanging.set()

    assert said < 2.0
    receiver.until(1)


def test_E_26_a_server_that_hangs_costs_the_end_of_a_run_a_bounded_time(
    store: Store, home: dict[str, str], tmp_path: Path, receivers: Callable[[], Receiver]
) -> None:
    receiver = receivers()
    receiver.hanging.clear()
    run = run_of(store, tmp_path)

    began = time.monotonic()
    with notifying(store, run, home | {"ANDON_NOTIFY_URLS": receiver.url}):
        _say(store, "done")

    assert time.monotonic() - began < 20.0
    [kept] = store.notices.deliveries()
    assert (kept.state, kept.attempts) == ("retrying", 1) and kept.problem


def _say(store: Store, kind: str) -> None:
    if kind == "hold":
        store.holds.open("r1/1.7", "r1", Question("Which?", ("one", "two")))
        data = {"hold": "r1/1.7", "question": "Which?", "options": ["one", "two"], "category": "question"}
        store.journal.append("r1", "1.7/opened", "hold_opened", "", data)
    else:
        data = {"status": "done", "reason": "goal_met", "message": "Well."}
        store.journal.append("r1", "1.9", "run_ended", "", data)


def test_E_26_D_114_what_a_run_says_reaches_people_in_the_language_of_its_task(
    store: Store, home: dict[str, str], tmp_path: Path, receivers: Callable[[], Receiver]
) -> None:
    receiver = receivers()
    run = run_of(store, tmp_path, task="모두에게 인사하기", spec={"language": "ko"})

    with notifying(store, run, home | {"ANDON_NOTIFY_URLS": receiver.url}):
        _say(store, "hold")
        store.journal.append("r1", "1.8", "notice", "", {"text": "nothing to fetch anybody for"})
        store.journal.append("r1", "1.8w", "budget_warning", "", {"line": "tokens", "spent": 80, "limit": 100})
        failed = {"status": "failed", "reason": "same_failure", "message": "Three times the same."}
        store.journal.append("r1", "1.9", "run_ended", "", failed)

    got = receiver.until(3)
    assert [each["title"] for each in got] == [
        "질문: 모두에게 인사하기",
        "예산: 모두에게 인사하기",
        "실패: 모두에게 인사하기",
    ]
    assert "답하기: andon answer r1/1.7" in got[0]["message"] and "one | two" in got[0]["message"]
    assert got[1]["message"].startswith("100 tokens 중 80 tokens 사용됨.") and got[2]["message"].startswith(
        "Three times"
    )


def test_E_26_a_question_that_a_killed_process_did_not_tell_is_told_by_the_next(
    store: Store, home: dict[str, str], tmp_path: Path, receivers: Callable[[], Receiver]
) -> None:
    receiver = receivers()
    run = run_of(store, tmp_path)
    _say(store, "hold")  # and the process is gone

    for _ in range(2):
        with notifying(store, run, home | {"ANDON_NOTIFY_URLS": receiver.url}):
            pass

    assert [each["title"] for each in receiver.until(1)] == ["Question: Greet everybody"]


def test_E_26_only_the_events_that_were_asked_for(
    store: Store, home: dict[str, str], tmp_path: Path, receivers: Callable[[], Receiver]
) -> None:
    receiver = receivers()
    run = run_of(store, tmp_path)
    environment = home | {"ANDON_NOTIFY_URLS": receiver.url, "ANDON_NOTIFY_EVENTS": "failed, done"}

    with notifying(store, run, environment):
        _say(store, "hold")
        _say(store, "done")

    assert [each["title"] for each in receiver.until(1)] == ["Done: Greet everybody"]


def test_E_26_wrong_settings_cost_the_notices_and_not_the_run(
    store: Store, home: dict[str, str], tmp_path: Path
) -> None:
    run = run_of(store, tmp_path)

    with notifying(store, run, home | {"ANDON_NOTIFY_URLS": "no-address"}):
        pass

    [entry] = store.journal.entries("r1")
    assert entry.kind == "warning" and "Nobody is told" in entry.data["text"]


# --- settings -------------------------------------------------------------------------------------------------------


def test_E_28_addresses_are_printed_and_kept_nowhere(store: Store, home: dict[str, str], tmp_path: Path) -> None:
    secret = "hunter2hunter2"
    url = f"json://ada:{secret}@127.0.0.1:1/path-{secret}"
    environment = home | {"TEAM_CHAT_URL": url, "ANDON_NOTIFY_URLS": "$TEAM_CHAT_URL"}
    settings, _ = load_settings(store.home, None, environment, {})
    found = book(settings.notify, environment)

    [tried] = send_trial(store, environment, None, Language.EN)

    assert tried.problem and secret not in tried.problem
    assert secret not in repr(settings) + repr(found) + repr(store.notices.deliveries())
    file = File.read(_written(tmp_path / "andon.toml", f'[notify]\nurls = ["{url}"]\nevents = ["done"]\n'))
    assert needing_trust(file) == {"notify": {"urls": "(1)", "events": ["done"]}}
    assert secret.encode() not in (tmp_path / "andon.db").read_bytes() + (tmp_path / "andon.db-wal").read_bytes()


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_E_26_a_repository_tells_nobody_until_it_is_trusted(store: Store, home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "repository").mkdir()
    file = _written(tmp_path / "repository" / "andon.toml", '[notify]\nurls = ["json://127.0.0.1:1"]\n')

    assert load_settings(store.home, file.parent, home, {})[0].notify.urls is None
    trust(store.home, File.read(file))
    assert load_settings(store.home, file.parent, home, {})[0].notify.urls is not None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "No address"),
        ({"ANDON_NOTIFY_URLS": "$NOT_THERE"}, "names NOT_THERE, which is not set"),
        ({"ANDON_NOTIFY_URLS": "somewhere"}, "no address"),
        ({"ANDON_NOTIFY_EVENTS": "lunch"}, "ANDON_NOTIFY_EVENTS"),
    ],
)
def test_E_26_what_is_wrong_with_the_settings_is_said(
    store: Store, home: dict[str, str], given: dict[str, str], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        send_trial(store, home | given, None, Language.EN)


def test_E_26_an_address_of_a_service_that_does_not_exist_is_said(store: Store, home: dict[str, str]) -> None:
    [tried] = send_trial(store, home | {"ANDON_NOTIFY_URLS": "nosuch://x/y"}, None, Language.KO)

    assert "does not understand" in tried.problem and "appriseit" in tried.hint
