"""The scripted runtime under its real surroundings: the supervisor that runs every agent, and a sandbox."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from andon.domain.order import Order, Outcome
from andon.ports import Bounds, Command, Runtime
from andon.processes import supervise
from andon.runtimes import own_lines, registry
from andon.runtimes.events import Tool
from andon.runtimes.scripted import ScriptedRuntime
from andon.runtimes.setup import Setup

DEADLINE = 60


def confined(command: Command, order: Order, readable: tuple[str, ...]) -> Command:
    """The workspace read-only, the system, and nothing but what the runtime says it needs."""
    argv = ["bwrap", "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in ("/usr", "/lib", "/lib64", "/bin"):
        argv += ["--ro-bind-try", path, path]
    for path in (*readable, order.folder):
        argv += ["--ro-bind", path, path]
    return replace(command, argv=(*argv, "--chdir", order.folder, *command.argv))


def bubblewrap_works() -> bool:
    program = shutil.which("bwrap")
    argv = [str(program), "--unshare-all", "--ro-bind", "/", "/", "true"]
    return bool(program) and subprocess.run(argv, capture_output=True, timeout=DEADLINE).returncode == 0


async def carried_out(runtime: Runtime, order: Order, folder: Path, seconds: float = 30) -> Any:
    command = runtime.command(order, folder)
    bounds = Bounds(seconds=seconds, output_bytes=200_000)
    return runtime.reply(order, folder, await asyncio.wait_for(supervise(folder, command, bounds), DEADLINE))


def test_E_02_a_supervised_order_from_question_to_reply(
    a_file: Callable[[str], Path], an_order: Callable[..., Order], workspace: Path, tmp_path: Path
) -> None:
    runtime = registry.find("scripted")(
        Setup(
            scenario=a_file("""
            scenario: 1
            rules:
              - match: {role: executor}
                template: true
                do:
                  - ask: {question: "Which?", options: [a, b]}
                  - write: {path: chosen, text: "{answer}"}
                reply: {chosen: "{answer}"}
        """)
        )
    )

    asked = asyncio.run(carried_out(runtime, an_order(), tmp_path / "first"))
    done = asyncio.run(carried_out(runtime, an_order(session=asked.session, prompt="b", call=2), tmp_path / "second"))

    assert (asked.outcome, asked.question.options) == (Outcome.ASKED, ("a", "b"))
    assert (done.outcome, done.text) == (Outcome.DONE, '{\n  "chosen": "b"\n}')
    assert (workspace / "chosen").read_text() == "b"


def test_A_156_a_teammate_that_never_answers_is_ended_with_all_it_started(
    stage: Callable[..., Any], tmp_path: Path
) -> None:
    agent = stage("do: [{hang: {ignore_signals: true, spawn: 2}}]")

    reply = asyncio.run(carried_out(agent.runtime, agent.order, agent.folder, seconds=1))

    pids = json.loads((agent.folder / "stdout").read_bytes())["pids"]
    assert reply.outcome is Outcome.LIMIT
    assert len(pids) == 2
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ("do: [{crash: {signal: KILL}}]", Outcome.CRASHED),
        ("do: [{crash: {code: 3}}]", Outcome.CRASHED),
        ("do: [{garbage: {invalid_utf8: true}}]", Outcome.UNPARSEABLE),
        ("do: [{print: {bytes: 20000000}}, {print: {bytes: 20000000, to: stderr}}]\nreply: lost", Outcome.LIMIT),
    ],
)
def test_A_156_what_goes_wrong_under_supervision_has_its_outcome(
    stage: Callable[..., Any], rule: str, outcome: Outcome
) -> None:
    agent = stage(rule)

    assert asyncio.run(carried_out(agent.runtime, agent.order, agent.folder)).outcome is outcome


@pytest.mark.skipif(not bubblewrap_works(), reason="bubblewrap cannot make a sandbox here")
def test_E_02_what_the_runtime_names_is_all_the_agent_needs_and_a_read_only_workspace_is_told(
    stage: Callable[..., Any], workspace: Path
) -> None:
    (workspace / "kept").write_text("x")
    agent = stage("""
        do:
          - write: {path: new, text: x}
          - edit: {path: kept, old: x, new: y}
          - delete: {path: kept}
          - run: {command: "touch new"}
        reply: I tried.
    """)
    runtime: ScriptedRuntime = agent.runtime
    command = runtime.command(agent.order, agent.folder)
    command = confined(command, agent.order, runtime.needs(agent.order, agent.folder).readable)

    exit = asyncio.run(supervise(agent.folder, command, Bounds(seconds=30)))
    reply = runtime.reply(agent.order, agent.folder, exit)

    tools = [event for event in own_lines.read(agent.folder / "stdout") if isinstance(event, Tool)]
    assert (reply.outcome, reply.text) == (Outcome.DONE, "I tried."), reply.detail
    assert [tool.ok for tool in tools] == [False] * 4
    assert all("Read-only file system" in tool.error for tool in tools[:3])
    assert [file.name for file in workspace.iterdir()] == ["kept"]
