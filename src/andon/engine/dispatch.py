"""Carries one assignment through its attempts: respawn after a crash, a reply in the wrong form, a question, a
rate limit. Runs inside one durable step; everything it writes carries a key, so a repeated step repeats nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from andon import processes
from andon.domain.assignment import Assignment, ContractError
from andon.domain.order import Limits, Order, Outcome, Question, Reply, Usage
from andon.engine.services import Services
from andon.engine.waiting import Waiting
from andon.ports import Contract

MAX_ORDERS = 40
"""Questions and rate limits do not count as failures, but no step hands out orders without end (E-18)."""
KEPT_TEXT = 4000
_WORTH_A_RESPAWN = {Outcome.CRASHED, Outcome.LIMIT, Outcome.LOST, Outcome.UNPARSEABLE, Outcome.CANCELLED}
"""CANCELLED too: a stop of ours ends the step before its reply is read, so this was someone else's SIGTERM."""


class Dispatch:
    def __init__(
        self, services: Services, waiting: Waiting, run: str, phase: str, created_at: float, respawns: int
    ) -> None:
        self._services = services
        self._waiting = waiting
        self._run = run
        self._phase = phase
        self._created_at = created_at
        self.respawns = respawns
        """Successors with the same prompt that a teammate gets who crashes, hangs or babbles (A-156)."""

    async def carry_out(
        self, work: Assignment, contract: Contract[Any], position: str, call: int, tree: str, limits: Limits
    ) -> dict[str, Any]:
        """The step's recorded value: outcome, text, usage, tree afterwards."""
        system, prompt = self._services.render(work, contract.instruction)
        order = Order(
            run=self._run,
            position=position,
            role=work.role,
            name=work.name,
            phase=self._phase,
            prompt=prompt,
            system=system,
            tier=work.tier,
            folder=str(self._services.workspace.folder),
            call=call,
            writable=work.writes,
            limits=limits,
        )
        attempts = _Attempts(self, work, contract, order, tree)
        return await attempts.until_settled()

    async def say(self, key: str, kind: str, **data: Any) -> None:
        await asyncio.to_thread(self._services.shared.journal.append, self._run, key, kind, self._phase, data)

    async def order(self, order: Order, number: int, tree: str) -> Reply | None:
        """Hand out one order and wait for it. None when a person stopped the run meanwhile."""
        folder = self._folder(order, number)
        await asyncio.to_thread(self._make_ready, order, folder, tree)
        working = asyncio.ensure_future(self._services.agents.carry_out(order, folder, folder / "git"))
        if await self._waiting.first_of(working):
            return working.result()
        await self._services.agents.cancel(folder)
        working.cancel()
        await asyncio.wait({working})
        return None

    def _make_ready(self, order: Order, folder: Path, tree: str) -> None:
        if processes.finished(folder) is not None or processes.alive(folder):
            return  # a previous attempt of this step started it: attach, and leave its files alone
        workspace = self._services.workspace
        workspace.ensure(tree)
        if order.writable:
            workspace.restore(tree)
        folder.mkdir(parents=True, exist_ok=True)
        for draft in folder.glob(".git.*.tmp"):
            shutil.rmtree(draft, ignore_errors=True)  # of an attempt that was killed while it made one
        if not (folder / "git").exists():
            workspace.disposable_git(folder / "git")

    def _folder(self, order: Order, number: int) -> Path:
        return self._services.folder / "orders" / f"{order.position}-{number}"

    async def ask_person(self, id: str, question: Question) -> str | None:
        return await self._waiting.answer(id, question)

    async def wait_until(self, moment: float) -> bool:
        return await self._waiting.until(moment)

    async def keep(self, order: Order, number: int, label: str, tree: str) -> tuple[str, str]:
        """Snapshot what a writing order left. Returns (tree, violation); a violation puts the files back."""
        if not order.writable:
            return tree, ""
        return await asyncio.to_thread(self._keep, order, number, label, tree)

    def _keep(self, order: Order, number: int, label: str, tree: str) -> tuple[str, str]:
        workspace = self._services.workspace
        record = self._folder(order, number) / "kept.json"
        after, violation = _read_kept(record)
        if not after:
            after = workspace.snapshot(label, self._created_at)
            outside = [c.path for c in workspace.changes(tree, after) if not _within(c.path, order)]
            violation = "changed files outside its scope: " + ", ".join(sorted(outside)[:5]) if outside else ""
            # Judged once, before the files are put back or the next order touches them: a step that is repeated after a
            # crash must not judge what lies there then.
            _write_kept(record, after, violation)
        if not violation:
            return after, ""
        if not self._folder(order, number + 1).exists():
            workspace.restore(tree)
        return tree, violation


