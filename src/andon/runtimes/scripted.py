"""The scripted runtime: orders are served by a scenario file instead of a model.

Translates an order into a script for the player, and what the player printed into a reply. It keeps no state between
orders, so that a run that is recovered after a crash meets the same agent again.
"""

from __future__ import annotations

import json
import re
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

from andon.domain.errors import UserError
from andon.domain.order import Order, Outcome, Reply, Usage
from andon.ports import Command, Exit, Needs, Watch
from andon.processes import readable_for
from andon.runtimes import events, own_lines
from andon.runtimes.printed import Printed, estimated
from andon.runtimes.scenario import Scenario, load, reply_text
from andon.runtimes.setup import Setup

PLAYER = Path(__file__).resolve().with_name("player.py")
SCRIPT = "script.json"

_GOES_ON = re.compile(r"#([0-9a-f]{12})\.(\d+)\.(\d+)$")
"""The end of a session that waits for an answer: scenario, rule, next step."""


def made(setup: Setup) -> ScriptedRuntime:
    if setup.scenario is None:
        raise UserError("The scripted runtime needs a scenario", "Name one with --scenario FILE.")
    return ScriptedRuntime(setup.scenario)


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

    def needs(self, order: Order, folder: Path) -> Needs:
        del order
        python = Path(sys.executable).resolve()
        library = Path(sysconfig.get_path("stdlib")).resolve()
        needed = readable_for(python, Path(sys.base_prefix).resolve(), library)
        return Needs(readable=(*needed, str(PLAYER), str(folder / SCRIPT)))

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        printed = Printed.of(own_lines.read(folder / "stdout"))
        reply = printed.reply(order, folder, exit)
        session = f"{self.name}/{order.name}" if reply.outcome is Outcome.DONE else reply.session
        return replace(reply, session=session, usage=_usage(order, folder, printed, reply))

    def told(self, order: Order, folder: Path) -> Iterable[events.Event]:
        del order
        return own_lines.read(folder / "stdout")

    def reader(self, order: Order) -> events.Reader:
        del order
        return own_lines.read_line

    def watch(self, order: Order) -> Watch | None:
        del order
        return None  # a scenario has no limits of its own, and ends by itself

    def feed(self, line: str | bytes) -> str | None:
        """One line of an agent's output for a live screen; None when it shows nothing."""
        return events.in_one_line(own_lines.parse(line))

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
        reply = self._scenario.reply_of(rule, order)
        for at, step in enumerate(rule.do[first:], first + 1):
            keys = step.action.model_dump(mode="json", by_alias=True)
            steps.append({"action": step.name, **rule.filled(order, keys)})
            if step.ask is not None:
                # What follows, the reply included, is another order's script, in which the answer is known.
                steps[-1]["session"] = f"{self.name}/{order.name}#{self._scenario.digest}.{number}.{at}"
                reply = None
                break
        return {
            "script": 1,
            "rule": self._scenario.where(number),
            "steps": steps,
            "reply": reply_text(reply),
            "usage": None if usage is None else asdict(usage),
        }


def _usage(order: Order, folder: Path, printed: Printed, reply: Reply) -> Usage:
    """What was reported, plus what the rule says; an estimate when neither says anything (G-24)."""
    by_rule = _usage_in(folder / SCRIPT)
    if printed.usage is None and by_rule is None:
        return estimated(order, reply)
    return (printed.usage or Usage()) + (by_rule or Usage())


def _usage_in(script: Path) -> Usage | None:
    try:
        found = cast(dict[str, Any], json.loads(script.read_bytes()))["usage"]
        return None if found is None else Usage(**found)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # The order was never started, or by another version.
