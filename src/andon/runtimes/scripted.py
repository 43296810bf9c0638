"""The scripted runtime: orders are served by a scenario file instead of a model.

Translates an order into a script for the player, and what the player printed into a reply. It keeps no state between
orders, so that a run that is recovered after a crash meets the same agent again.
"""

from __future__ import annotations

import json
import math
import re
import sys
import sysconfig
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from signal import Signals
from typing import Any, cast

from andon.domain.errors import UserError
from andon.domain.order import Order, Outcome, Reply, Usage
from andon.ports import Command, Exit
from andon.processes import readable_for
from andon.runtimes import events, placeholders
from andon.runtimes.scenario import Rule, Scenario, load

PLAYER = Path(__file__).resolve().with_name("player.py")
SCRIPT = "script.json"
KEPT_OF_STDERR = 2000
KEPT_VIOLATIONS = 20
"""An agent that tries again and again is told about often enough."""
_WRITING = ("write", "edit", "delete", "move")
_REFUSED_BY_THE_KERNEL = re.compile("Read-only file system|Permission denied|Operation not permitted")

_GOES_ON = re.compile(r"#([0-9a-f]{12})\.(\d+)\.(\d+)$")
"""The end of a session that waits for an answer: scenario, rule, next step."""

_ENDED_BY_OTHERS = {
    "timeout": Outcome.LIMIT,
    "memory": Outcome.LIMIT,
    "disk": Outcome.LIMIT,
    "cancelled": Outcome.CANCELLED,
    "lease": Outcome.LOST,
    "lost": Outcome.LOST,
}


class ScriptedRuntime:
    """Plays a scenario. See docs/reference/scenarios.md."""

    name = "scripted"

    def __init__(self, scenario: Path | str | Scenario) -> None:
        self._scenario = scenario if isinstance(scenario, Scenario) else load(Path(scenario))

    def command(self, order: Order, folder: Path) -> Command:
        number, first = self._place(order)
        folder.mkdir(parents=True, exist_ok=True)
        script = folder / SCRIPT
        # A half-written script would be played by whoever starts the order again after a crash.
        fresh = script.with_suffix(".new")
        fresh.write_text(json.dumps(self._script(order, number, first), ensure_ascii=False), encoding="utf-8")
        fresh.replace(script)
        python = Path(sys.executable).resolve()
        return Command(
            argv=(str(python), "-I", "-S", str(PLAYER), str(script)),
            cwd=order.folder,
            env={"PATH": f"/usr/local/bin:/usr/bin:/bin:{python.parent}", "LANG": "C.UTF-8"},
        )

    def readable(self, order: Order, folder: Path) -> tuple[str, ...]:
        del order
        python = Path(sys.executable).resolve()
        library = Path(sysconfig.get_path("stdlib")).resolve()
        needed = readable_for(python, Path(sys.base_prefix).resolve(), library)
        return (*needed, str(PLAYER), str(folder / SCRIPT))

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        printed = _Printed.read(folder / "stdout")
        reply = _ended_by_others(order, exit) or _ended_by_itself(order, printed, exit, folder)
        return replace(
            reply, usage=_usage(order, folder, printed, reply.text), seconds=exit.seconds, violations=printed.violations
        )

    def feed(self, line: str | bytes) -> str | None:
        """One line of an agent's output for a live screen; None when it shows nothing."""
        return events.in_one_line(events.parse(line))

    def _place(self, order: Order) -> tuple[int, int]:
        """The rule that serves the order, and the step to begin with: not the first after an answered question."""
        waiting = _GOES_ON.search(order.session or "")
        if waiting is None:
            return self._scenario.rule_for(order), 0
        digest, rule, step = waiting[1], int(waiting[2]), int(waiting[3])
        if digest != self._scenario.digest or rule >= len(self._scenario.rules):
            raise UserError(
                f"the scenario was changed while {order.label} waited for an answer",
                hint="put the scenario back as it was, or start the run again",
            )
        return rule, step

    def _script(self, order: Order, number: int, first: int) -> dict[str, Any]:
        rule = self._scenario.rules[number]
        usage = self._scenario.usage_of(rule)
        steps = list[dict[str, Any]]()
        reply = _filled(rule, order, rule.reply) if rule.reply is not None else self._scenario.defaults.reply
        for at, step in enumerate(rule.do[first:], first + 1):
            keys = step.action.model_dump(mode="json", by_alias=True)
            steps.append({"action": step.name, **_filled(rule, order, keys)})
            if step.ask is not None:
                # What follows, the reply included, is another order's script, in which the answer is known.
                steps[-1]["session"] = f"{self.name}/{order.name}#{self._scenario.digest}.{number}.{at}"
                reply = None
                break
        return {
            "script": 1,
            "rule": self._scenario.where(number),
            "steps": steps,
            "reply": _as_text(reply),
            "usage": None if usage is None else asdict(usage),
        }


