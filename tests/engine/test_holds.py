"""Holds: one answer wins, a stop is never lost, and whoever waits is woken, whatever order things are written in."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Question
from andon.engine.holds import Watcher

ANSWERER = """
import sys, time
from pathlib import Path
from andon.domain.errors import EnvironmentProblem, UserError
from andon.engine.database import open_database
from andon.engine.holds import Holds
url, go, name = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
holds = Holds(open_database(url))
print("ready", flush=True)
while not go.exists():
    time.sleep(0.001)
won = 0
for number in range(10):
    try:
        holds.answer("r1/1.1", f"{name}.{number}", name)
        won += 1
    except UserError:
        pass
print(won)
"""
STOPPER = """
import sys
from andon.engine.database import open_database
from andon.engine.holds import Holds
Holds(open_database(sys.argv[1])).request_stop(sys.argv[2])
"""


@pytest.fixture
def watcher(store: Any) -> Iterator[Watcher]:
    watching = Watcher(store.engine)
    watching.start()
    yield watching
    watching.close()


# --- answering ------------------------------------------------------------------------------------------------


def test_E_25_a_question_comes_back_as_it_was_asked(store: Any) -> None:
    question = Question("정말? <b>\n", ("go", "stop"), "stop", 12.5, "approval")
    store.run()

    opened = store.holds.open("r1/1.1", "r1", question)

    assert opened == store.holds.get("r1/1.1")
    assert (opened.question, opened.open, opened.answer) == (question, True, None)
    assert store.holds.of_run("r1") == store.holds.all_open() == [opened]


def test_a_hold_that_is_opened_again_is_the_one_that_is_there(store: Any) -> None:
    store.run()
    first = store.holds.open("r1/1.1", "r1", Question("One?"))
    store.holds.answer("r1/1.1", "yes", "kim")

    again = store.holds.open("r1/1.1", "r1", Question("Two?"))

    assert (again.question.text, again.answer, again.opened_at) == ("One?", "yes", first.opened_at)


def test_a_hold_may_be_opened_by_several_at_once(store: Any) -> None:
    store.run()
    found: list[Any] = []
    together = threading.Barrier(8)

    def open_() -> None:
        together.wait(timeout=30)
        with suppress(UserError):
            found.append(store.holds.open("r1/1.1", "r1", Question("?")))

    threads = [threading.Thread(target=open_) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert len(found) == 8 and len(set(found)) == 1


def test_E_25_of_fifty_answers_at_once_exactly_one_wins_and_the_others_are_told(store: Any) -> None:
    # given
    store.run()
    store.holds.open("r1/1.1", "r1", Question("?"))
    won: list[str] = []
    told: list[str] = []
    together = threading.Barrier(50)

    def answer(name: str) -> None:
        together.wait(timeout=30)
        try:
            won.append(store.holds.answer("r1/1.1", f"by {name}", name).answer)
        except UserError as error:
            told.append(error.message)

    # when
    threads = [threading.Thread(target=answer, args=(f"person-{n}",)) for n in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    # then
    hold = store.holds.get("r1/1.1")
    assert won == [hold.answer] == [f"by {hold.answered_by}"]
    assert told == [f"Question r1/1.1 was already answered by {hold.answered_by}: {hold.answer}"] * 49


def test_E_25_of_the_answers_of_many_processes_exactly_one_wins(
    store: Any, tmp_path: Any, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    store.run()
    store.holds.open("r1/1.1", "r1", Question("?"))
    started = [programs(ANSWERER, store.url, tmp_path / "go", f"p{n}") for n in range(5)]
    for process in started:
        assert process.stdout.readline() == "ready\n"

    (tmp_path / "go").touch()

    assert sorted(finish(process) for process in started) == ["0\n", "0\n", "0\n", "0\n", "1\n"]
    assert store.holds.all_open() == []


def test_an_answer_to_nothing_is_a_persons_mistake(store: Any) -> None:
    with pytest.raises(UserError, match=r"No question r9/1\.1"):
        store.holds.answer("r9/1.1", "yes", "kim")


@pytest.mark.parametrize("text", ["a\x00b", "a\udcffb"], ids=["NUL", "undecodable byte"])
def test_what_an_agent_asks_and_a_person_types_need_not_be_text(store: Any, text: str) -> None:
    store.run()
    store.holds.open("r1/1.1", "r1", Question(text, (text, "b"), text))

    hold = store.holds.answer("r1/1.1", text, text)

    assert hold.question.text == hold.answer == hold.answered_by == "a�b"


# --- stopping -------------------------------------------------------------------------------------------------


def test_a_stop_outlives_the_process_that_was_to_obey_it(
    store: Any, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    """Written by one process; nobody was there to see it; the next one finds it."""
    store.run()

    finish(programs(STOPPER, store.url, "r1"))

    assert store.holds.stop_requested("r1")


def test_a_stop_concerns_one_run_and_the_leg_it_was_asked_in(store: Any) -> None:
    store.run("r1")
    store.run("r2")
    store.holds.request_stop("r1")
    assert not store.holds.stop_requested("r2")

    # when the run is resumed, as a new leg
    store.runs.update("r1", leg=2)
    assert not store.holds.stop_requested("r1")
    store.holds.request_stop("r1")

    # then a new stop counts again
    assert store.holds.stop_requested("r1")


# --- the watcher ----------------------------------------------------------------------------------------------


def woken_within(future: Any, seconds: float) -> float:
    """How long it took; fails when it took longer."""
    started = time.monotonic()

    async def wait() -> None:
        async with asyncio.timeout(seconds):
            await future()

    asyncio.run(wait())
    return time.monotonic() - started


def test_an_answer_of_another_process_wakes_within_a_second(
    store: Any, watcher: Watcher, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    # given three runs whose processes wait; three, because a busy machine may be late once
    async def seconds_until_woken(run: str) -> float:
        future = watcher.future("stop", run)
        await asyncio.to_thread(finish, programs(STOPPER, store.url, run))
        written = time.monotonic()
        await future
        return time.monotonic() - written

    # when another process writes, and has ended
    async def measure() -> list[float]:
        return [await seconds_until_woken(store.run(run)) for run in ("r1", "r2", "r3")]

    # then
    waits: list[float] = []

    async def within() -> None:
        waits.extend(await measure())

    woken_within(within, 100)
    assert min(waits) < 1, waits


def test_a_stop_of_another_process_wakes_every_part_of_the_run_and_no_other(
    store: Any, watcher: Watcher, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    store.run()

    async def stopped() -> None:
        ours = [watcher.future("stop", "r1") for _ in range(3)]
        other = watcher.future("stop", "r2")
        await asyncio.to_thread(finish, programs(STOPPER, store.url, "r1"))
        await asyncio.gather(*ours)
        assert not other.done()

    woken_within(stopped, 30)


def test_a_thousand_waiting_parts_are_woken_each_by_its_own_answer(store: Any, watcher: Watcher) -> None:
    store.run()
    for number in range(20):
        store.holds.open(f"r1/1.{number}", "r1", Question("?"))

    async def answered() -> None:
        futures = {n: watcher.future("answered", f"r1/1.{n}") for n in range(1000)}
        for number in range(20):
            await asyncio.to_thread(store.holds.answer, f"r1/1.{number}", "yes", "kim")
        await asyncio.gather(*(futures[n] for n in range(20)))
        assert not any(futures[n].done() for n in range(20, 1000))

    woken_within(answered, 30)


def test_what_was_signalled_before_the_watcher_started_wakes_nobody(store: Any) -> None:
    store.run()
    store.holds.request_stop("r1")
    watcher = Watcher(store.engine)
    watcher.start()

    async def later() -> None:
        old = watcher.future("stop", "r1")
        new = watcher.future("stop", "r2")
        await asyncio.to_thread(store.holds.request_stop, "r2")
        await new
        assert not old.done()

    store.run("r2")
    woken_within(later, 30)
    watcher.close()


SIGNAL = "INSERT INTO andon_signals (run, kind, subject, at) VALUES ('{run}', 'stop', '1', 0)"


@pytest.mark.postgres
@pytest.mark.parametrize("between", [1, 40, 150])
def test_a_signal_that_commits_after_later_ones_is_not_missed(
    postgres_url: str, open_store: Callable[..., Any], between: int
) -> None:
    # given: a transaction has its number, but has not committed, and others after it have
    store = open_store(postgres_url)
    watcher = Watcher(store.engine)
    watcher.start()

    async def out_of_order() -> None:
        slow, quick = watcher.future("stop", "slow"), watcher.future("stop", f"quick-{between}")
        with store.engine.connect() as connection:
            connection.execute(sa.text(SIGNAL.format(run="slow")))
            for number in range(between):
                store.sql(SIGNAL.format(run=f"quick-{number + 1}"))
            await quick
            assert not slow.done()
            # when
            connection.commit()
        # then
        await slow

    woken_within(out_of_order, 30)
    watcher.close()


@pytest.mark.postgres
def test_a_signal_under_way_while_the_watcher_starts_is_not_missed(
    postgres_url: str, open_store: Callable[..., Any]
) -> None:
    # given: number 1 is under way, number 2 is written
    store = open_store(postgres_url)
    with store.engine.connect() as connection:
        connection.execute(sa.text(SIGNAL.format(run="slow")))
        store.sql(SIGNAL.format(run="quick"))
        watcher = Watcher(store.engine)
        watcher.start()

        async def commit_late() -> None:
            slow = watcher.future("stop", "slow")
            # when
            connection.commit()
            # then
            await slow

        woken_within(commit_late, 30)
    watcher.close()


def test_the_watcher_outlives_a_database_that_is_away_for_a_moment(
    store: Any, watcher: Watcher, eventually: Callable[..., None]
) -> None:
    # given a signals table that is gone, for long enough that the watcher missed it and connected anew
    connections = 0

    def count(*_: Any) -> None:
        nonlocal connections
        connections += 1

    store.run()
    store.sql("ALTER TABLE andon_signals RENAME TO away")
    sa.event.listen(store.engine, "connect", count)
    eventually(lambda: connections >= 2)

    # when it comes back
    store.sql("ALTER TABLE away RENAME TO andon_signals")

    # then
    async def stopped() -> None:
        future = watcher.future("stop", "r1")
        await asyncio.to_thread(store.holds.request_stop, "r1")
        await future

    woken_within(stopped, 30)


def test_a_watcher_whose_database_failed_for_good_says_so(sqlite_store: Any, eventually: Callable[..., None]) -> None:
    # given a watcher that has to connect anew, because it found no signals
    problems: list[EnvironmentProblem] = []
    watcher = Watcher(sqlite_store.engine)
    watcher.start(problems.append)
    sqlite_store.sql("ALTER TABLE andon_signals RENAME TO away")

    # when there is no database any more
    sqlite_store.engine.dispose()
    path = Path(sqlite_store.engine.url.database)
    path.rename(path.with_suffix(".gone"))
    path.mkdir()

    # then whoever executes runs is told, once
    eventually(lambda: problems)
    assert "cannot be opened" in problems[0].message
    watcher.close()
    assert len(problems) == 1


@pytest.mark.postgres
def test_the_watcher_outlives_a_server_that_ends_its_connections(
    postgres_url: str, open_store: Callable[..., Any], cluster: Any
) -> None:
    store = open_store(postgres_url)
    store.run()
    watcher = Watcher(store.engine)
    watcher.start()

    async def stopped() -> None:
        future = watcher.future("stop", "r1")
        cluster.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 't%'")
        await asyncio.to_thread(store.holds.request_stop, "r1")
        await future

    woken_within(stopped, 30)
    watcher.close()


def test_one_that_no_longer_waits_does_not_keep_the_others_from_being_woken(store: Any, watcher: Watcher) -> None:
    store.run()

    async def gone() -> None:
        watcher.future("stop", "r1")

    asyncio.run(gone())  # its loop is closed now

    async def stopped() -> None:
        cancelled, waiting = watcher.future("stop", "r1"), watcher.future("stop", "r1")
        cancelled.cancel()
        await asyncio.to_thread(store.holds.request_stop, "r1")
        await waiting

    woken_within(stopped, 30)


def test_a_process_can_wake_its_own_without_the_database(store: Any, watcher: Watcher) -> None:
    async def woken() -> None:
        future = watcher.future("stop", "r1")
        watcher.wake("stop", "r1")
        await future

    assert woken_within(woken, 5) < 1
