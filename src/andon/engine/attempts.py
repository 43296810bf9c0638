"""Carries one assignment through its attempts: respawn after a crash, a reply in the wrong form, a question, a limit.

Everything it writes carries a key, so a repeated step repeats nothing.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from andon.domain.assignment import Assignment, ContractError
from andon.domain.budget import Budget, Line, Spent
from andon.domain.order import Limits, Order, Outcome, Question, Reply, Usage
from andon.domain.question_block import question_in
from andon.domain.tasks.checkpoints import Reason
from andon.domain.tasks.protocol import DENIED, Dependency, asked_for, denied, dependency_in, granted, understood
from andon.ports import Contract

if TYPE_CHECKING:
    from andon.engine.dispatch import Dispatch

MAX_ORDERS = 40
"""Questions and rate limits do not count as failures, but no step hands out orders without end (E-18)."""
KEPT_TEXT = 4000
_WORTH_A_RESPAWN = {Outcome.CRASHED, Outcome.LIMIT, Outcome.UNPARSEABLE}
_INTERRUPTED = {Outcome.LOST, Outcome.CANCELLED}
"""Not the teammate's failure: nobody came back within the lease, or the machine was shut down. CANCELLED is never ours:
a stop of ours ends the step before its reply is judged."""


class Attempts:
    """The state of one assignment on its way to an outcome."""

    def __init__(
        self,
        dispatch: Dispatch,
        work: Assignment,
        contract: Contract[Any],
        order: Order,
        tree: str,
        left: Budget,
        whole: str,
    ) -> None:
        self._dispatch = dispatch
        self._work = work
        self._contract = contract
        self._order = order
        self._tree = tree
        self._left = left
        self._task = whole
        """For whoever begins anew: the prompt, and why the work of those before was not taken."""
        self._talk: list[tuple[str, str]] = []
        """Questions and their answers, which only the session that asked knows."""
        self._usage = Usage()
        self._seconds = 0.0
        self._exhausted: tuple[Line, ...] = ()
        self._ended_by: tuple[Line, ...] = ()
        self._failures = 0
        self._misread = 0
        self._rests = 0

    async def until_settled(self) -> dict[str, Any]:
        position = self._order.position
        task = (f"{position}/task", "task_created", {"name": self._work.name, "role": self._work.role})
        await self._dispatch.say_all([task, *self._spawned(self._order)])
        reply = Reply(Outcome.LIMIT, detail=f"more than {MAX_ORDERS} orders in one step")
        for number in range(1, MAX_ORDERS + 1):
            answered, stopped = await self._dispatch.order(self._order, number, self._tree)
            reply = answered or reply
            if answered is not None:
                self._count(answered)
            if stopped:
                return await self._close_stopped()
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

    def _count(self, reply: Reply) -> None:
        self._usage += reply.usage
        self._seconds += reply.seconds
        self._exhausted = self._left.exhausted(Spent().plus(self._usage, self._seconds))

    async def _after(self, reply: Reply, number: int) -> Order | Reply | None:
        """The next order to hand out; or the reply it ends with; or None when a person stopped the run."""
        match reply.outcome:
            case Outcome.DONE:
                return await self._after_done(reply, number)
            case Outcome.ASKED | Outcome.RATE_LIMITED | Outcome.LIMIT if self._exhausted:
                return self._out_of_budget()  # before a person is asked for nothing; and a limit is then the budget's
            case Outcome.ASKED if reply.question is not None:
                return await self._after_question(reply, number, reply.question)
            case Outcome.RATE_LIMITED:
                return await self._after_rate_limit(reply, number)
            case outcome if outcome in _WORTH_A_RESPAWN | _INTERRUPTED:
                return await self._respawn(reply, number)
            case _:
                return reply

    async def _after_done(self, reply: Reply, number: int) -> Order | Reply | None:
        if violation := await self._keep(number):
            return await self._refuse(reply, number, violation)
        if wanted := dependency_in(reply.text):
            return await self._after_dependency(reply, wanted)
        if question := question_in(reply.text):
            return await self._after_question(reply, number, question)
        try:
            self._contract.parse(reply.text)
        except ContractError as error:
            return await self._ask_again(reply, number, error)
        return reply

    async def _keep(self, number: int) -> str:
        """Go on with what the order wrote; or, when it wrote where it may not, with nothing of it: why."""
        label = f"{self._order.position}-{number}"
        self._tree, violation = await self._dispatch.keep(self._order, number, label, self._tree)
        return violation

    async def _refuse(self, reply: Reply, number: int, violation: str) -> Order | Reply:
        key = f"{self._order.position}-{number}/scope"
        await self._dispatch.say(key, "scope_refused", name=self._work.name, detail=violation)
        failed = replace(reply, outcome=Outcome.REFUSED, detail=violation)
        return await self._respawn(failed, number, f"\n\nRefused: you {violation}.")

    async def _ask_again(self, reply: Reply, number: int, error: ContractError) -> Order | Reply:
        if self._misread >= self._contract.retries:
            return replace(reply, outcome=Outcome.UNPARSEABLE, detail=str(error))
        self._misread += 1
        await self._dispatch.say(
            f"{self._order.position}-{number}/misread", "reply_misread", name=self._work.name, detail=str(error)
        )
        told = f"\n\nYour previous reply could not be read: {error}\n\n{self._contract.instruction}"
        return await self._anew(told)

    async def _respawn(self, reply: Reply, number: int, told: str = "") -> Order | Reply:
        if reply.outcome not in _INTERRUPTED:
            if self._failures >= self._dispatch.respawns or self._used_up:
                return reply
            self._failures += 1
        await self._dispatch.say(
            f"{self._order.position}-{number}/failed",
            "teammate_failed",
            name=self._work.name,
            outcome=str(reply.outcome),
            detail=reply.detail,
        )
        return await self._anew(told)

    @property
    def _used_up(self) -> bool:
        """What this work itself may use: a successor would only use as much again."""
        return self._work.tokens is not None and self._usage.tokens >= self._work.tokens

    async def _after_question(self, reply: Reply, number: int, question: Question) -> Order | Reply | None:
        # What it wrote before it asked is part of the work it goes on with.
        if violation := await self._keep(number):
            return await self._refuse(reply, number, violation)
        question, warning = understood(question)
        if warning:
            await self._dispatch.say(f"{self._order.position}-{number}/category", "warning", text=warning)
        answer = await self._answer(question)
        return None if answer is None else await self._go_on(reply, question.text, answer)

    async def _after_dependency(self, reply: Reply, wanted: Dependency) -> Order | Reply | None:
        """What only a person can give (D-116). A secret does not come this way: it will be in the environment."""
        answer = await self._answer(asked_for(wanted))
        if answer is None:
            return None
        refused = answer.strip().casefold() == DENIED
        told = denied(wanted) if refused else granted(wanted, "" if wanted.need.secret else answer)
        return await self._go_on(reply, f"{wanted.name}: {wanted.reason}", told)

    async def _answer(self, question: Question) -> str | None:
        asked = len(self._talk) + 1
        return await self._dispatch.waiting.answer(f"{self._order.position}q{asked}", question)

    async def _go_on(self, reply: Reply, asked: str, answer: str) -> Order | Reply:
        self._talk.append((asked, answer))
        key = f"{self._order.position}/answer.{len(self._talk)}"
        await self._dispatch.say(key, "message", recipient=self._work.name, content=answer)
        prompt = answer if reply.session else self._all_that_was_said()
        return await self._next(prompt=prompt, session=reply.session)

    async def _after_rate_limit(self, reply: Reply, number: int) -> Order | Reply | None:
        moment = await self._dispatch.end_of_limit(self._order, number, reply.resets_at, again=self._rests > 0)
        self._rests += 1
        await self._dispatch.say(
            f"{self._order.position}-{number}/rate", "rate_limited", name=self._work.name, resets_at=moment
        )
        await self._dispatch.checkpoint("limited", Reason.RATE_LIMIT, self._order, number, self._tree, self._usage)
        if not await self._dispatch.waiting.until(moment):
            return None
        return await self._next(attempt=self._order.attempt + 1)

    async def _anew(self, told: str) -> Order | Reply:
        """The same work for a successor, who knows nothing of what was said in the session before."""
        self._task += told
        return await self._next(prompt=self._all_that_was_said(), attempt=self._order.attempt + 1, session=None)

    def _all_that_was_said(self) -> str:
        if not self._talk:
            return self._task
        said = "\n\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in self._talk)
        return f"{self._task}\n\nThis was asked before, and a person has answered it:\n\n{said}"

    async def _next(self, **changes: Any) -> Order | Reply:
        """One more order within what the ones before have left of the budget; the end when that is nothing."""
        if self._exhausted:
            return self._out_of_budget()
        used = Spent().plus(self._usage, self._seconds)
        order = replace(self._order, limits=self._left.limit_order(limits_of(self._work), used), **changes)
        if order.attempt > self._order.attempt:
            await self._dispatch.say_all(self._spawned(order))
        return order

    def _out_of_budget(self) -> Reply:
        self._ended_by = self._exhausted
        return Reply(Outcome.LIMIT, detail=f"what it had of the budget of {' and '.join(self._exhausted)} is used up")

    def _spawned(self, order: Order) -> list[tuple[str, str, dict[str, Any]]]:
        work, attempt = self._work, order.attempt
        key = f"{order.position}/spawn.{attempt}"
        spawn: dict[str, Any] = {
            "name": work.name,
            "role": work.role,
            "model": str(work.tier),
            "attempt": attempt,
            "instance": f"{order.run}/{order.position}-{attempt}",
            "writes": list(work.writes),
            "prompt": order.prompt,
            **({"directed": True} if work.direction else {}),
        }
        message = {"recipient": work.name, "content": work.message}
        return [(key, "spawn", spawn), (f"{key}.m", "message", message)]

    async def _close_stopped(self) -> dict[str, Any]:
        key, name = self._order.position, self._work.name
        used: dict[str, Any] = {"usage": asdict(self._usage), "seconds": self._seconds}
        await self._dispatch.say_all(self._ended(key, name, {"status": "stopped", **used}))
        return {"stopped": True, "tree": self._tree, **used}

    @staticmethod
    def _ended(key: str, name: str, update: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
        return [
            (f"{key}/update", "task_update", {"name": name, **update}),
            (f"{key}/shutdown", "shutdown_request", {"recipient": name}),
        ]

    async def _close(self, reply: Reply) -> dict[str, Any]:
        if reply.outcome is not Outcome.DONE:
            await self._dispatch.put_back(self._order, self._tree)
        key, name = self._order.position, self._work.name
        outcome, usage = str(reply.outcome), asdict(self._usage)
        shown = reply.text if len(reply.text) <= KEPT_TEXT else reply.text[:KEPT_TEXT] + " …"
        result: dict[str, Any] = {
            "name": name,
            "outcome": outcome,
            "text": shown,
            "detail": reply.detail,
            "usage": usage,
            "seconds": round(self._seconds, 3),
            "tree": self._tree,
            "branch": self._dispatch.branch,
            "session": reply.session,
        }
        status = "completed" if reply.outcome is Outcome.DONE else "failed"
        told = self._ended(key, name, {"status": status})
        await self._dispatch.say_all([(f"{key}/result", "result", result), *told])
        return {
            "outcome": outcome,
            "text": reply.text,
            "detail": reply.detail,
            "usage": usage,
            "seconds": self._seconds,
            "tree": self._tree,
            "session": reply.session,
            "exhausted": [str(line) for line in self._ended_by],
        }


def limits_of(work: Assignment) -> Limits:
    return Limits(seconds=work.seconds, tokens=work.tokens)
