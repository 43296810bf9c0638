"""One read-only `ask` against starting the same process directly.

The ask is the real verb: a durable step, journal entries, a workspace made ready, a sandboxed agent under its
supervisor, a reply read by its contract. The other side of each pair is the very command that the ask left in its
order's folder, started by nothing but `subprocess`. The two take turns; the median of their differences counts.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

from ground import Created, Ground, payload, started
from recording import start_plainly
from rows import Row

from andon.app.workspace import RunWorkspace
from andon.domain.assignment import Assignment
from andon.domain.order import Tier
from andon.domain.run import Ending, Status
from andon.engine.run import DurableRun
from andon.ports import Command
from andon.roles.contracts import TEXT

PROMPT = "auto/issue-analyst"
"""Of an agent that may not write."""


def ask(ground: Ground, pairs: int) -> list[Row]:
    taken = asyncio.run(taking_turns(ground.create_run(), pairs, command_of))
    return [row("ask", "one read-only ask, over starting its process directly", taken)]


def row(name: str, what: str, taken: list[tuple[float, float]]) -> Row:
    over = median(asked - direct for asked, direct in taken) * 1000
    asked, direct = (median(side) * 1000 for side in zip(*taken, strict=True))
    return Row(name, what, over, "ms", f"{asked:.0f} ms asked, {direct:.0f} ms started directly")


async def taking_turns(created: Created, pairs: int, direct: Callable[[Path], Command]) -> list[tuple[float, float]]:
    """Seconds of each ask, and of the process that `direct` makes of the folder it left."""
    taken: list[tuple[float, float]] = []
    workspace = RunWorkspace.of(created.store.home, created.row)

    async def asking(run: DurableRun, given: dict[str, Any]) -> Ending:
        for step in range(1, pairs + 2):
            begun = time.perf_counter()
            await run.ask(_assignment(), TEXT)
            middle = time.perf_counter()
            folder = created.store.home.run(run.id) / "orders" / f"1.{step}-1"
            await run.tidied()
            workspace.disposable_git(folder / "git")  # which went with the step
            command = direct(folder)
            ready = time.perf_counter()
            done = await asyncio.to_thread(start_plainly, command)
            if done.returncode != 0:
                raise RuntimeError(f"started directly, the agent ended with {done.returncode}")
            taken.append((middle - begun, time.perf_counter() - ready))
        return Ending(Status.DONE, "asked", "")

    async with started(created, {"asking": asking}) as durable:
        await durable.begin(created.row.workflow, payload(created, "asking"))
        result = await durable.result(created.row.workflow)
    if result["reason"] != "asked":
        raise RuntimeError(f"the run ended as {result['reason']}: {result['message']}")
    return taken[1:]  # The first pays for cold caches.


def _assignment() -> Assignment:
    template = files("andon.roles").joinpath("prompts", f"{PROMPT}.md").read_text(encoding="utf-8")
    values = dict.fromkeys(re.findall(r"{{\s*([a-z_]+)", template), "none")
    return Assignment("explore", "issue-analyst", PROMPT, Tier.HAIKU, values)


def command_of(folder: Path) -> Command:
    """The very command of an order, sandbox included."""
    told = json.loads((folder / "command.json").read_bytes())
    return Command(tuple(told["argv"]), told["cwd"], told["env"], (folder / "stdin").read_bytes())