class _Attempts:
    """The state of one assignment on its way to an outcome."""

    def __init__(self, dispatch: Dispatch, work: Assignment, contract: Contract[Any], order: Order, tree: str) -> None:
        self._dispatch = dispatch
        self._work = work
        self._contract = contract
        self._order = order
        self._tree = tree
        self._usage = Usage()
        self._seconds = 0.0
        self._failures = 0
        self._misread = 0
        self._questions = 0

    async def until_settled(self) -> dict[str, Any]:
        position = self._order.position
        await self._dispatch.say(f"{position}/task", "task_created", name=self._work.name, role=self._work.role)
        await self._announce_spawn(1)
        reply = Reply(Outcome.LIMIT, detail=f"more than {MAX_ORDERS} orders in one step")
        for number in range(1, MAX_ORDERS + 1):
            answered = await self._dispatch.order(self._order, number, self._tree)
            if answered is None:
                return await self._close_stopped()
            reply = answered
            self._usage += reply.usage
            self._seconds += reply.seconds
            await self._tell_violations(reply, number)
            match await self._after(reply, number):
                case Order() as order:
                    self._order = order
                case Reply() as settled:
                    return await self._close(settled)
                case None:
                    return await self._close_stopped()
        return await self._close(reply)

    async def _tell_violations(self, reply: Reply, number: int) -> None:
        key, name = f"{self._order.position}-{number}/violation", self._work.name
        for index, violation in enumerate(reply.violations, 1):
            await self._dispatch.say(f"{key}.{index}", "violation", name=name, detail=violation)

    async def _after(self, reply: Reply, number: int) -> Order | Reply | None:
        """The next order to hand out; or the reply it ends with; or None when a person stopped the run."""
        match reply.outcome:
            case Outcome.DONE:
                return await self._after_done(reply, number)
            case Outcome.ASKED if reply.question is not None:
                return await self._after_question(reply, number, reply.question)
            case Outcome.RATE_LIMITED:
                return await self._after_rate_limit(reply, number)
            case outcome if outcome in _WORTH_A_RESPAWN:
                return await self._respawn(reply, number, self._order.prompt)
            case _:
                return reply

    async def _after_done(self, reply: Reply, number: int) -> Order | Reply:
        label = f"{self._order.position}-{number}"
        if violation := await self._keep(number, label):
            failed = replace(reply, outcome=Outcome.REFUSED, detail=violation)
            return await self._respawn(failed, number, f"{self._order.prompt}\n\nRefused: you {violation}.")
        try:
            self._contract.parse(reply.text)
        except ContractError as error:
            return await self._ask_again(reply, number, error)
        return reply

    async def _keep(self, number: int, label: str) -> str:
        """Go on from what the order left; or, when that lies outside its scope, say so and from what was there."""
        self._tree, violation = await self._dispatch.keep(self._order, number, label, self._tree)
        if violation:
            await self._dispatch.say(f"{label}/scope", "scope_refused", name=self._work.name, detail=violation)
        return violation

    async def _ask_again(self, reply: Reply, number: int, error: ContractError) -> Order | Reply:
        if self._misread >= self._contract.retries:
            return replace(reply, outcome=Outcome.UNPARSEABLE, detail=str(error))
        self._misread += 1
        await self._dispatch.say(
            f"{self._order.position}-{number}/misread", "reply_misread", name=self._work.name, detail=str(error)
        )
        await self._announce_spawn(self._order.attempt + 1)
        told = f"\n\nYour previous reply could not be read: {error}\n\n{self._contract.instruction}"
        return replace(self._order, prompt=self._order.prompt + told, attempt=self._order.attempt + 1, session=None)

    async def _respawn(self, reply: Reply, number: int, prompt: str) -> Order | Reply:
        if self._failures >= self._dispatch.respawns:
            return reply
        self._failures += 1
        await self._dispatch.say(
            f"{self._order.position}-{number}/failed",
            "teammate_failed",
            name=self._work.name,
            outcome=str(reply.outcome),
            detail=reply.detail,
        )
        await self._announce_spawn(self._order.attempt + 1)
        return replace(self._order, prompt=prompt, attempt=self._order.attempt + 1, session=None)

    async def _after_question(self, reply: Reply, number: int, question: Question) -> Order | None:
        self._questions += 1
        # What it wrote before it asked is part of the work it goes on with.
        label = f"{self._order.position}-q{self._questions}"
        await self._keep(number, label)
        answer = await self._dispatch.ask_person(f"{self._order.position}q{self._questions}", question)
        if answer is None:
            return None
        await self._dispatch.say(
            f"{self._order.position}/answer.{self._questions}", "message", recipient=self._work.name, content=answer
        )
        return replace(self._order, prompt=answer, session=reply.session)

    async def _after_rate_limit(self, reply: Reply, number: int) -> Order | None:
        moment = reply.resets_at or time.time() + 60
        await self._dispatch.say(
            f"{self._order.position}-{number}/rate", "rate_limited", name=self._work.name, resets_at=moment
        )
        if not await self._dispatch.wait_until(moment):
            return None
        await self._announce_spawn(self._order.attempt + 1)
        return replace(self._order, attempt=self._order.attempt + 1)

    async def _announce_spawn(self, attempt: int) -> None:
        order, work = self._order, self._work
        key = f"{order.position}/spawn.{attempt}"
        await self._dispatch.say(
            key,
            "spawn",
            name=work.name,
            role=work.role,
            model=str(work.tier),
            attempt=attempt,
            instance=f"{order.run}/{order.position}-{attempt}",
            writes=list(work.writes),
            prompt=order.prompt,
        )
        await self._dispatch.say(f"{key}.m", "message", recipient=work.name, content=work.message)

    async def _close_stopped(self) -> dict[str, Any]:
        await self._dispatch.say(
            f"{self._order.position}/update", "task_update", name=self._work.name, status="stopped"
        )
        await self._dispatch.say(f"{self._order.position}/shutdown", "shutdown_request", recipient=self._work.name)
        return {"stopped": True, "usage": asdict(self._usage), "seconds": self._seconds, "tree": self._tree}

    async def _close(self, reply: Reply) -> dict[str, Any]:
        key, name = self._order.position, self._work.name
        outcome, usage = str(reply.outcome), asdict(self._usage)
        shown = reply.text if len(reply.text) <= KEPT_TEXT else reply.text[:KEPT_TEXT] + " …"
        await self._dispatch.say(
            f"{key}/result",
            "result",
            name=name,
            outcome=outcome,
            text=shown,
            detail=reply.detail,
            usage=usage,
            seconds=round(self._seconds, 3),
            tree=self._tree,
        )
        status = "completed" if reply.outcome is Outcome.DONE else "failed"
        await self._dispatch.say(f"{key}/update", "task_update", name=name, status=status)
        await self._dispatch.say(f"{key}/shutdown", "shutdown_request", recipient=name)
        return {
            "outcome": outcome,
            "text": reply.text,
            "detail": reply.detail,
            "usage": usage,
            "seconds": self._seconds,
            "tree": self._tree,
        }


def _read_kept(record: Path) -> tuple[str, str]:
    try:
        known = json.loads(record.read_bytes())
    except FileNotFoundError:
        return "", ""
    return known["tree"], known["violation"]


def _write_kept(record: Path, tree: str, violation: str) -> None:
    """Whole and synced, as the snapshot it speaks of is."""
    draft = record.with_suffix(".tmp")
    with draft.open("w") as file:
        json.dump({"kind": "kept", "version": 1, "tree": tree, "violation": violation}, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(record)


def _within(path: str, order: Order) -> bool:
    return any(scope == "." or path == scope or path.startswith(scope.rstrip("/") + "/") for scope in order.writable)
