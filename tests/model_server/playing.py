"""Plays a scenario as a model: finds in a conversation which order it is about and how far it has come."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from andon.domain.order import Order, Usage
from andon.runtimes import actions
from andon.runtimes.identity import IDENTITY, ordered
from andon.runtimes.scenario import Rule, Scenario, load, reply_text
from model_server.answers import Answer, Use
from model_server.conversation import Request, Turn
from model_server.tools import calls_for
from model_server.troubles import Trouble, rate_limit, unauthenticated

STRUCTURED = "StructuredOutput"
"""The tool that a program adds when a reply must have a form."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One thing the model does in a turn of its own."""

    use: Use | None = None
    text: str = ""
    trouble: Trouble | None = None
    seconds: float = 0.0
    refused: bool = False
    or_fail: bool = False


class Player:
    def __init__(self, scenario: Path | Scenario) -> None:
        self._scenario = scenario if isinstance(scenario, Scenario) else load(scenario)

    def answer(self, request: Request) -> Answer | Trouble:
        found = _order_in(request)
        if found is None:
            return Answer("as you like")  # a title, a route, a summary: programs ask for such things on their own
        first, order, said = found
        rule = self._scenario.rules[self._scenario.rule_for(first)]
        steps = [*self._steps(rule, order, request)]
        done = sum(1 for turn in said if turn.role == "assistant" and (turn.calls or turn.text))
        failed = _last_failed(said)
        if done and failed and done <= len(steps) and steps[done - 1].or_fail:
            return Answer(f"I give up: {failed[:200]}")
        if done >= len(steps):
            return Answer("Done.")
        step = steps[done]
        if step.trouble is not None:
            return step.trouble
        usage = self._scenario.usage_of(rule) or Usage(1000, 50)
        last = done == len(steps) - 1
        uses = (step.use,) if step.use else ()
        return Answer(step.text, uses, usage if last else Usage(), step.refused, step.seconds)

    def _steps(self, rule: Rule, order: Order, request: Request) -> Iterator[_Step]:
        slept = 0.0
        for step in rule.do:
            action = type(step.action).model_validate(
                rule.filled(order, step.action.model_dump(mode="json", by_alias=True)), strict=False
            )
            match action:
                case actions.Sleep():
                    slept += action.seconds
                case actions.Ask():
                    yield _Step(text=asked(action), seconds=slept)
                case actions.Emit():
                    yield _Step(text=action.line or json.dumps(action.event), seconds=slept)
                case actions.RateLimit():
                    yield _Step(trouble=rate_limit(action.resets_in))
                case actions.Auth():
                    yield _Step(trouble=unauthenticated(action.reason))
                case actions.Hang():
                    yield _Step(trouble=Trouble(silent=True))
                case actions.Garbage():
                    yield _Step(trouble=Trouble(garbage=True))
                case actions.Refuse():
                    yield _Step(text=action.reason, refused=True)
                case actions.Crash():
                    yield from self._uses(actions.Run.model_validate({"command": "kill -9 $PPID"}), order, request)
                case _:
                    yield from self._uses(action, order, request, slept)
                    slept = 0.0
        yield from self._reply(rule, order, request, slept)

    def _uses(self, action: actions.Action, order: Order, request: Request, slept: float = 0.0) -> Iterator[_Step]:
        calls = calls_for(action, order.folder, request.tools)
        for number, use in enumerate(calls):
            last = number == len(calls) - 1
            yield _Step(use, seconds=0.0 if number else slept, or_fail=last and bool(getattr(action, "or_fail", False)))

    def _reply(self, rule: Rule, order: Order, request: Request, slept: float) -> Iterator[_Step]:
        if rule.ends_without_reply:
            return
        reply = self._scenario.reply_of(rule, order)
        if STRUCTURED in request.tools and isinstance(reply, dict):
            yield _Step(Use(STRUCTURED, reply), seconds=slept)
        yield _Step(text=reply_text(reply) or "Done.", seconds=slept)


def asked(action: actions.Ask) -> str:
    """A question as agents put it to people."""
    lines = ["[USER_QUESTION]", f"category: {action.category}", f"question: {action.question}"]
    lines += [f"option: {option}" for option in action.options]
    lines += [f"default: {action.default}"] if action.default is not None else []
    lines += [f"timeout: {action.timeout:g}"] if action.timeout is not None else []
    return "\n".join((*lines, "[/USER_QUESTION]"))


def _order_in(request: Request) -> tuple[Order, Order, tuple[Turn, ...]] | None:
    """The order that the conversation is about, as it was given and as it goes on, and what was said since."""
    told = [(number, found) for number, turn in enumerate(request.turns) if (found := IDENTITY.search(turn.text))]
    told = [each for each in told if request.turns[each[0]].role == "user"]
    if not told:
        return None
    number, latest = told[-1]
    begun, first = next((at, found) for at, found in told if found[0] == latest[0])
    orders = (ordered(found, request.turns[at].text) for at, found in ((begun, first), (number, latest)))
    return *orders, request.turns[begun + 1 :]


def _last_failed(said: tuple[Turn, ...]) -> str:
    results = said[-1].results if said else ()
    return next((result.text for result in results if result.failed), "")
