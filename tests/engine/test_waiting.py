"""Waiting for a person inside a step: answers, defaults, stops, and clocks that cannot be trusted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, cast

import pytest

from andon.domain.errors import UserError
from andon.domain.order import Question
from andon.engine.holds import Watcher
from andon.engine.redaction import Redaction
from andon.engine.services import Shared
from andon.engine.waiting import Waiting

DEADLINE = 10.0


class Process:
    """A process that executes runs, as far as waiting is concerned: it can be begun anew on the same database."""

    def __init__(self, store: Any, eventually: Callable[..., None]) -> None:
        self.store = store
        self.eventually = eventually
        self.watcher = Watcher(store.engine)
        self.watcher.start()

    def waiting(self, run: str = "r1") -> Waiting:
        store = self.store
        shared = Shared(
            cast("Any", None), store.journal, store.ledger, store.holds, self.watcher, store.runs, store.reviews
        )
        return Waiting(shared, run)

    def do(self, work: Callable[[], Awaitable[Any]]) -> tuple[Any, float]:
        """The value of `work`, and how many seconds it took."""

        async def within() -> Any:
            async with asyncio.timeout(DEADLINE):
                return await work()

        started = time.monotonic()
        return asyncio.run(within()), time.monotonic() - started


@pytest.fixture
def process(store: Any, eventually: Callable[..., None]) -> Iterator[Process]:
    store.run()
    made = Process(store, eventually)
    yield made
    made.watcher.close()


async def opened(process: Process, id: str = "r1/1.1") -> None:
    await asyncio.to_thread(process.eventually, lambda: process.store.holds.get(id) is not None)


def test_E_25_a_persons_answer_ends_the_wait(process: Process) -> None:
    async def work() -> str | None:
        wait = asyncio.create_task(process.waiting().answer("1.1", Question("?", timeout=3600, default="no")))
        await opened(process)
        await asyncio.to_thread(process.store.holds.answer, "r1/1.1", "yes", "kim")
        return await wait

    answer, _ = process.do(work)

    assert answer == "yes"
    assert [(e.kind, e.data.get("answer")) for e in process.store.journal.entries("r1")] == [
        ("hold_opened", None),
        ("hold_answered", "yes"),
    ]
    assert process.store.runs.get("r1").status == "running"


def test_E_28_a_question_is_kept_without_the_secrets_in_it(process: Process) -> None:
    process.store.journal.redaction = Redaction({"API_TOKEN": "abcdefghij"})
    question = Question("Use abcdefghij?", ("abcdefghij", "no"), "no", timeout=0.1)

    process.do(lambda: process.waiting().answer("1.1", question))

    kept = process.store.holds.get("r1/1.1").question
    assert (kept.text, kept.options) == ("Use [redacted]?", ("[redacted]", "no"))


def test_a_waiting_run_is_shown_as_waiting(process: Process) -> None:
    async def work() -> None:
        wait = asyncio.create_task(process.waiting().answer("1.1", Question("?")))
        await asyncio.to_thread(process.eventually, lambda: process.store.runs.get("r1").status == "waiting")
        wait.cancel()

    process.do(work)


def test_E_25_without_an_answer_the_default_is_taken_after_the_timeout(process: Process) -> None:
    answer, seconds = process.do(lambda: process.waiting().answer("1.1", Question("?", ("a", "b"), "b", timeout=0.5)))

    assert answer == "b"
    assert 0.5 <= seconds < 5
    assert process.store.holds.get("r1/1.1").answered_by == "timeout"


def test_E_25_a_question_without_timeout_waits_on(process: Process) -> None:
    async def work() -> bool:
        wait = asyncio.create_task(process.waiting().answer("1.1", Question("?", default="a")))
        await opened(process)
        done, _ = await asyncio.wait({wait}, timeout=1)
        wait.cancel()
        return bool(done)

    assert process.do(work)[0] is False


def test_a_hold_that_became_overdue_while_no_process_ran_is_settled_at_once(process: Process) -> None:
    """The orchestrator was killed at a hold with an hour's timeout, and resumed two hours later."""
    store = process.store
    store.holds.open("r1/1.1", "r1", Question("?", default="go", timeout=3600))
    store.sql("UPDATE andon_holds SET opened_at = opened_at - 7200")

    answer, seconds = process.do(lambda: process.waiting().answer("1.1", Question("?", default="go", timeout=3600)))

    assert answer == "go"
    assert seconds < 5


def test_E_25_a_person_who_asks_the_run_to_wait_is_waited_for_beyond_the_timeout(process: Process) -> None:
    async def work() -> str | None:
        question = Question("?", default="go", timeout=0.5)
        wait = asyncio.create_task(process.waiting().answer("1.1", question))
        await opened(process)
        assert await asyncio.to_thread(process.store.holds.keep_waiting, "r1/1.1", "kim")
        await asyncio.to_thread(process.eventually, lambda: process.watcher.parked == 1)  # its time is up
        await asyncio.to_thread(process.store.holds.answer, "r1/1.1", "stop", "kim")
        return await wait

    answer, seconds = process.do(work)

    assert answer == "stop" and seconds >= 0.5
    assert process.watcher.parked == 0