def _filled(rule: Rule, order: Order, value: Any) -> Any:
    if not rule.template:
        return value
    known = {"name": order.name, "role": order.role, "call": str(order.call), "attempt": str(order.attempt)}
    document = order.writable[0] if len(order.writable) == 1 else ""
    return placeholders.fill(value, {**known, "document": document, "answer": order.prompt})


def _as_text(reply: Any) -> str:
    if reply is None:
        return ""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class _Printed:
    """What counts of an agent's output."""

    last: events.Event | None = None
    """The last event that says how the order ended."""
    usage: Usage | None = None
    strangest: str = ""
    """The last line that was no event."""
    violations: tuple[str, ...] = ()

    @staticmethod
    def read(path: Path) -> _Printed:
        last, usage, strangest, violations = None, None, "", list[str]()
        for event in events.read(path):
            if (violation := _violation(event)) and len(violations) < KEPT_VIOLATIONS:
                violations.append(violation)
            match event:
                case events.Used(spent):
                    usage = (usage or Usage()) + spent
                case events.Raw(line):
                    strangest = line or strangest
                case events.Text() | events.Tool() | events.Delegated():
                    pass
                case _:
                    last = event
        return _Printed(last, usage, strangest, tuple(violations))


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


def _ended_by_others(order: Order, exit: Exit) -> Reply | None:
    """The reply when the agent was not the one to end the order: what it printed before does not count."""
    if exit.reason == "exited":
        return None
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
    return Reply(_ENDED_BY_OTHERS.get(exit.reason, Outcome.CRASHED), detail=detail)


def _ended_by_itself(order: Order, printed: _Printed, exit: Exit, folder: Path) -> Reply:
    match printed.last:
        case events.RateLimited(resets_at):
            return Reply(Outcome.RATE_LIMITED, detail="rate-limited", resets_at=resets_at)
        case events.Refused(reason):
            return Reply(Outcome.REFUSED, detail=reason)
        case events.Unauthenticated(reason):
            return Reply(Outcome.UNAUTHENTICATED, detail=reason)
        case _ if exit.signal is not None or exit.code != 0:
            return Reply(Outcome.CRASHED, detail=_crash(exit, folder))
        case events.Asked(question, session):
            return Reply(Outcome.ASKED, detail=question.text, question=question, session=session)
        case events.Replied(text):
            return Reply(Outcome.DONE, text=text, session=f"{ScriptedRuntime.name}/{order.name}")
        case _ if exit.truncated:
            return Reply(Outcome.LIMIT, detail="printed more than is kept, and no reply before that")
        case _:
            strange = f"; it printed {printed.strangest[:200]!r}" if printed.strangest else ""
            return Reply(Outcome.UNPARSEABLE, detail=f"ended without a reply{strange}")


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


def _usage(order: Order, folder: Path, printed: _Printed, text: str) -> Usage:
    """What was reported, plus what the rule says; an estimate when neither says anything (G-24)."""
    by_rule = _usage_in(folder / SCRIPT)
    if printed.usage is None and by_rule is None:
        return Usage(math.ceil(len(order.prompt) / 4), math.ceil(len(text) / 4))
    return (printed.usage or Usage()) + (by_rule or Usage())


def _usage_in(script: Path) -> Usage | None:
    try:
        found = cast(dict[str, Any], json.loads(script.read_bytes()))["usage"]
        return None if found is None else Usage(**found)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # The order was never started, or by another version.
