"""What counts of all that an agent printed, and the reply it makes: one judgement for every agent program.

An exit code alone is no success, and words alone are none either: only an answer that the program itself calls its last
makes an order done.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from signal import Signals

from andon.domain.order import Order, Outcome, Reply, Usage
from andon.ports import Exit
from andon.runtimes import events

KEPT_OF_STDERR = 2000
KEPT_VIOLATIONS = 20
"""An agent that tries again and again is told about often enough."""
_WRITING = ("write", "edit", "delete", "move", "patch")
_REFUSED_BY_THE_KERNEL = re.compile(
    "Read-only file system|Permission denied|Operation not permitted|EROFS|EACCES|EPERM"
)
_ENDED_BY_OTHERS = {
    "timeout": Outcome.LIMIT,
    "memory": Outcome.LIMIT,
    "disk": Outcome.LIMIT,
    "cancelled": Outcome.CANCELLED,
    "lease": Outcome.LOST,
    "lost": Outcome.LOST,
}


@dataclass(slots=True)
class Printed:
    """Fed with one event after another."""

    last: events.Event | None = None
    """The last event that says how the order ended."""
    usage: Usage | None = None
    session: str | None = None
    turns: int = 0
    strangest: str = ""
    """The last line that was no event."""
    violations: list[str] = field(default_factory=list[str])

    @staticmethod
    def of(told: Iterable[events.Event]) -> Printed:
        printed = Printed()
        for event in told:
            printed.add(event)
        return printed

    def add(self, event: events.Event) -> None:
        if (violation := _violation(event)) and len(self.violations) < KEPT_VIOLATIONS:
            self.violations.append(violation)
        match event:
            case events.Used(spent, total):
                self.usage = spent if total else (self.usage or Usage()) + spent
            case events.Raw(line):
                self.strangest = line or self.strangest
            case events.Began(session):
                self.session = session
            case events.Turn():
                self.turns += 1
            case events.Text() | events.Tool() | events.Delegated():
                pass
            case _:
                self.last = event

    def exceeded(self, order: Order) -> str:
        """Which of the order's limits it has gone beyond while it runs; "" for none."""
        limits, usage = order.limits, self.usage or Usage()
        if limits.turns is not None and self.turns > limits.turns:
            return f"more than {limits.turns} turns"
        if limits.tokens is not None and usage.tokens > limits.tokens:
            return f"more than {limits.tokens} tokens"
        if limits.money is not None and usage.money > limits.money:
            return f"more than {limits.money:g} USD"
        return ""

    def early(self, order: Order) -> Reply | None:
        """A reply that makes it pointless to wait for the end of the program."""
        match self.last:
            case events.RateLimited() | events.Unauthenticated():
                return self._said()
            case _ if reason := self.exceeded(order):
                return Reply(Outcome.LIMIT, detail=reason, session=self.session)
            case _:
                return None

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        reply = self._ended_by_others(order, exit) or self._ended_by_itself(exit, folder)
        return replace(reply, seconds=exit.seconds, violations=tuple(self.violations), usage=self.usage or Usage())

    def _ended_by_others(self, order: Order, exit: Exit) -> Reply | None:
        """The reply when the agent was not the one to end the order: what it printed before does not count."""
        if exit.reason == "exited":
            return None
        if exit.reason == "cancelled" and (early := self.early(order)):
            return early  # for that very reason
        reasons = {
            "timeout": f"did not end within {order.limits.seconds:g} seconds",
            "memory": "used more memory than it may",
            "disk": "wrote more than it may",
            "cancelled": "cancelled",
            "lease": "nobody came back for it",
            "lost": "lost",
        }
        reason = reasons.get(exit.reason, exit.reason)
        detail = f"{reason}: {exit.detail}" if exit.detail else reason
        return Reply(_ENDED_BY_OTHERS.get(exit.reason, Outcome.CRASHED), detail=detail, session=self.session)

    def _ended_by_itself(self, exit: Exit, folder: Path) -> Reply:
        match self.last:
            case (
                events.RateLimited() | events.Refused() | events.Unauthenticated() | events.Exceeded() | events.Failed()
            ):
                return self._said()
            case _ if exit.signal is not None or exit.code != 0:
                return Reply(Outcome.CRASHED, detail=_crash(exit, folder), session=self.session)
            case events.Asked() | events.Replied():
                return self._said()
            case _ if exit.truncated:
                return Reply(Outcome.LIMIT, detail="printed more than is kept, and no reply before that")
            case _:
                strange = f"; it printed {self.strangest[:200]!r}" if self.strangest else ""
                return Reply(Outcome.UNPARSEABLE, detail=f"ended without a reply{strange}", session=self.session)

    def _said(self) -> Reply:
        """The reply that its last words make."""
        match self.last:
            case events.RateLimited(resets_at):
                return Reply(Outcome.RATE_LIMITED, detail="rate-limited", resets_at=resets_at, session=self.session)
            case events.Refused(reason):
                return Reply(Outcome.REFUSED, detail=reason)
            case events.Unauthenticated(reason):
                return Reply(Outcome.UNAUTHENTICATED, detail=reason)
            case events.Exceeded(reason):
                return Reply(Outcome.LIMIT, detail=reason, session=self.session)
            case events.Asked(question, session):
                session = session or self.session
                return Reply(Outcome.ASKED, detail=question.text, question=question, session=session)
            case events.Replied(text):
                return Reply(Outcome.DONE, text=text, session=self.session)
            case events.Failed(reason):
                return Reply(Outcome.CRASHED, detail=reason, session=self.session)
            case _:
                return Reply(Outcome.UNPARSEABLE, detail="ended without a reply")


def estimated(order: Order, reply: Reply) -> Usage:
    """Of a program that reports nothing (G-24)."""
    return Usage(math.ceil(len(order.prompt) / 4), math.ceil(len(reply.text) / 4))


def _violation(event: events.Event) -> str:
    """What the agent tried and was refused, "" when it kept to its role (A-20, E-03, E-04)."""
    match event:
        case events.Delegated(role):
            return f"asked for another agent{f': {role}' if role else ''}; refused, nobody is started for an agent"
        case events.Tool(tool, target, ok=False, error=error) if tool in _WRITING:
            refused = _REFUSED_BY_THE_KERNEL.search(error)
            return f"tried to {tool} {target}; refused: {refused[0]}" if refused else ""
        case _:
            return ""


def _crash(exit: Exit, folder: Path) -> str:
    how = f"exit code {exit.code}" if exit.signal is None else f"killed by {_signal_name(exit.signal)}"
    try:
        with (folder / "stderr").open("rb") as file:
            file.seek(max(0, (folder / "stderr").stat().st_size - KEPT_OF_STDERR))
            said = file.read(KEPT_OF_STDERR).decode("utf-8", "replace").replace("\0", "").strip()
    except OSError:
        said = ""
    return ": ".join(part for part in (how, exit.detail, said) if part)


def _signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"
