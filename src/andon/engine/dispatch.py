"""Hands out the orders of one assignment and keeps what they leave behind; what follows from a reply is decided in
attempts.py. Runs inside one durable step.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from andon import processes
from andon.domain.assignment import Assignment
from andon.domain.budget import Budget, Spent
from andon.domain.order import Order, Reply, Toolbox, Usage
from andon.domain.resting import believable
from andon.domain.tasks.checkpoints import INTERVAL, Reason, periodic_due
from andon.engine.attempts import Attempts, limits_of
from andon.engine.hiding import Told, hide_in_files
from andon.engine.kept import once
from andon.engine.services import Services
from andon.engine.slots import slot
from andon.engine.stepping import LOOK_SECONDS, Stepping
from andon.engine.waiting import Waiting
from andon.ports import Contract

NOTHING = Usage()
LAST_WORDS_SECONDS = 5.0
"""For what a cancelled order reports of its use; it has ended by then."""


class Dispatch:
    def __init__(
        self,
        services: Services,
        waiting: Waiting,
        run: str,
        phase: str,
        created_at: float,
        respawns: int,
        tokens: int = 0,
    ) -> None:
        self._services = services
        self._waiting = waiting
        self._run = run
        self._phase = phase
        self._created_at = created_at
        self.respawns = respawns
        """Successors with the same prompt that a teammate gets who crashes, hangs or babbles (A-156)."""
        self._tokens = tokens
        """What the run had used up before."""
        self._place: Mapping[str, Any] = {}
        self._stepping: Stepping | None = None

    @property
    def branch(self) -> str:
        return self._services.branch

    async def carry_out(
        self,
        work: Assignment,
        contract: Contract[Any],
        position: str,
        call: int,
        tree: str,
        left: Budget,
        toolbox: Toolbox | None = None,
        session: str | None = None,
    ) -> dict[str, Any]:
        """The step's recorded value: outcome, text, usage, tree afterwards. All its orders share what is left."""
        system, whole = self._services.render(work, contract.instruction)
        short = replace(work, prompt=work.again) if session and work.again else None
        prompt = self._services.render(short, contract.instruction)[1] if short else whole
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
            protected=work.keeps,
            servers=work.servers,
            runtime=work.runtime,
            limits=left.limit_order(limits_of(work), Spent()),
            session=session,
            toolbox=toolbox or Toolbox(),
        )
        self._place = work.place
        self._stepping = self._steps_of(work)
        attempts = Attempts(self, work, contract, order, tree, left, whole)
        return await attempts.until_settled()

    def _steps_of(self, work: Assignment) -> Stepping | None:
        if work.underway is None or not work.underway.paths:
            return None
        return Stepping(work.underway, self._services.workspace, str(work.place.get("began") or ""), self.say_all)

    async def say(self, key: str, kind: str, **data: Any) -> None:
        await self.say_all([(key, kind, data)])

    async def say_all(self, told: Sequence[tuple[str, str, dict[str, Any]]]) -> None:
        """What belongs together, in one transaction: (key, kind, data) each."""
        await asyncio.to_thread(self._services.shared.journal.append_all, self._run, self._phase, told)

    async def order(self, order: Order, number: int, tree: str) -> tuple[Reply | None, bool]:
        """Hand out one order and wait for it: its reply, and whether a person stopped the run meanwhile."""
        async with slot(
            self._services.folder.parent.parent / "slots", order.role, self._waiting.stop_requested
        ) as free:
            return await self._order(order, number, tree) if free else (None, True)

    async def _order(self, order: Order, number: int, tree: str) -> tuple[Reply | None, bool]:
        folder = self._folder(order, number)
        if not folder.exists() and await self._waiting.stop_requested():
            return None, True
        await asyncio.to_thread(self._make_ready, order, folder, tree)
        working = asyncio.ensure_future(self._services.agents.carry_out(order, folder, folder / "git"))
        if await self._ended(working, order, number, tree):
            reply = working.result()
            if recorder := self._services.recorder:
                workspace = self._services.workspace
                await asyncio.to_thread(recorder.record, order, number, reply, folder, workspace, tree)
            return reply, False
        await self._services.agents.cancel(folder)
        await asyncio.wait({working}, timeout=LAST_WORDS_SECONDS)
        working.cancel()
        await asyncio.wait({working})
        silent = working.cancelled() or working.exception() is not None
        return (None if silent else working.result()), True

    async def _ended(self, working: asyncio.Future[Reply], order: Order, number: int, tree: str) -> bool:
        """False when a person stopped the run first. Meanwhile its steps are told as they are seen (D-121), and a
        checkpoint is kept every ten minutes (D-117)."""
        place, stepping, now = f"{order.position}-{number}", self._stepping, asyncio.get_running_loop().time
        last, taken = now(), 0
        if stepping:
            await stepping.begin(place)
        pause = LOOK_SECONDS if stepping else INTERVAL
        while not await self._waiting.first_of(working, within=pause if self._place else None):
            if not self._place or await self._waiting.stop_requested():
                return False
            if stepping:
                await stepping.look(place)
            if periodic_due(last, now()):
                last, taken = now(), taken + 1
                await self.checkpoint(f"periodic.{taken}", Reason.PERIODIC, order, number, tree)
        if stepping:
            await stepping.look(place)
        return True

    async def checkpoint(
        self, key: str, reason: Reason, order: Order, number: int, tree: str, usage: Usage = NOTHING
    ) -> None:
        """Where the work stands, for whoever goes on with it (D-118). Of what a person gave only the names."""
        if not self._place:
            return
        variables = await asyncio.to_thread(self._services.variables)
        place = f"{order.position}-{number}"
        told = {"history": {order.name: order.session or f"orders/{place}"}, "variables": list(variables)}
        told |= {"tree": tree, "tokens": self._tokens + usage.tokens}
        told |= {"progress": self._stepping.progress} if self._stepping else {}
        await self.say(f"{place}/{key}", "checkpoint", **{"reason": str(reason), **self._place, **told})

    def _make_ready(self, order: Order, folder: Path, tree: str) -> None:
        if processes.finished(folder) is not None or processes.alive(folder):
            return  # a previous attempt of this step started it: attach, and leave its files alone
        workspace = self._services.workspace
        fresh = workspace.ensure(tree)
        if order.writable and not fresh:
            workspace.restore(tree)
        folder.mkdir(parents=True, exist_ok=True)
        for draft in folder.glob(".git.*.tmp"):
            shutil.rmtree(draft, ignore_errors=True)  # of an attempt that was killed while it made one
        if not (folder / "git").exists():
            workspace.disposable_git(folder / "git")

    def clear(self, position: str) -> None:
        """Remove the disposable git of every order of a step that is recorded: each is as big as the project."""
        for git in (self._services.folder / "orders").glob(f"{position}-*/git"):
            self._services.workspace.discard(git)

    def _folder(self, order: Order, number: int) -> Path:
        return self._services.folder / "orders" / f"{order.position}-{number}"

    @property
    def waiting(self) -> Waiting:
        return self._waiting

    async def end_of_limit(self, order: Order, number: int, resets_at: float | None, again: bool) -> float:
        """When to go on after a rate limit: the same moment whenever the step is repeated."""

        def decide() -> dict[str, Any]:
            return {"kind": "rate_limit", "version": 1, "moment": believable(resets_at, time.time(), again)}

        record = self._folder(order, number) / "rate_limit.json"
        return (await asyncio.to_thread(once, record, decide))["moment"]

    async def put_back(self, order: Order, tree: str) -> None:
        """Nobody goes on with what a failed order left half-done, and nobody may take it for a person's work."""
        if order.writable:
            await asyncio.to_thread(self._services.workspace.restore, tree)
            if self._stepping:
                await self._stepping.begin(f"{order.position}-back")

    async def keep(self, order: Order, number: int, label: str, tree: str) -> tuple[str, str]:
        """Snapshot what a writing order left, without the secrets in its documents. Returns (tree, violation); a
        violation puts the files back."""
        if not order.writable:
            return tree, ""
        tree, violation, told = await asyncio.to_thread(self._keep, order, number, label, tree)
        for index, each in enumerate(told, 1):
            await self.say(f"{label}/hidden.{index}", "secret_hidden", name=order.name, **each)
        return tree, violation

    def _keep(self, order: Order, number: int, label: str, tree: str) -> tuple[str, str, Told]:
        workspace = self._services.workspace

        def judge() -> dict[str, Any]:
            # Once, before the files are put back or the next order touches them: a step that is repeated after a crash
            # must not judge what lies there then.
            after = workspace.snapshot(label, self._created_at)
            outside = [c.path for c in workspace.changes(tree, after) if not order.may_write(c.path)]
            violation = "changed files outside its scope: " + ", ".join(sorted(outside)[:5]) if outside else ""
            told = [] if violation else hide_in_files(workspace, self._services.variables(), tree, after)
            if told:
                after = workspace.snapshot(label, self._created_at)
            return {"kind": "kept", "version": 1, "tree": after, "violation": violation, "hidden": told}

        kept = once(self._folder(order, number) / "kept.json", judge)
        if not kept["violation"]:
            return kept["tree"], "", kept.get("hidden") or []
        if not self._folder(order, number + 1).exists():
            workspace.restore(tree)
        return tree, kept["violation"], []
