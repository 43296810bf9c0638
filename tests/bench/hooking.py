"""What the plugin's hooks cost: as processes beside an empty Python and the same hook for Node, and in Claude Code.

Inactive is a project without a pipeline, active one in Phase 1, whose event is judged and let pass. In the program, a
session writes several files and ends, with and without the plugin in turns: what a Write takes is the time between two
requests to the model, what a Stop takes that from the last answer to the program's end.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from ground import Ground
from rows import Row
from timing import in_turns

from andon.app.plugin import plugin_folder
from andon.domain.uam import state

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = TESTS.parent / ".agents/short/node_modules/.bin/claude"
INTERPRETER = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
NODE_HOOK = Path(__file__).with_name("hook.mjs")
GUARD = plugin_folder() / "hooks/uam_write_guard.py"
WRITES = 6


def hooks(ground: Ground, rounds: int) -> list[Row]:
    node = shutil.which("node")
    if node is None:
        raise FileNotFoundError("node is not installed")
    idle, busy = _project(ground, "idle", None), _project(ground, "busy", "phase1-plan")
    guard = (INTERPRETER, "-I", "-S", str(GUARD))
    taken = in_turns(
        rounds,
        {
            "pass": lambda: _hook(idle, INTERPRETER, "-I", "-S", "-c", "pass"),
            "idle": lambda: _hook(idle, *guard),
            "busy": lambda: _hook(busy, *guard),
            "node": lambda: _hook(idle, node, str(NODE_HOOK)),
        },
    )
    told = ", ".join(f"{name} {median(each) * 1000:.1f} ms" for name, each in taken.items())

    def row(id: str, what: str, over: str, under: str) -> Row:
        ratio = median(a / b for a, b in zip(taken[over], taken[under], strict=True))
        return Row(id, what, ratio, "×", told)

    return [
        row("hook-idle", "an inactive hook ÷ python -I -S -c pass", "idle", "pass"),
        row("hook-idle-node", "an inactive hook ÷ the same for node", "idle", "node"),
        row("hook-busy-node", "an active hook ÷ an inactive one for node", "busy", "node"),
    ]


def _project(ground: Ground, name: str, phase: str | None) -> Path:
    folder = ground.scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if phase is not None:
        (folder / ".uam").mkdir()
        fresh = state.fresh("uam-20260228-bench", "2026-02-28T10:00:00Z")
        (folder / ".uam/state.json").write_text(json.dumps({**fresh, "current_phase": phase}))
    return folder


def _hook(project: Path, *words: str) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "notes.md"}}
    subprocess.run(
        words,
        input=json.dumps({**event, "cwd": str(project)}).encode(),
        env={"CLAUDE_PROJECT_DIR": str(project)},
        cwd=project,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def in_claude(ground: Ground, pairs: int) -> list[Row]:
    if not PROGRAM.exists():
        raise FileNotFoundError("Claude Code is not installed: make agents-install")
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))
    installed = _installed(ground)
    writes: dict[bool, list[float]] = {True: [], False: []}
    stops: dict[bool, list[float]] = {True: [], False: []}
    for number in range(pairs + 1):
        for loaded in (True, False) if number % 2 else (False, True):
            wrote, stopped = _session(ground, installed if loaded else None)
            if number:  # nobody pays for cold caches
                writes[loaded].append(median(wrote))
                stops[loaded].append(stopped)
    return [
        _added("hook-write", "what all hooks add to one Write", writes),
        _added("hook-stop", "what all hooks add to one Stop", stops),
    ]


def _added(id: str, what: str, taken: dict[bool, list[float]]) -> Row:
    """The median of the pairs' differences; on a busy machine it may be below nothing, and is told as it is."""
    pairs = [*zip(taken[True], taken[False], strict=True)]
    loaded, bare = (median(each) * 1000 for each in zip(*pairs, strict=True))
    added = median(1000 * (one - other) for one, other in pairs)
    told = f"{loaded:.0f} ms with the plugin, {bare:.0f} ms without, {len(pairs)} pairs"
    return Row(id, what, added, "ms", told)


def _installed(ground: Ground) -> Path:
    """As `andon plugin install` leaves it, with the path of an interpreter."""
    from andon.app.plugin import install

    nobody = {"HOME": str(ground.scratch), "ANDON_HOME": str(ground.scratch / "plugin-home"), "PATH": ""}
    return Path(install(nobody, "user", ground.scratch).folder)


def _session(ground: Ground, plugin: Path | None) -> tuple[list[float], float]:
    """Seconds of each Write but the first, and of the Stop."""
    from model_server import ModelServer
    from model_server.answers import Answer, Use

    project, home = _project(ground, "session", "phase1-plan"), ground.scratch / "claude-home"
    home.mkdir(exist_ok=True)
    asked: list[float] = []

    def play(request: Any) -> Answer:
        if "Write" not in request.tools:
            return Answer("a title")
        asked.append(time.perf_counter())
        number = len(asked)
        path = str(project / f"note-{number}.md")
        return Answer("", (Use("Write", {"file_path": path, "content": "x"}),)) if number <= WRITES else Answer("Done.")

    with ModelServer(play).serving() as server:
        environment = {
            "PATH": ground.environment["PATH"],
            "HOME": str(home),
            "IS_SANDBOX": "1",
            "ANTHROPIC_API_KEY": "sk-loopback",
            "ANTHROPIC_BASE_URL": server.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        loaded = () if plugin is None else ("--plugin-dir", str(plugin))
        subprocess.run(
            [PROGRAM, "-p", "Write notes", *loaded, "--permission-mode", "bypassPermissions"],
            cwd=project,
            env=environment,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=60,
        )
        ended = time.perf_counter()
    if len(asked) != WRITES + 1:
        raise RuntimeError(f"the session asked {len(asked)} times instead of {WRITES + 1}")
    return [after - before for before, after in pairwise(asked[1:])], ended - asked[-1]
