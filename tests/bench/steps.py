"""What the single parts of a run cost: for finding out where time goes. No limits."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

from ground import Created, Ground, payload, started
from recording import start_plainly
from rows import Row
from timing import in_turns, milliseconds

from andon.app.workspace import RunWorkspace
from andon.domain.run import Ending, Status
from andon.engine.run import DurableRun
from andon.ports import Bounds, Command, Confinement, Sandbox
from andon.processes import supervise
from andon.workspace.sandbox import best

TRUE = Command(("/bin/true",), "/", {"PATH": "/usr/bin:/bin"})


def steps(ground: Ground, rounds: int) -> list[Row]:
    created = ground.create_run()
    return [
        *asyncio.run(_verbs(created, rounds)),
        *_processes(ground, rounds),
        *_workspace(created, rounds),
    ]


async def _verbs(created: Created, rounds: int) -> list[Row]:
    taken: dict[str, list[float]] = {"step": [], "say": []}

    async def nothing() -> dict[str, Any]:
        return {}

    async def timed(name: str, work: Callable[[], Awaitable[object]]) -> None:
        begun = time.perf_counter()
        await work()
        taken[name].append(time.perf_counter() - begun)

    async def doing_nothing(run: DurableRun, given: dict[str, Any]) -> Ending:
        for _ in range(rounds):
            await timed("step", lambda: durable.step("nothing", nothing))
            await timed("say", lambda: run.say("notice", text="nothing"))
        return Ending(Status.DONE, "", "")

    async with started(created, {"nothing": doing_nothing}) as durable:
        await durable.begin(created.row.workflow, payload(created, "nothing"))
        await durable.result(created.row.workflow)
    return [
        Row("step", "a durable step that does nothing", milliseconds(taken["step"]), "ms"),
        Row("say", "one journal entry", milliseconds(taken["say"]), "ms"),
    ]


def _processes(ground: Ground, rounds: int) -> list[Row]:
    sandbox: Sandbox = best(ground.home / "sandbox")
    folder = ground.scratch / "confined"
    folder.mkdir()
    confinement = Confinement(str(folder), writable=(str(folder),))
    confined = sandbox.confine(TRUE, confinement)
    numbers = count()
    with asyncio.Runner() as runner:

        def supervised(command: Command) -> None:
            runner.run(supervise(ground.scratch / "supervised" / str(next(numbers)), command, Bounds(60)))

        taken = in_turns(
            rounds,
            {
                "true": lambda: start_plainly(TRUE),
                "supervised": lambda: supervised(TRUE),
                "sandboxed": lambda: start_plainly(confined),
                "both": lambda: supervised(confined),
                "confine": lambda: sandbox.confine(TRUE, confinement),
                "git": lambda: subprocess.run(["git", "--version"], stdout=subprocess.DEVNULL, check=True),
            },
        )
    return [
        Row("true", "true, started plainly", milliseconds(taken["true"]), "ms"),
        Row("supervised", "true, supervised", milliseconds(taken["supervised"]), "ms"),
        Row("sandboxed", f"true, sandboxed ({sandbox.tier})", milliseconds(taken["sandboxed"]), "ms"),
        Row("both", "true, sandboxed and supervised", milliseconds(taken["both"]), "ms"),
        Row("confine", "wording a sandbox", milliseconds(taken["confine"]), "ms"),
        Row("git", "the shortest git process", milliseconds(taken["git"]), "ms"),
    ]


def _workspace(created: Created, rounds: int) -> list[Row]:
    workspace = RunWorkspace.of(created.store.home, created.row)
    place = created.store.home.run(created.row.id) / "bench"
    numbers = count()

    def new() -> Path:
        return place / str(next(numbers))

    def snapshot() -> None:
        number = next(numbers)
        (workspace.folder / "changed.txt").write_text(f"{number}\n")
        workspace.snapshot(f"bench-{number}", created.row.created_at)

    place.mkdir()
    taken = in_turns(
        rounds,
        {
            "snapshot": snapshot,
            "restore": lambda: workspace.restore(workspace.base),
            "copy": lambda: workspace.clean_copy(workspace.base, new()),
            "git": lambda: workspace.disposable_git(new()),
        },
    )
    shutil.rmtree(place)
    return [
        Row("snapshot", "snapshot of a changed workspace", milliseconds(taken["snapshot"]), "ms"),
        Row("restore", "restoring it", milliseconds(taken["restore"]), "ms"),
        Row("copy", "clean copy for a check", milliseconds(taken["copy"]), "ms"),
        Row("disposable", "disposable .git", milliseconds(taken["git"]), "ms"),
    ]
