"""One assignment through its attempts, with real agents, processes and files: what each successor is told, what counts
as a failure, what is put back, and that all its orders together keep within the budget."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from andon.app.workspace import MAIN, RunWorkspace
from andon.domain.assignment import Assignment, ContractError
from andon.domain.budget import Budget
from andon.domain.order import Tier
from andon.domain.resting import LONGEST_REST, SHORTEST_REST, believable
from andon.engine.dispatch import Dispatch
from andon.engine.holds import Watcher
from andon.engine.services import Services, Shared
from andon.engine.waiting import Waiting
from andon.runtimes.agents import SupervisedAgents
from andon.runtimes.scripted import ScriptedRuntime
from andon.workspace.repository import Repository
from andon.workspace.sandbox import NoSandbox
from andon.workspace.store import Record
from andon.workspace.store import Store as GitStore

TASK = "Add a login page."
DEADLINE = 60.0


class Loud:
    """A contract that one reply out of many has: it shouts."""

    instruction = "Shout."
    retries = 1

    def parse(self, text: str) -> str:
        if text.upper() != text:
            raise ContractError("too quiet")
        return text


class Desk:
    """Where assignments are handed out: a run with a worktree, and agents that play a scenario."""

    def __init__(self, store: Any, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.watcher = Watcher(store.engine)
        self.watcher.start()
        self.repository = folder / "project"
        self.repository.mkdir()
        (self.repository / "a.txt").write_text("one\n")
        for words in (["init", "-q"], ["add", "."], ["-c", "user.name=K", "-c", "user.email=k@x", "commit", "-qmx"]):
            subprocess.run(["git", *words], cwd=self.repository, check=True, capture_output=True, timeout=30)
        repository = Repository.open(self.repository)
        git = GitStore.open(folder / "repositories", repository)
        self.workspace = RunWorkspace(git, Record("r1", MAIN, str(folder / "tree"), repository.head), "feat/x")

    def rules(self, *rules: dict[str, Any]) -> Desk:
        (self.folder / "scenario.yaml").write_text(json.dumps({"scenario": 1, "rules": rules}))
        return self

    async def carry_out(self, left: Budget | None = None, writes: tuple[str, ...] = ("a.txt",)) -> dict[str, Any]:
        store = self.store
        shared = Shared(
            cast("Any", None), store.journal, store.ledger, store.holds, self.watcher, store.runs, store.reviews
        )
        runtime = ScriptedRuntime(self.folder / "scenario.yaml")
        services = Services(
            shared=shared,
            folder=self.folder / "run",
            workspace=self.workspace,
            agents=SupervisedAgents(runtime, NoSandbox(), 60.0),
            checker=cast("Any", None),
            verifier=cast("Any", None),
            render=lambda work, form: ("", TASK),
            connectors={},
        )
        dispatch = Dispatch(services, Waiting(shared, "r1"), "r1", "do", time.time(), respawns=1)
        work = Assignment("executor", "executor", "auto/executor", Tier.SONNET, writes=writes, seconds=30.0)
        return await dispatch.carry_out(work, Loud(), "1.1", 1, self.workspace.base, left or Budget())

    def do(self, left: Budget | None = None) -> dict[str, Any]:
        return asyncio.run(asyncio.wait_for(self.carry_out(left), DEADLINE))

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [entry.data for entry in self.store.journal.entries("r1") if entry.kind == kind]

    def order(self, number: int) -> Path:
        return self.folder / "run" / "orders" / f"1.1-{number}"


@pytest.fixture
def desk(sqlite_store: Any, tmp_path: Path) -> Iterator[Desk]:
    sqlite_store.run()
    made = Desk(sqlite_store, tmp_path)
    yield made
    made.watcher.close()


def rule(*do: dict[str, Any], reply: str | None = "DONE", attempt: int | list[int] | None = None) -> dict[str, Any]:
    match = {} if attempt is None else {"attempt": attempt}
    ends = bool(do) and set(do[-1]) & {"crash", "rate_limit"}
    return {"match": match, "do": list(do), **({} if ends else {"reply": reply})}


ASKS = {"ask": {"question": "Which colour?", "default": "green", "timeout": 0.1}}
CRASHES = {"crash": {"code": 3}}


# --- what a successor is told -----------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [rule(ASKS, CRASHES, attempt=1), rule(ASKS, reply="quiet", attempt=1)])
def test_A_156_a_successor_after_an_answered_question_has_the_task_and_the_answer(desk: Desk, end: Any) -> None:
    assert desk.rules(end, rule()).do()["outcome"] == "done"

    prompt = desk.told("spawn")[1]["prompt"]
    assert prompt.startswith(TASK)
    assert "Question: Which colour?\nAnswer: green" in prompt


def test_a_question_asked_outside_any_session_is_answered_with_the_whole_task(desk: Desk) -> None:
    asked = {"type": "ask", "question": "Which colour?", "default": "green", "timeout": 0.1}
    desk.order(1).mkdir(parents=True)
    (desk.order(1) / "exit.json").write_text(json.dumps({"reason": "exited", "code": 0}))
    (desk.order(1) / "stdout").write_text(json.dumps(asked))

    assert (
        desk.rules({"match": {"prompt": f"{TASK}[^$]*Answer: green"}, "reply": "DONE"}, rule(reply="LOST")).do()["text"]
        == "DONE"
    )


# --- what is put back -------------------------------------------------------------------------------------------


def test_what_a_failed_writer_left_half_done_is_put_back(desk: Desk) -> None:
    half = {"write": {"path": "a.txt", "text": "half"}}

    result = desk.rules(rule(half, CRASHES)).do()

    assert result["outcome"] == "crashed"
    assert desk.workspace.read("a.txt") == "one\n"


def test_E_27_what_a_stopped_writer_left_stays_for_the_leg_that_goes_on(desk: Desk, eventually: Any) -> None:
    used = {"usage": {"input_tokens": 700, "output_tokens": 7}}
    desk.rules(rule({"write": {"path": "a.txt", "text": "half"}}, {"sleep": {"seconds": 60}}) | used)

    async def stopped() -> dict[str, Any]:
        work = asyncio.create_task(desk.carry_out())
        await asyncio.to_thread(eventually, lambda: desk.workspace.read("a.txt") == "half")
        await asyncio.to_thread(desk.store.holds.request_stop, "r1")
        return await asyncio.wait_for(work, DEADLINE)

    result = asyncio.run(stopped())

    assert result["stopped"] and desk.workspace.read("a.txt") == "half"
    assert result["usage"]["input_tokens"] == 700  # it was used, whoever ended it
    assert desk.do()["usage"] == result["usage"]  # repeated after a kill


def test_a_run_that_was_stopped_before_an_order_begins_it_not(desk: Desk) -> None:
    desk.store.holds.request_stop("r1")

    assert desk.rules(rule()).do()["stopped"]
    assert not desk.order(1).exists()


@pytest.mark.parametrize("last", [{}, ASKS])
def test_work_outside_its_scope_is_refused_also_when_a_question_follows(desk: Desk, last: dict[str, Any]) -> None:
    outside = {"write": {"path": "b.txt", "text": "mine"}}

    result = desk.rules(rule(*[step for step in (outside, last) if step], attempt=1), rule()).do()

    assert result["outcome"] == "done"
    assert [told["detail"] for told in desk.told("scope_refused")] == ["changed files outside its scope: b.txt"]
    assert desk.told("hold_opened") == []
    assert desk.workspace.read("b.txt") is None


# --- the budget -------------------------------------------------------------------------------------------------


def test_E_17_all_orders_of_a_step_share_what_is_left(desk: Desk) -> None:
    spends = {"usage": {"input_tokens": 60, "output_tokens": 0, "money": 0.5}}

    result = desk.rules(rule(CRASHES, attempt=1) | spends, rule() | spends).do(Budget(tokens=60, money=9.0))

    assert result["exhausted"] == ["tokens"]
    assert (result["outcome"], result["usage"]["input_tokens"]) == ("limit", 60)
    assert len(desk.told("spawn")) == 1


def test_E_17_nobody_is_asked_when_nothing_is_left_to_go_on_with(desk: Desk) -> None:
    spends = {"usage": {"input_tokens": 60, "output_tokens": 0}}

    assert desk.rules(rule(ASKS) | spends).do(Budget(tokens=60))["exhausted"] == ["tokens"]
    assert desk.told("hold_opened") == []


def test_E_17_a_successor_that_is_cut_short_by_the_budget_ends_it_for_that_reason(desk: Desk) -> None:
    sleeps = {"sleep": {"seconds": 60}}

    result = desk.rules(rule(CRASHES, attempt=1), rule(sleeps)).do(Budget(seconds=3.0))

    assert (result["outcome"], result["exhausted"]) == ("limit", ["seconds"])


def test_E_17_a_reply_that_used_the_rest_is_a_reply(desk: Desk) -> None:
    result = desk.rules(rule() | {"usage": {"input_tokens": 60, "output_tokens": 0}}).do(Budget(tokens=60))

    assert (result["outcome"], result["exhausted"]) == ("done", [])


# --- interruptions ----------------------------------------------------------------------------------------------


def test_E_27_interruptions_are_not_the_teammates_failure(desk: Desk) -> None:
    """Twice nobody came back within the lease, and once the machine was shut down; then it crashes, once."""
    for number, reason in ((1, "lease"), (2, "cancelled"), (3, "lease")):
        desk.order(number).mkdir(parents=True)
        (desk.order(number) / "exit.json").write_text(json.dumps({"reason": reason}))

    result = desk.rules(rule(CRASHES, attempt=4), rule()).do()

    assert result["outcome"] == "done"
    assert [told["outcome"] for told in desk.told("teammate_failed")] == ["lost", "cancelled", "lost", "crashed"]


# --- rate limits ------------------------------------------------------------------------------------------------

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("resets_at", "again", "moment"),
    [
        (None, False, NOW + 60),
        (NOW + 1, False, NOW + 1),
        (NOW + 1, True, NOW + SHORTEST_REST),
        (NOW - 1, False, NOW + SHORTEST_REST),
        (0.0, True, NOW + SHORTEST_REST),
        (1e15, False, NOW + LONGEST_REST),
        (NOW + 3600, True, NOW + 3600),
    ],
    ids=["unknown", "soon", "soon again", "past", "never was", "never", "later"],
)
def test_E_18_a_rate_limit_is_believed_within_bounds(resets_at: float | None, again: bool, moment: float) -> None:
    assert believable(resets_at, NOW, again) == moment


def test_a_step_that_is_repeated_waits_for_the_same_end_of_a_rate_limit(desk: Desk, eventually: Any) -> None:
    desk.rules(rule({"rate_limit": {}}, attempt=1), rule())

    async def killed() -> None:
        work = asyncio.create_task(desk.carry_out())
        await asyncio.to_thread(eventually, lambda: desk.told("rate_limited"))
        work.cancel()

    asyncio.run(killed())
    [limited] = desk.told("rate_limited")
    record = desk.order(1) / "rate_limit.json"
    assert json.loads(record.read_text())["moment"] == limited["resets_at"]
    record.write_text(record.read_text().replace(str(limited["resets_at"]), str(time.time() + 0.2)))

    begun = time.monotonic()
    assert desk.do()["outcome"] == "done"
    assert time.monotonic() - begun < 30
