"""A worker that answers, crashes, hangs or floods: its caller gets an answer or None, in time, and can ask again."""

from __future__ import annotations

import sys
import threading

import pytest

from andon.processes.worker import Worker

PROGRAM = """
import ctypes, struct, sys, time
while head := sys.stdin.buffer.read(4):
    text = sys.stdin.buffer.read(*struct.unpack(">I", head))
    if text == b"crash":
        ctypes.string_at(0)
    if text == b"hang":
        time.sleep(600)
    if text == b"half":
        sys.stdout.buffer.write(struct.pack(">I", 100) + b"only this")
        break
    sys.stdout.buffer.write(struct.pack(">I", len(text)) + text.upper())
    sys.stdout.buffer.flush()
"""


@pytest.fixture
def worker() -> Worker:
    return Worker((sys.executable, "-I", "-c", PROGRAM))


def test_it_answers_whatever_the_size(worker: Worker) -> None:
    assert worker.ask(b"a word", 30) == b"A WORD"
    assert worker.ask(b"", 30) == b""
    assert worker.ask(b"x" * 5_000_000, 30) == b"X" * 5_000_000


@pytest.mark.parametrize("request_", [b"crash", b"half"])
def test_a_death_costs_one_request_and_not_the_caller(worker: Worker, request_: bytes) -> None:
    assert worker.ask(request_, 30) is None
    assert worker.ask(b"again", 30) == b"AGAIN"


def test_one_that_hangs_is_ended_in_time(worker: Worker) -> None:
    assert worker.ask(b"hang", 0.2) is None
    assert worker.ask(b"again", 30) == b"AGAIN"


def test_threads_that_share_one_get_their_own_answers(worker: Worker) -> None:
    answers: dict[int, bytes | None] = {}
    threads = [threading.Thread(target=lambda n=n: answers.update({n: worker.ask(b"a" * n, 30)})) for n in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == {n: b"A" * n for n in range(1, 21)}
