"""The verbs of a run, durable: each is one recorded step, numbered in the order the pipeline calls them.

What a step does lives in dispatch.py, measuring.py and waiting.py; here is only how it is recorded and replayed. The
verbs about files are in files.py, those about people in people.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from andon.domain.assignment import Assignment, TeamRecord
from andon.domain.budget import Budget, Line, Spent, amount
from andon.domain.goal import Goal
from andon.domain.limits import AutoLimits
from andon.domain.order import Outcome, Usage
from andon.domain.run import Blocked, BudgetSpent, Bug, Stopped, TeammateFailed
from andon.domain.verdict import CheckResult
from andon.engine import wire
from andon.engine.dispatch import Dispatch
from andon.engine.files import FileVerbs
from andon.engine.lanes import DurableLanes
from andon.engine.leg import Leg, Step, all_of
from andon.engine.measuring import Measuring
from andon.engine.people import PeopleVerbs
from andon.engine.remembering import MemoryVerbs
from andon.engine.services import Services
from andon.engine.verifying import VerifyVerb
from andon.engine.waiting import Waiting
from andon.ports import Branch, CallResult, Contract, Merged, Prepared, Run

T = TypeVar("T")

CHECK_SECONDS = 1800.0
KEPT_OUTPUT = 4000


@dataclass(frozen=True, slots=True)
class Ordered:
    """What the step of an order recorded."""

    step: int
    result: dict[str, Any]


class DurableRun(FileVerbs, VerifyVerb, PeopleVerbs, MemoryVerbs):
    """Implements ports.Run for one leg of one run, or for one branch of it."""

    def __init__(self, services: Services, run: str, leg: int, payload: dict[str, Any]) -> None:
        self._services = services
        began_at = payload.get("began_at", payload["created_at"])
        self._leg = Leg(services.shared, run, leg, Spent(**payload.get("spent", {})), began_at)
        self._leg.calls |= payload.get("calls") or {}
        self._leg.sessions |= payload.get("sessions") or {}
        self._earlier = tuple(TeamRecord.read(each) for each in payload.get("team") or ())
        self._created_at: float = payload["created_at"]
        self._budget = Budget(**payload["budget"])
        self._limits = AutoLimits(**payload.get("limits", {}))
        self._waiting = Waiting(services.shared, run)
        self._measuring = Measuring(services, self._waiting, run)
        self._prepared = self._prepared_base = Prepared("", problem="no environment was prepared")
        self.id = run
        self.name = ""
        """Of a branch; nothing for the run itself."""
        self.began = ""
        self.base: str = payload["base"]
        self._source = (payload.get("pipeline", ""), payload.get("request", {}).get("task", ""))
        self._series = tuple((commit, of) for commit, of in payload.get("series") or ())
        self.tree: str = payload["tree"]

    @property
    def folder(self) -> str:
        return str(self._services.workspace.folder)

    @property
    def team(self) -> tuple[TeamRecord, ...]:
        # By step, not by who was ready first: a replay must see the same order.
        return (*self._earlier, *(record for _, record in sorted(self._leg.team.items())))

    @property
    def spent(self) -> Spent:
        return self._leg.spent

    @property
    def moved_at(self) -> float:
        return self._leg.moved_at

    # --- branches ---------------------------------------------------------------------------------------------

    def branch(self, name: str, tree: str = "", began: str = "") -> DurableRun:
        beside = copy(self)
        beside._services = replace(self._services, workspace=self._services.workspace.beside(name), branch=name)
        beside._measuring = Measuring(beside._services, self._waiting, self.id)
        beside.name, beside.tree, beside.began = name, tree or self.tree, began or self.tree
        return beside

    async def merge(self, branches: Sequence[Run], made_of: Sequence[Run] = ()) -> Merged:
        merged = await self.merging(branches, made_of)
        self.tree = merged.tree
        return merged

    async def merging(self, branches: Sequence[Run], made_of: Sequence[Run] = ()) -> Merged:
        """The step of a merge, and nothing else: the run does not go on with it yet."""
        tree, workspace = self.tree, self._services.workspace
        theirs = [Branch(branch.name, branch.began, branch.tree) for branch in branches]

        async def body(position: str) -> dict[str, Any]:
            merged = await asyncio.to_thread(workspace.merge, tree, theirs, self._created_at)
            names = [each.name for each in theirs if each.name not in merged.left]
            if names and not self.name:  # a branch gets its files when somebody works on them
                gone = [workspace.beside(name) for name in (*names, *(each.name for each in made_of))]
                removing = (asyncio.to_thread(each.remove) for each in gone)
                await asyncio.gather(asyncio.to_thread(workspace.restore, merged.tree), *removing)
            left, conflicts = list(merged.left), list(merged.conflicts)
            whose = [each.name for each in made_of] if names and made_of else names
            told = {"names": whose, "tree": merged.tree, "left": left, "conflicts": conflicts}
            if merged.left or not self.name:  # what fits on a branch is not in the run's files yet
                await self._leg.write(f"{position}/merged", "merged", told)
            return told

        result = await self._leg.step("merge", body)
        return Merged(result["tree"], tuple(result["left"]), tuple(result["conflicts"]))

    # --- agents -----------------------------------------------------------------------------------------------

    async def ask(self, assignment: Assignment, contract: Contract[T]) -> T:
        return await self._ask(assignment, contract, self.left())

    async def _ask(self, assignment: Assignment, contract: Contract[T], left: Budget) -> T:
        ordered = await self.ordered(assignment, contract, left)
        return await self.taken(ordered, assignment, contract)

    async def ordered(self, assignment: Assignment, contract: Contract[Any], left: Budget) -> Ordered:
        """The step of an order, and nothing else: whatever follows from it is told and counted by `taken`."""
        calls = self._leg.calls[assignment.name] = self._leg.calls.get(assignment.name, 0) + 1
        tree, respawns = self.tree, self._limits.respawns
        toolbox = self._services.checker.toolbox(self._prepared)
        place, tokens = (self.id, self._leg.phase, self._created_at), self._leg.spent.tokens
        dispatch = Dispatch(self._services, self._waiting, *place, respawns, tokens)
        session = self._leg.sessions.get(assignment.name) if assignment.continues else None

        async def body(position: str) -> dict[str, Any]:
            return await dispatch.carry_out(assignment, contract, position, calls, tree, left, toolbox, session)

        step = self._leg.position + 1

        def stopped(result: dict[str, Any]) -> None:
            """What a stopped agent used was used all the same."""
            if "usage" in result:
                usage, seconds = Usage(**result["usage"]), result["seconds"]
                self._leg.team[step] = self._entry(assignment, usage, seconds)
                self._leg.spent = self._leg.spent.plus(usage, seconds)

        result = await self._leg.step(f"ask {assignment.name}", body, stopped)
        self._leg.tidy(dispatch.clear, f"{self._leg.number}.{step}")
        return Ordered(step, result)

    async def taken(self, ordered: Ordered, assignment: Assignment, contract: Contract[T]) -> T:
        result = ordered.result
        if assignment.writes:
            self.tree = result["tree"]
        self._leg.sessions[assignment.name] = result.get("session")
        await self._account(ordered.step, assignment, Usage(**result["usage"]), result["seconds"])
        if exhausted := result.get("exhausted"):
            raise self._budget_spent(tuple(Line(line) for line in exhausted))
        if result["outcome"] != Outcome.DONE:
            raise TeammateFailed(assignment.name, result["outcome"], result["detail"])
        return contract.parse(result["text"])

    async def ask_all(self, works: Sequence[tuple[Run, Assignment, Contract[T]]]) -> tuple[T, ...]:
        """Each is a single step, which is what makes this safe under replay. So are equal parts of the budget: what one
        of them leaves, another gets only when all have ended, as a step of its own."""
        if not works:
            return ()
        orders = [(_durable(run), work, contract) for run, work, contract in works]
        part = self.left().split(len(orders))
        asked = (run._ask(work, contract, part) for run, work, contract in orders)
        ends = await asyncio.gather(*asked, return_exceptions=True)
        if all(isinstance(end, BudgetSpent) for end in ends if isinstance(end, BaseException)):
            for index, end in enumerate(ends):
                if isinstance(end, BudgetSpent):
                    run, work, contract = orders[index]
                    ends[index] = await run.ask(work, contract)
        return all_of(ends)

    def left(self, reserved: Sequence[Budget] = ()) -> Budget:
        """What there is to spend; parts that others have may be reserved."""
        if exhausted := self._budget.exhausted(self._leg.spent):
            raise self._budget_spent(exhausted)
        return self._budget.remaining(self._leg.spent.with_reserved(reserved))

    @asynccontextmanager
    async def lanes(self, width: int) -> AsyncGenerator[DurableLanes]:
        lanes = DurableLanes(self, width)
        try:
            yield lanes
        finally:
            await lanes.close()

    async def ended_of(self, waiting: Callable[[], Awaitable[list[str]]]) -> list[str]:
        """Which of several have ended, recorded: a replay meets the same ones."""

        async def body(position: str) -> dict[str, Any]:
            return {"ended": await waiting()}

        return (await self._leg.step("ended", body))["ended"]

    def _budget_spent(self, lines: tuple[Line, ...]) -> BudgetSpent:
        return BudgetSpent(", ".join(amount(line, self._leg.spent.on(line)) for line in lines))

    async def _account(self, step: int, assignment: Assignment, usage: Usage, seconds: float) -> None:
        self._leg.team[step] = self._entry(assignment, usage, seconds)
        await self.spend(usage, seconds)

    def _entry(self, work: Assignment, usage: Usage, seconds: float) -> TeamRecord:
        return TeamRecord(work.name, work.role, self._leg.phase, str(work.tier), usage, seconds)

    async def spend(self, usage: Usage, seconds: float) -> None:
        before, self._leg.spent = self._leg.spent, self._leg.spent.plus(usage, seconds)
        for line in self._budget.warnings(before, self._leg.spent):
            spent, limit = self._leg.spent.on(line), self._budget.on(line)
            await self.say("budget_warning", line=str(line), spent=spent, limit=limit)

    # --- measurements -----------------------------------------------------------------------------------------

    async def goals(
        self, custom: str | None, interactive: bool, frozen: tuple[Goal, ...] = (), *, at_base: bool = False
    ) -> tuple[Goal, ...]:
        tree = self.base if at_base else self.tree

        async def body(position: str) -> dict[str, Any]:
            found = await self._measuring.goals(tree, position, custom, interactive)
            return {"goals": [wire.goal_to_json(goal) for goal in found]}

        return wire.goals_from_json(frozen, await self._measured("goals", body))

    async def traits(self) -> frozenset[str]:
        tree = self.tree

        async def body(position: str) -> dict[str, Any]:
            return {"traits": sorted(await self._measuring.traits(tree, position))}

        return frozenset((await self._measured("traits", body))["traits"])

    async def further_goals(self, frozen: tuple[Goal, ...] = (), *, at_base: bool = False) -> tuple[Goal, ...]:
        tree = self.base if at_base else self.tree

        async def body(position: str) -> dict[str, Any]:
            found = await self._measuring.further_goals(tree, position)
            return {"goals": [wire.goal_to_json(goal) for goal in found]}

        return wire.goals_from_json(frozen, await self._measured("further_goals", body))

    async def prepare(self, *, at_base: bool = False) -> None:
        tree = self.base if at_base else self.tree

        async def body(position: str) -> dict[str, Any]:
            prepared = await self._measuring.prepare(tree, position)
            return {"stopped": True} if prepared is None else {"prepared": asdict(prepared)}

        result = await self._measured("prepare", body)
        self._prepared = Prepared(**result["prepared"])
        made = self._prepared
        self._prepared_base = made if at_base else self._prepared_base
        await self.say("environment_prepared", digest=made.digest, problem=made.problem, fix=made.fix)

    async def check(self, goal: Goal, *, at_base: bool = False) -> CheckResult:
        result = await self.measured(goal, at_base=at_base)
        await self.spend(Usage(), result.seconds)
        return result

    async def measured(self, goal: Goal, *, at_base: bool = False) -> CheckResult:
        """The step of a check, and nothing else: its time is not counted yet."""
        tree, prepared = (self.base, self._prepared_base) if at_base else (self.tree, self._prepared)

        async def body(position: str) -> dict[str, Any]:
            result = await self._measuring.check(goal, tree, position, prepared, CHECK_SECONDS, at_base=at_base)
            if result is None:
                return {"stopped": True}
            # One more than prompts have, so that they know that there was more.
            kept = max(KEPT_OUTPUT, self._limits.prompt_output_characters + 1)
            told = wire.result_to_json(replace(result, output=result.output[-kept:]))
            if at_base:
                await self._leg.write(f"{position}/check", "check_at_base", told)
            else:
                await self._leg.write(f"{position}/check", "check", told)
            return {"check": told}

        return wire.result_from_json((await self._measured(f"check {goal.name}", body))["check"])

    async def compare(self, goal: Goal, before: CheckResult, now: CheckResult) -> CheckResult:
        async def body(position: str) -> dict[str, Any]:
            result = await self._measuring.compare(goal, before, now, position)
            told = wire.result_to_json(result)
            if result != now:
                await self._leg.write(f"{position}/check", "check", told)
            return {"check": told}

        return wire.result_from_json((await self._leg.step(f"compare {goal.name}", body))["check"])

    async def check_all(self, goals: Sequence[Goal]) -> tuple[CheckResult, ...]:
        """Side by side. Each is a single step, which is what makes this safe under replay."""
        return all_of(await asyncio.gather(*(self.check(goal) for goal in goals), return_exceptions=True))

    async def _measured(self, label: str, body: Step) -> dict[str, Any]:
        """A step with a scratch folder, which goes when the step is recorded and not before: one that is repeated after
        a crash finds there what was measured already, and measures nothing twice."""
        scratch = f"{self._leg.number}.{self._leg.position + 1}"
        try:
            result = await self._leg.step(label, body)
        except (Stopped, Blocked, Bug):
            self._leg.tidy(self._measuring.clear, scratch)
            raise
        self._leg.tidy(self._measuring.clear, scratch)
        return result

    async def tidied(self) -> None:
        """Nothing lies about any more of what was measured and handed out."""
        await self._leg.tidied()

    # --- the world --------------------------------------------------------------------------------------------

    async def call(self, connector: str, *words: str) -> CallResult:
        async def body(position: str) -> dict[str, Any]:
            return asdict(await asyncio.to_thread(self._services.connectors[connector], words))

        recorded = await self._leg.step(f"call {connector}", body)
        return CallResult(**{key: value for key, value in recorded.items() if key != "at"})

    # --- the story --------------------------------------------------------------------------------------------

    async def say(self, kind: str, /, **data: Any) -> None:
        await self._leg.say_each(kind, [data])

    async def say_each(self, kind: str, told: Sequence[dict[str, Any]]) -> None:
        await self._leg.say_each(kind, told)

    async def checkpoint(self, reason: str, place: Mapping[str, Any]) -> None:
        variables = await asyncio.to_thread(self._services.variables)
        told = {"history": dict(self._leg.sessions), "variables": list(variables), "tree": self.tree}
        await self.say("checkpoint", reason=reason, **place, **told, tokens=self._leg.spent.tokens)

    async def mark(self, *, mode: str) -> None:
        """Show the mode wherever runs are listed."""
        await self._leg.update(mode=mode)

    @asynccontextmanager
    async def phase(self, name: str) -> AsyncGenerator[None]:
        self._leg.phase = name
        await self.say("phase_entered", name=name, spent=asdict(self._leg.spent))
        await self._leg.update(phase=name)
        yield
        await self.say("phase_left", name=name, spent=asdict(self._leg.spent))


def _durable(run: Run) -> DurableRun:
    if not isinstance(run, DurableRun):
        raise TypeError(f"{type(run).__name__} is no branch of a durable run")
    return run
