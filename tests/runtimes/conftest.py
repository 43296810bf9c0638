"""Orders, scenarios to serve them with, and the plainest way of starting an agent: no supervisor, no sandbox."""

from __future__ import annotations

import subprocess
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from andon.domain.order import Order, Reply, Tier
from andon.ports import Exit
from andon.runtimes.scripted import ScriptedRuntime

DEADLINE = 30


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def an_order(workspace: Path) -> Callable[..., Order]:
    def make(**given: object) -> Order:
        usual: dict[str, object] = {
            "run": "r1",
            "position": "1.1",
            "role": "executor",
            "name": "executor",
            "phase": "do",
            "prompt": "Task: add a login page",
            "system": "",
            "tier": Tier.SONNET,
            "folder": str(workspace),
        }
        return Order(**{**usual, **given})  # type: ignore[arg-type]

    return make


@pytest.fixture
def a_file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "scenario.yaml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


def play(runtime: ScriptedRuntime, order: Order, folder: Path) -> Exit:
    """Start the agent and wait for its end."""
    command = runtime.command(order, folder)
    begun = time.monotonic()
    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        code = subprocess.run(
            command.argv,
            cwd=command.cwd,
            env=dict(command.env),
            input=b"",
            stdout=stdout,
            stderr=stderr,
            timeout=DEADLINE,
        ).returncode
    seconds = time.monotonic() - begun
    return Exit("exited", code, None, seconds) if code >= 0 else Exit("exited", None, -code, seconds)


@dataclass(frozen=True)
class Stage:
    """A rule that serves every order, and what came of it."""

    runtime: ScriptedRuntime
    order: Order
    folder: Path

    def play(self) -> Reply:
        return self.runtime.reply(self.order, self.folder, play(self.runtime, self.order, self.folder))

    @property
    def printed(self) -> str:
        return (self.folder / "stdout").read_text(errors="replace")


@pytest.fixture
def stage(a_file: Callable[[str], Path], an_order: Callable[..., Order], tmp_path: Path) -> Callable[..., Stage]:
    """A scenario of one rule, given as the YAML that follows the dash."""

    def make(rule: str, **order: object) -> Stage:
        text = "scenario: 1\nrules:\n  - " + textwrap.indent(textwrap.dedent(rule).strip(), "    ").lstrip() + "\n"
        return Stage(ScriptedRuntime(a_file(text)), an_order(**order), tmp_path / "order")

    return make
