"""Reviews that wait: who is told when, once each, and what time alone may approve."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from andon.app.notify_settings import Book, NotifySettings, book
from andon.app.queries import open_store
from andon.app.reminding import Reminding, auto_approval, overdue, overview, reassign, switch_auto_approval
from andon.app.store import Store
from andon.domain.errors import Conflict, UserError
from andon.domain.order import Question
from andon.domain.tasks.reminders import AUTO_APPROVE_SETTING, Stage
from andon.domain.tasks.reviews import Decision, Review
from andon.domain.tasks.states import ReviewState

OPENED = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
PASSED = {"passed": True, "criteria": [{"id": "scope", "passed": True, "detail": ""}], "report": "Fine."}
BOOK = book(NotifySettings(urls=("json://127.0.0.1/people",), admin_urls=("json://127.0.0.1/admins",), events=None), {})
FOUR = [Stage.REMINDER_1, Stage.REMINDER_2, Stage.ESCALATION, Stage.AUTO_APPROVAL]


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"ANDON_HOME": str(tmp_path)}


@pytest.fixture
def store(home: dict[str, str]) -> Store:
    return open_store(home)


def waits(store: Store, run: str = "r1", *, language: str = "en", **told: Any) -> Review:
    """A task that waits for the decision about its first phase since OPENED."""
    common = {"pipeline": "task", "task": "Lend tools", "feature": "f", "repository": "/r", "branch": "b"}
    store.runs.create(run, {**common, "spec": {"language": language}, "status": "waiting"})
    store.holds.open(f"{run}/1.7", run, Question("Phase 1?", category="review"))
    new = Review(f"{run}.1.7", run, 1, "tree", OPENED, "base", ("docs/a.md",))
    return store.reviews.open(f"{run}/1.7", new, {**PASSED, **told})


def after(hours: float) -> datetime:
    return OPENED + timedelta(hours=hours)


def fired(store: Store, hours: float, addresses: Book = BOOK) -> list[Stage]:
    return [each.stage for each in Reminding(store, addresses, {}).fire_due(after(hours))]


def decide(store: Store, review: Review, wanted: ReviewState = ReviewState.APPROVED) -> Review:
    return store.reviews.decide(review.id, wanted, Decision("ada", after(30), 1, "tree", "Good"))


def test_D_104_S_24_each_stage_at_its_hour_and_in_this_order(store: Store) -> None:
    review = waits(store)
    switch_auto_approval(store, True, "kim")

    found = {hour: fired(store, hour) for hour in (0, 23.9, 24, 47.9, 48, 71.9, 72, 167.9, 168, 500)}

    assert {hour: stages for hour, stages in found.items() if stages} == {
        24: [Stage.REMINDER_1],
        48: [Stage.REMINDER_2],
        72: [Stage.ESCALATION],
        168: [Stage.AUTO_APPROVAL],
    }
    told = [entry.data["stage"] for entry in store.journal.entries("r1") if entry.kind == "review_reminded"]
    assert told == [str(stage) for stage in FOUR] and not store.reviews.get(review.id).pending


def test_D_105_G_21_what_is_overdue_is_acted_on_at_once_and_what_is_recorded_not_again(store: Store) -> None:
    review = waits(store)
    fired(store, 25)

    assert fired(store, 50) == [Stage.REMINDER_2]
    assert fired(store, 50) == []
    assert Reminding(store, BOOK, {}).next_at() == after(72)
    assert list(store.reminders.of_review(review.id)) == [Stage.REMINDER_1, Stage.REMINDER_2]


def test_D_110_S_25_after_a_restart_the_rows_are_the_timers(store: Store, home: dict[str, str]) -> None:
    for run in ("r1", "r2"):
        waits(store, run)
    fired(store, 30)

    again = open_store(home)

    assert Reminding(again, BOOK, {}).next_at() == after(48)
    assert fired(again, 30) == [] and fired(again, 50) == [Stage.REMINDER_2] * 2


def test_D_104_of_many_processes_each_stage_is_ones_alone(store: Store, home: dict[str, str]) -> None:
    waits(store)
    found: list[Stage] = []
    start = threading.Barrier(6)

    def look() -> None:
        other = open_store(home)
        start.wait(30)
        found.extend(fired(other, 100))

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(found) == sorted([Stage.REMINDER_1, Stage.REMINDER_2, Stage.ESCALATION])
    assert len(store.notices.newest()) == 3


def test_D_106_a_reminder_says_how_long_and_how_urgent_it_is(store: Store) -> None:
    waits(store, "r1", language="ko")
    fired(store, 50)

    second, first = sorted(store.notices.newest(), key=lambda notice: notice.key, reverse=True)
    assert (first.type, first.urgency, first.to) == ("review_reminder", "normal", "creator")
    assert first.text.startswith("리뷰가 24시간 동안 대기 중입니다.")
    assert (second.type, second.urgency) == ("review_reminder", "high")
    assert second.text.startswith("긴급: 리뷰가 48시간 동안 대기 중입니다!") and "andon task show r1" in second.text


def test_D_106_D_109_X_54_after_a_decision_nothing_is_sent(store: Store) -> None:
    review = waits(store)
    fired(store, 24)
    decide(store, review)

    assert fired(store, 500) == [] and Reminding(store, BOOK, {}).next_at() is None
    assert list(store.reminders.of_review(review.id)) == [Stage.REMINDER_1]


def test_D_109_a_decision_between_the_look_and_the_act_wins(store: Store) -> None:
    review = waits(store)
    decide(store, review, ReviewState.CHANGES_REQUESTED)

    assert store.reminders.fire(review.id, Stage.REMINDER_1, after(24), BOOK.addressed) is None
    assert store.notices.newest() == []


def test_D_109_a_task_that_was_stopped_reminds_nobody_until_it_goes_on(store: Store) -> None:
    waits(store)
    store.runs.update("r1", status="stopped")
    assert fired(store, 100) == []

    store.runs.update("r1", status="waiting")
    assert fired(store, 100) == FOUR[:3]


def test_D_107_an_escalation_is_noted_and_goes_to_the_admins_too(store: Store) -> None:
    review = waits(store)
    fired(store, 72)

    kept = store.reviews.get(review.id)
    assert kept.escalated and kept.escalated_at == after(72)
    [notice] = [each for each in store.notices.newest() if each.event == "escalation"]
    assert (notice.type, notice.urgency, notice.to) == ("review_escalation", "critical", "admins")
    reached = {each.notice.event: set[str]() for each in store.notices.deliveries()}
    for each in store.notices.deliveries():
        reached[each.notice.event].add(each.target.fingerprint)
    assert len(reached["escalation"]) == 2 and len(reached["reminder"]) == 1


def test_D_107_whoever_looks_at_an_escalated_review_may_decide_it(store: Store) -> None:
    review = waits(store)
    fired(store, 72)

    assert decide(store, review).decided_by == "ada"


def test_D_104_G_29_another_reviewer_is_told_and_the_old_version_decides_nothing(store: Store) -> None:
    review = waits(store)

    changed = reassign(store, store.runs.get("r1"), review, " bob ", "kim", BOOK)

    assert (changed.reviewer, changed.version) == ("bob", 2)
    [entry] = store.journal.entries("r1")
    assert (entry.kind, entry.data["reviewer"], entry.data["by"], entry.place) == (
        "review_assigned",
        "bob",
        "kim",
        (1, 7),
    )
    assert "bob" in store.notices.newest()[0].text
    with pytest.raises(Conflict):
        decide(store, review)
    with pytest.raises(UserError, match="Say who"):
        reassign(store, store.runs.get("r1"), changed, " ", "kim", BOOK)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_D_108_X_53_switched_on_time_approves_as_the_system_and_the_run_goes_on(store: Store, language: str) -> None:
    review = waits(store, language=language)
    switch_auto_approval(store, True, "kim")

    fired(store, 168)

    kept, hold = store.reviews.get(review.id), store.holds.get("r1/1.7")
    comment = {"ko": "7일 타임아웃 후 자동 승인됨", "en": "Approved automatically after a timeout of 7 days"}[language]
    assert (kept.status, kept.decided_by, kept.auto_approved) == (ReviewState.APPROVED, "system", True)
    assert (kept.comment, kept.version, kept.decided_at) == (comment, 2, after(168))
    assert hold is not None and (hold.answer, hold.answered_by) == ("approved", "system")
    assert "review_auto_approved" in [each.type for each in store.notices.newest()]


def test_D_108_D_112_off_unless_switched_on_a_review_waits_for_ever(store: Store) -> None:
    review = waits(store)
    assert not auto_approval(store).on
    fired(store, 10_000)
    assert store.reviews.get(review.id).pending and Reminding(store, BOOK, {}).next_at() is None

    assert switch_auto_approval(store, True, "kim").value == "true"
    assert [each.id for each in overdue(store, after(10_000))] == [review.id]
    turned = switch_auto_approval(store, False, "lee")
    assert (turned.name, turned.value, turned.by) == (AUTO_APPROVE_SETTING, "false", "lee")
    assert fired(store, 10_001) == [] and store.reviews.get(review.id).pending


@pytest.mark.parametrize(
    "told",
    [
        {"passed": False},
        {"criteria": [{"id": "scope", "passed": True, "detail": ""}, {"id": "style", "passed": False, "detail": "x"}]},
        {"criteria": []},
    ],
    ids=["failed", "a remark failed", "nothing measured"],
)
def test_D_108_time_alone_never_approves_what_failed_or_was_not_measured(store: Store, told: dict[str, Any]) -> None:
    review = waits(store, **told)
    switch_auto_approval(store, True, "kim")

    assert fired(store, 168) == FOUR and fired(store, 169) == []

    assert store.reviews.get(review.id).pending and overdue(store, after(169)) == []
    [notice] = [each for each in store.notices.newest() if each.event == "auto_approval"]
    assert notice.urgency == "high" and "waits for a person" in notice.text
    last = store.journal.entries("r1")[-1].data
    assert (last["stage"], last["outcome"]) == ("auto_approval", "refused")


def test_D_113_how_many_wait_for_more_than_a_day_and_how_many_time_approved(store: Store) -> None:
    waits(store, "r1", passed=False)
    waits(store, "r2")
    switch_auto_approval(store, True, "kim")
    fired(store, 168)
    young = Review("r3.1.7", "r3", 1, "tree", after(169), "base")
    common = {"pipeline": "task", "task": "t", "feature": "f", "repository": "/r", "branch": "b", "spec": {}}
    store.runs.create("r3", {**common, "status": "waiting"})
    store.holds.open("r3/1.7", "r3", Question("Phase 1?", category="review"))
    store.reviews.open("r3/1.7", young, PASSED)

    told = overview(store, after(170)).as_json()

    assert (told["pendingOver24h"], told["autoApproved"]) == (1, 1)
    assert told["auto_approval"]["on"] and told["next_at"] == (after(169) + timedelta(hours=24)).isoformat()


def test_D_106_without_addresses_the_notice_is_kept_all_the_same(store: Store) -> None:
    waits(store)

    assert fired(store, 24, Book()) == [Stage.REMINDER_1]
    assert [each.type for each in store.notices.newest()] == ["review_reminder"] and store.notices.deliveries() == []


def test_D_110_the_watcher_acts_and_ends_when_it_is_told(store: Store) -> None:
    review = waits(store)  # in January, long overdue

    async def watched() -> None:
        stop, acted = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()
        store.journal.listen(
            lambda entry: loop.call_soon_threadsafe(acted.set) if entry.data.get("stage") == "escalation" else None
        )
        watching = asyncio.create_task(Reminding(store, Book(), {}).watch(stop))
        async with asyncio.timeout(30):
            await acted.wait()
            stop.set()
            await watching

    asyncio.run(watched())

    assert list(store.reminders.of_review(review.id)) == FOUR[:3]
