"""The server under load: many who listen while much is written, and many who decide the same review at once.

Everybody listens over a connection of their own, as a browser does. What is measured is the time from the moment an
entry was written to the moment a listener has it, by the clock of the machine on which both happen.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx
from ground import Ground
from rows import Row

from andon.app.access import Access, Role
from andon.app.home import Home
from andon.app.queries import open_store
from andon.app.store import Store
from andon.domain.order import Question
from andon.domain.tasks.reviews import Review

PER_SECOND = 100
SPEC: dict[str, Any] = {
    "version": 1,
    "request": {"options": {"type": "modify_app"}},
    "budget": {},
    "base": "0" * 40,
    "base_tree": "0" * 40,
    "worktree": "/r/worktree",
    "runtime": "scripted",
    "language": "en",
    "payload": {},
}


@dataclass(slots=True)
class Listener:
    run: str
    seqs: list[int] = field(default_factory=list[int])
    delays: list[float] = field(default_factory=list[float])


@dataclass(frozen=True, slots=True)
class Served:
    store: Store
    port: int
    token: str


def listening(ground: Ground, tasks: int, listeners: int, seconds: float) -> list[Row]:
    with served(ground) as server:
        runs = [_run(server.store, f"load{number:04}") for number in range(tasks)]
        heard = asyncio.run(_listen(server, runs, listeners, seconds))
    wrong = sum(each.seqs != list(range(1, len(each.seqs) + 1)) for each in heard)
    missing = sum(server.store.journal.newest(each.run) - len(each.seqs) for each in heard)
    delays = sorted(delay for each in heard for delay in each.delays)
    p95 = delays[int(len(delays) * 0.95)] * 1000
    detail = f"{len(delays):,} deliveries to {listeners} listeners of {tasks} tasks, {PER_SECOND} events per second"
    return [
        Row("sse", "from the journal to a listener, 95 of 100", p95, "ms", f"{detail}; median {_median(delays)}"),
        Row("sse-lost", "events lost or out of order", float(wrong + missing), "", ""),
    ]


def _median(delays: list[float]) -> str:
    return f"{delays[len(delays) // 2] * 1000:.0f} ms"


def deciding(ground: Ground, people: int) -> list[Row]:
    with served(ground) as server:
        review = _review(server.store, _run(server.store, "decide22"))
        started = time.perf_counter()
        statuses = asyncio.run(_decide(server, review, people))
        took = time.perf_counter() - started
    won, lost = statuses[200], statuses[409]
    wrong = abs(won - 1) + people - won - lost
    detail = f"{won} decided, {lost} were told of a conflict, {people - won - lost} anything else; {took:.1f} s"
    return [Row("decide", f"{people} approvals of one review: not one winner", wrong, "", detail)]


def drawing(ground: Ground, runs: int, rounds: int) -> list[Row]:
    """The pages that show all runs, when there are many: nearly all at rest, one in a hundred going on."""
    with served(ground) as server:
        for number in range(runs):
            id = _run(server.store, f"many{number:04}")
            server.store.journal.append(id, "1.1", "phase_entered", "analysis", {"name": "analysis"})
            if number % 100:
                server.store.runs.update(id, status="done", reason="goal_met")
        headers = {"authorization": f"Bearer {server.token}", "accept": "text/html"}
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", headers=headers, timeout=120) as client:
            took = {path: _drawn(client, path, rounds) for path in ("/", "/runs", "/api/runs")}
    detail = ", ".join(f"{path} {ms:.0f} ms" for path, ms in took.items())
    return [Row("draw", f"the board of {runs:,} runs, drawn again", took["/"], "ms", detail)]


def _drawn(client: httpx.Client, path: str, rounds: int) -> float:
    """The median in milliseconds, once everything has been looked at."""
    client.get(path).raise_for_status()
    times = list[float]()
    for _ in range(rounds):
        began = time.perf_counter()
        client.get(path).raise_for_status()
        times.append(time.perf_counter() - began)
    return sorted(times)[rounds // 2] * 1000


@contextmanager
def served(ground: Ground) -> Generator[Served]:
    environment = ground.environment | {"ANDON_HOME": str(ground.scratch / f"served-{time.monotonic_ns()}")}
    home = Home.of(environment)
    store = open_store(environment)
    words = [sys.executable, "-m", "andon", "serve", "--port", "0"]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r":(\d+)", process.stdout.readline())
        assert found
        try:
            yield Served(store, int(found[1]), Access(home).token("bench", Role.ADMIN))
        finally:
            process.terminate()


def _run(store: Store, id: str) -> str:
    words = {"pipeline": "task", "task": f"Task {id}", "feature": id, "repository": f"/r/{id}", "branch": f"feat/{id}"}
    store.runs.create(id, words | {"spec": SPEC})
    return id


def _review(store: Store, run: str) -> Review:
    hold = f"{run}/1.7"
    store.holds.open(hold, run, Question("Phase 1?", category="review"))
    found = Review(f"{run}.1.7", run, 1, "4b825dc", datetime.now(UTC), "base", ())
    return store.reviews.open(hold, found, {"passed": True, "criteria": [], "report": ""})


async def _listen(server: Served, runs: list[str], listeners: int, seconds: float) -> list[Listener]:
    heard = [Listener(runs[number % len(runs)]) for number in range(listeners)]
    ready = asyncio.Semaphore(0)
    going = [asyncio.create_task(_hear(server, each, ready)) for each in heard]
    for _ in heard:
        await asyncio.wait_for(ready.acquire(), 60)
    writer = threading.Thread(target=_write, args=(server.store, runs, seconds))
    writer.start()
    await asyncio.to_thread(writer.join)
    for _ in range(100):  # what is on its way still has ten seconds
        if all(len(each.seqs) == server.store.journal.newest(each.run) for each in heard):
            break
        await asyncio.sleep(0.1)
    for task in going:
        task.cancel()
    await asyncio.gather(*going, return_exceptions=True)
    return heard


def _write(store: Store, runs: list[str], seconds: float) -> None:
    begun = time.monotonic()
    for number in range(int(PER_SECOND * seconds)):
        wait = begun + number / PER_SECOND - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        store.journal.append(runs[number % len(runs)], f"1.{number}", "notice", "", {"text": f"event {number}"})


async def _hear(server: Served, listener: Listener, ready: asyncio.Semaphore) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    words = (
        f"GET /api/runs/{listener.run}/events HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Authorization: Bearer {server.token}",
        "Accept: text/event-stream",
    )
    writer.write("\r\n".join((*words, "", "")).encode())
    with suppress(asyncio.CancelledError):
        assert b" 200 " in await reader.readline()
        ready.release()
        while line := await reader.readline():
            if line.startswith(b"data: "):
                told = json.loads(line[6:])
                if "seq" in told:
                    listener.seqs.append(told["seq"])
                    listener.delays.append(time.time() - told["at"])
    writer.close()


async def _decide(server: Served, review: Review, people: int) -> Counter[int]:
    headers = {"authorization": f"Bearer {server.token}"}
    limits = httpx.Limits(max_connections=people)
    body = {"action": "approve", "version": review.version, "tree": review.tree}
    base = f"http://127.0.0.1:{server.port}"
    async with httpx.AsyncClient(headers=headers, limits=limits, base_url=base, timeout=120) as client:
        answers = await asyncio.gather(*(client.patch(f"/api/reviews/{review.id}", json=body) for _ in range(people)))
    return Counter(answer.status_code for answer in answers)
