"""People are told about real runs, and can see what they were told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


def test_E_26_a_run_that_is_done_says_so(person: Any, receiver: Receiver) -> None:
    ran = person.auto(env={"TEAM_CHAT": receiver.url, "ANDON_NOTIFY_URLS": "$TEAM_CHAT"})

    assert ran.code == 0, ran.stdout + ran.stderr
    [got] = receiver.until(1)
    assert got["title"] == "Done: greet" and f"andon status {person.runs()[0]['id']}" in got["message"]
    [row] = json.loads(person.andon("notify", "list", "--json").stdout)
    assert (row["event"], row["state"], row["attempts"], row["run"]) == ("done", "delivered", 1, person.runs()[0]["id"])
    assert "delivered" in person.andon("notify", "list").stdout


def test_E_26_a_run_that_failed_says_so_and_one_that_nobody_hears_goes_on(person: Any) -> None:
    person.play({"verifier": {"reply": "VERDICT: REJECT\nIt greets nobody."}})

    ran = person.auto(env={"ANDON_NOTIFY_URLS": "json://127.0.0.1:1/nobody"})

    assert ran.code in (1, 2) and "was not told" in ran.stdout
    [row] = json.loads(person.andon("notify", "list", "--json").stdout)
    assert row["state"] == "retrying" and row["event"] in ("failed", "needs_user")


def test_E_26_a_trial_says_what_came_of_each_address(person: Any, receiver: Receiver) -> None:
    good = person.andon("notify", "test", "--language", "ko", env={"ANDON_NOTIFY_URLS": receiver.url})
    assert good.code == 0 and "delivered" in good.stdout and receiver.got[0]["title"] == "andon 알림 시험"

    bad = person.andon("notify", "test", "--json", env={"ANDON_NOTIFY_URLS": "json://127.0.0.1:1/nobody"})
    [told] = json.loads(bad.stdout)
    assert bad.code == 1 and not told["delivered"] and told["problem"] and told["to"] == "json://127.0.0.1:1"

    none = person.andon("notify", "test")
    assert none.code == 3 and "No address" in none.stderr and "[notify] urls" in none.stderr


def test_E_26_what_is_due_can_be_sent_by_hand(person: Any) -> None:
    assert person.andon("notify", "send").stdout == "Nothing is due.\n"
    assert "Nobody was told" in person.andon("notify", "list").stdout


def test_D_104_D_112_D_113_reviews_that_wait_by_hand(person: Any) -> None:
    assert "Off: a phase waits" in person.andon("task", "auto-approval").stdout
    switched = json.loads(person.andon("task", "auto-approval", "on", "--json", env={"USER": "kim"}).stdout)
    assert (switched["name"], switched["value"], switched["by"]) == ("review_auto_approve_after_7_days", "true", "kim")

    told = json.loads(person.andon("task", "remind", "--json").stdout)
    assert told["acted"] == [] and (told["pendingOver24h"], told["autoApproved"]) == (0, 0)
    assert "is ON, switched on by kim" in person.andon("task", "remind").stdout