def test_E_25_what_was_asked_to_wait_still_waits_after_its_process_was_killed(process: Process) -> None:
    store, question = process.store, Question("?", default="go", timeout=3600)
    store.holds.open("r1/1.1", "r1", question)
    assert store.holds.keep_waiting("r1/1.1", "kim")
    store.sql("UPDATE andon_holds SET opened_at = opened_at - 7200")

    async def work() -> str | None:
        wait = asyncio.create_task(process.waiting().answer("1.1", question))
        await asyncio.to_thread(process.eventually, lambda: process.watcher.parked == 1)
        await asyncio.to_thread(store.holds.answer, "r1/1.1", "stop", "lee")
        return await wait

    assert process.do(work)[0] == "stop"


def test_E_25_only_an_open_question_can_be_asked_to_wait_and_once_is_enough(process: Process) -> None:
    holds = process.store.holds
    holds.open("r1/1.1", "r1", Question("?", default="go", timeout=3600))

    assert [holds.keep_waiting("r1/1.1", name) for name in ("kim", "lee")] == [True, False]
    assert holds.get("r1/1.1").kept_by == "kim" and holds.get("r1/1.1").deadline is None
    assert not holds.take_default("r1/1.1", "timeout")
    holds.answer("r1/1.1", "stop", "kim")
    with pytest.raises(UserError, match="already answered by kim"):
        holds.keep_waiting("r1/1.1", "lee")
    with pytest.raises(UserError, match="No question r1/9"):
        holds.keep_waiting("r1/9", "lee")


def test_an_answer_given_while_no_process_ran_is_found(process: Process) -> None:
    process.store.holds.open("r1/1.1", "r1", Question("?"))
    process.store.holds.answer("r1/1.1", "yes", "kim")

    answer, seconds = process.do(lambda: process.waiting().answer("1.1", Question("?")))

    assert answer == "yes"
    assert seconds < 5


def test_a_persons_answer_beats_the_default_by_a_moment_and_keeps(process: Process) -> None:
    """However the race ends, what the run goes on with is what is written down."""
    for number in range(10):
        id = f"1.{number}"

        async def work(id: str = id) -> str | None:
            question = Question("?", default="default", timeout=0.15)
            wait = asyncio.create_task(process.waiting().answer(id, question))
            await opened(process, f"r1/{id}")
            await asyncio.sleep(0.12)
            try:
                await asyncio.to_thread(process.store.holds.answer, f"r1/{id}", "person", "kim")
            except UserError as late:
                assert "answered by timeout" in late.message
            return await wait

        answer, _ = process.do(work)
        assert answer == process.store.holds.get(f"r1/{id}").answer


def test_a_clock_set_back_never_makes_a_wait_longer(process: Process) -> None:
    """The hold was opened by a clock that ran an hour ahead; its timeout is half a second."""
    store = process.store
    question = Question("?", default="go", timeout=0.5)
    store.holds.open("r1/1.1", "r1", question)
    store.sql("UPDATE andon_holds SET opened_at = opened_at + 3600")

    answer, seconds = process.do(lambda: process.waiting().answer("1.1", question))

    assert answer == "go"
    assert seconds < 5


def test_a_stop_ends_every_wait_and_leaves_the_question_open(process: Process) -> None:
    async def work() -> list[Any]:
        waiting = process.waiting()
        never = asyncio.get_running_loop().create_future()
        waits = [
            asyncio.create_task(waiting.answer("1.1", Question("?", default="a", timeout=3600))),
            asyncio.create_task(waiting.first_of(never)),
            asyncio.create_task(waiting.until(time.time() + 3600)),
        ]
        await opened(process)
        await asyncio.to_thread(process.store.holds.request_stop, "r1")
        return await asyncio.gather(*waits)

    answer, seconds = process.do(work)

    assert answer == [None, False, False]
    assert seconds < 5
    assert process.store.holds.get("r1/1.1").open


def test_a_stop_from_before_the_process_started_is_obeyed_at_once(store: Any, eventually: Callable[..., None]) -> None:
    """The process that was to obey it was killed first."""
    store.run()
    store.holds.request_stop("r1")
    process = Process(store, eventually)

    answer, seconds = process.do(lambda: process.waiting().answer("1.1", Question("?", default="a", timeout=3600)))

    assert answer is None
    assert seconds < 5
    process.watcher.close()


def test_work_that_is_done_is_not_taken_for_stopped(process: Process) -> None:
    async def work() -> list[bool]:
        loop = asyncio.get_running_loop()
        done, late = loop.create_future(), loop.create_future()
        done.set_result(1)
        loop.call_later(0.05, late.set_result, 1)
        never = loop.create_future()
        waiting = process.waiting()
        return [await waiting.first_of(done), await waiting.first_of(late), await waiting.first_of(never, within=0.05)]

    assert process.do(work)[0] == [True, True, False]


def test_a_moment_that_has_passed_is_not_waited_for(process: Process) -> None:
    reached, seconds = process.do(lambda: process.waiting().until(time.time() - 10))

    assert reached is True
    assert seconds < 5


def test_a_moment_is_waited_for(process: Process) -> None:
    reached, seconds = process.do(lambda: process.waiting().until(time.time() + 0.3))

    assert reached is True
    assert 0.3 <= seconds < 5
