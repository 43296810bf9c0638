"""The verbs of a run, durable: each is one recorded step, numbered in the order the pipeline calls them.

What a step does lives in dispatch.py, measuring.py and waiting.py; here is only how it is recorded and replayed.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import Any, TypeVar

from andon.domain.assignment import Assignment, TeamRecord
from andon.domain.budget import Budget, Line, Spent
from andon.domain.errors import UserError
from andon.domain.goal import Goal
from andon.domain.limits import AutoLimits
from andon.domain.order import Outcome, Question, Usage
from andon.domain.run import Blocked, BudgetSpent, Bug, Stopped, TeammateFailed
from andon.domain.verdict import CheckResult
from andon.engine import wire
from andon.engine.dispatch import Dispatch
from andon.engine.durable import machine_failure
from andon.engine.measuring import Measuring
from andon.engine.services import Services
from andon.engine.waiting import Waiting
from andon.ports import CallResult, Change, Contract, Prepared

T = TypeVar("T")
Step = Callable[[str], Awaitable[dict[str, Any]]]

CHECK_SECONDS = 1800.0


class DurableRun:
    """Implements ports.Run for one leg of one run."""

    def __init__(self, services: Services, run: str, leg: int, payload: dict[str, Any]) -> None:
        self._services = services
        self._shared = services.shared
        self._leg = leg
        self._position = 0
        self._said = 0
        self._phase = ""
        self._created_at: float = payload["created_at"]
        self._calls: dict[str, int] = {}
        self._team: dict[int, TeamRecord] = {}
        self._budget = Budget(**payload["budget"])
        self._respawns = AutoLimits(**payload.get("limits", {})).respawns
        self._spent = Spent(**payload.get("spent", {}))
        self._prepared = Prepared("", problem="no environment was prepared")
        self._waiting = Waiting(services.shared, run)
        self._measuring = Measuring(services, self._waiting, run)
        self.cleared = False
        """The workspace was removed, because nothing in it is needed any more."""
        self.id = run
        self.base: str = payload["base"]
        self.tree: str = payload["tree"]

    @property
    def team(self) -> tuple[TeamRecord, ...]:
        # By step, not by who was ready first: a replay must see the same order.
        return tuple(record for _, record in sorted(self._team.items()))

    @property
    def spent(self) -> Spent:
        return self._spent

    # --- agents -----------------------------------------------------------------------------------------------

    async def ask(self, assignment: Assignment, contract: Contract[T]) -> T:
        calls = self._calls[assignment.name] = self._calls.get(assignment.name, 0) + 1
        if exhausted := self._budget.exhausted(self._spent):
            raise self._budget_spent(exhausted)
        tree, left = self.tree, self._budget.remaining(self._spent)
        dispatch = Dispatch(self._services, self._waiting, self.id, self._phase, self._created_at, self._respawns)

        async def body(position: str) -> dict[str, Any]:
            return await dispatch.carry_out(assignment, contract, position, calls, tree, left)

        step = self._position + 1
        result = await self._step(f"ask {assignment.name}", body)
        await asyncio.to_thread(dispatch.clear, f"{self._leg}.{step}")
        if assignment.writes:
            self.tree = result["tree"]
        await self._account(step, assignment, Usage(**result["usage"]), result["seconds"])
        if exhausted := result.get("exhausted"):
            raise self._budget_spent(tuple(Line(line) for line in exhausted))
        if result["outcome"] != Outcome.DONE:
            raise TeammateFailed(assignment.name, result["outcome"], result["detail"])
        return contract.parse(result["text"])

    def _budget_spent(self, lines: tuple[Line, ...]) -> BudgetSpent:
        return BudgetSpent(", ".join(f"{line} {self._spent.on(line):g}" for line in lines))

    async def _account(self, step: int, assignment: Assignment, usage: Usage, seconds: float) -> None:
        self._team[step] = TeamRecord(
            assignment.name,
            assignment.role,
            self._phase,
            str(assignment.tier),
            usage.tokens,
            usage.money,
            seconds,
        )
        await self._spend(usage, seconds)

    async def _spend(self, usage: Usage, seconds: float) -> None:
        before, self._spent = self._spent, self._spent.plus(usage, seconds)
        for line in self._budget.warnings(before, self._spent):
            await self.say("budget_warning", line=str(line), spent=self._spent.on(line), limit=self._budget.on(line))

    # --- measurements -----------------------------------------------------------------------------------------

    async def goals(self, custom: str | None, interactive: bool, frozen: tuple[Goal, ...] = ()) -> tuple[Goal, ...]:
        tree = self.tree

        async def body(position: str) -> dict[str, Any]:
            found = await self._measuring.goals(tree, position, custom, interactive)
            return {"goals": [wire.goal_to_json(goal) for goal in found]}

        result = await self._measured("goals", body)
        found = tuple(wire.goal_from_json(goal) for goal in result["goals"])
        kept = {goal.name: goal for goal in frozen if goal.commands}
        return tuple(kept.get(goal.name, goal) for goal in found)

    async def prepare(self) -> None:
        tree = self.tree

        async def body(position: str) -> dict[str, Any]:
            prepared = await self._measuring.prepare(tree, position)
            return {"stopped": True} if prepared is None else {"prepared": asdict(prepared)}

        result = await self._measured("prepare", body)
        self._prepared = Prepared(**result["prepared"])
        data = {"digest": self._prepared.digest, "problem": self._prepared.problem, "fix": self._prepared.fix}
        await self.say("environment_prepared", **data)

    async def check(self, goal: Goal) -> CheckResult:
        tree, prepared = self.tree, self._prepared

        async def body(position: str) -> dict[str, Any]:
            result = await self._measuring.check(goal, tree, position, prepared, CHECK_SECONDS)
            if result is None:
                return {"stopped": True}
            told = wire.result_to_json(replace(result, output=result.output[-4000:]))
            await self._write(f"{position}/check", "check", told)
            return {"check": told}

        recorded = await self._measured(f"check {goal.name}", body)
        result = wire.result_from_json(recorded["check"])
        await self._spend(Usage(), result.seconds)
        return result

    async def check_all(self, goals: Sequence[Goal]) -> tuple[CheckResult, ...]:
        """Side by side. Each is a single step, which is what makes this safe under replay."""
        ends = await asyncio.gather(*(self.check(goal) for goal in goals), return_exceptions=True)
        # Only when every one has ended: a run that closes must not leave one of them working.
        for end in ends:
            if isinstance(end, BaseException):
                raise end
        return tuple(end for end in ends if not isinstance(end, BaseException))

    async def _measured(self, label: str, body: Step) -> dict[str, Any]:
        """A step with a scratch folder, which goes when the step is recorded and not before: one that is repeated after
        a crash finds there what was measured already, and measures nothing twice."""
        scratch = f"{self._leg}.{self._position + 1}"
        try:
            result = await self._step(label, body)
        except (Stopped, Blocked, Bug):
            await asyncio.to_thread(self._measuring.clear, scratch)
            raise
        await asyncio.to_thread(self._measuring.clear, scratch)
        return result

    # --- people, files, the world -----------------------------------------------------------------------------

    async def hold(self, question: Question) -> str:
        async def body(position: str) -> dict[str, Any]:
            answer = await self._waiting.answer(position, question)
            return {"stopped": True} if answer is None else {"answer": answer}

        return (await self._step("hold", body))["answer"]

    async def read(self, path: str) -> str | None:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            await asyncio.to_thread(workspace.ensure, tree)
            return {"text": await asyncio.to_thread(workspace.read, path)}

        return (await self._step(f"read {path}", body))["text"]

    async def write(self, path: str, text: str, *, state: bool = False) -> None:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            if state:
                await asyncio.to_thread(workspace.ensure, tree)
                await asyncio.to_thread(workspace.write, path, text)
                await self._mirror(position, path, text)
                return {"tree": tree}
            writing = partial(workspace.write, path, text)
            after = await asyncio.to_thread(self._altered, tree, writing, position)
            await self._write(f"{position}/file", "file_written", {"path": path, "tree": after})
            return {"tree": after}

        self.tree = (await self._step(f"write {path}", body))["tree"]

    async def drop(self, paths: Sequence[str]) -> None:
        tree, dropping = self.tree, partial(self._services.workspace.drop, paths)

        async def body(position: str) -> dict[str, Any]:
            return {"tree": await asyncio.to_thread(self._altered, tree, dropping, position)}

        self.tree = (await self._step("drop", body))["tree"]

    def _altered(self, tree: str, alter: Callable[[], None], position: str) -> str:
        workspace = self._services.workspace
        workspace.ensure(tree)
        alter()
        return workspace.snapshot(position, self._created_at)

    async def _mirror(self, position: str, path: str, text: str) -> None:
        try:
            await asyncio.to_thread(self._services.workspace.mirror, path, text)
        except (UserError, PermissionError) as problem:
            # The person's own checkout may be closed to us; the run's copy is what counts.
            await self._write(f"{position}/mirror", "warning", {"text": f"{path} is not mirrored: {problem}"})

    async def changes(self) -> tuple[Change, ...]:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            found = await asyncio.to_thread(workspace.changes, self.base, tree)
            return {"changes": [asdict(change) for change in found]}

        return tuple(Change(**change) for change in (await self._step("changes", body))["changes"])

    async def commit(self, message: str) -> str:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            commit = await asyncio.to_thread(workspace.publish, tree, message, self._created_at)
            await self._write(f"{position}/commit", "committed", {"commit": commit, "tree": tree, "message": message})
            return {"commit": commit}

        return (await self._step("commit", body))["commit"]

    async def call(self, connector: str, *words: str) -> CallResult:
        async def body(position: str) -> dict[str, Any]:
            return asdict(await asyncio.to_thread(self._services.connectors[connector], words))

        return CallResult(**_without_time(await self._step(f"call {connector}", body)))

    async def remove_workspace(self) -> None:
        async def body(position: str) -> dict[str, Any]:
            await asyncio.to_thread(self._services.workspace.remove)
            return {}

        await self._step("remove workspace", body)
        # At every replay: whoever takes up a run makes its workspace first, also when all but its end is recorded.
        await asyncio.to_thread(self._services.workspace.remove)
        self.cleared = True

    # --- the story --------------------------------------------------------------------------------------------

    async def say(self, kind: str, /, **data: Any) -> None:
        self._said += 1
        await self._write(f"{self._leg}.{self._position}.{self._said}", kind, data)

    async def mark(self, *, mode: str) -> None:
        """Show the mode wherever runs are listed."""
        await self._update(mode=mode)

    @asynccontextmanager
    async def phase(self, name: str) -> AsyncGenerator[None]:
        self._phase = name
        await self.say("phase_entered", name=name, spent=asdict(self._spent))
        await self._update(phase=name)
        yield
        await self.say("phase_left", name=name, spent=asdict(self._spent))

    async def _write(self, key: str, kind: str, data: dict[str, Any]) -> None:
        writing = asyncio.to_thread(self._shared.journal.append, self.id, key, kind, self._phase, data)
        await self._shared.durable.or_give_up(writing)

    async def _update(self, **values: Any) -> None:
        await self._shared.durable.or_give_up(asyncio.to_thread(self._shared.runs.update, self.id, **values))

    async def _step(self, label: str, body: Step) -> dict[str, Any]:
        # Numbered before the first await: under gather the order of the calls is the order of the numbers.
        self._position += 1
        position = f"{self._leg}.{self._position}"

        async def recorded() -> dict[str, Any]:
            try:
                value = await body(position)
            except Exception as error:
                value = _failure(error)
            # Here and not where it is stored: a replay must see what the first time saw.
            return {**self._shared.journal.redaction.clean(value), "at": time.time()}

        result = await self._shared.durable.step(label, recorded)
        if "blocked" in result:
            raise Blocked(result["blocked"])
        if "bug" in result:
            raise Bug(result["bug"], result["traceback"])
        if result.get("stopped"):
            if "usage" in result:  # what a stopped agent used was used all the same
                self._spent = self._spent.plus(Usage(**result["usage"]), result["seconds"])
            raise Stopped
        return result


def _failure(error: Exception) -> dict[str, Any]:
    """What went wrong as a value, so that a replay ends as the first time did. What the machine failed is raised again:
    it is not recorded but done once more when the run is resumed."""
    if machine_failure(error) is not None:
        raise error
    if isinstance(error, UserError):
        return {"blocked": error.message + (f" ({error.hint})" if error.hint else "")}
    return {"bug": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}


def _without_time(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "at"}
