"""What these tests share: a marked agent, a search for its survivors, and orchestrators that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from andon.ports import Command
from andon.processes import cancel

ORCHESTRATOR = """
import asyncio, sys
from pathlib import Path
from andon.ports import Bounds, Command
from andon.processes import supervise
folder, lease, cwd, *argv = sys.argv[1:]
end = asyncio.run(supervise(Path(folder), Command(tuple(argv), cwd, {"PATH": "/usr/bin:/bin"}),
                            Bounds(seconds=60, lease_seconds=float(lease))))
print(end.reason, end.code)
"""


def eventually(true: Callable[[], object], seconds: float = 20.0) -> None:
    """Every wait has a deadline."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"did not become true within {seconds} s"
        time.sleep(0.005)


@dataclass
class Agent:
    """Programs that carry a mark in their arguments, so that any process they leave behind can be found."""

    place: Path
    mark: str = field(default_factory=lambda: f"mark-{uuid.uuid4().hex}")

    def shell(self, script: str, *, stdin: bytes = b"") -> Command:
        return Command(("sh", "-c", script, self.mark), str(self.place), {"PATH": "/usr/bin:/bin"}, stdin)

    def python(self, script: str) -> Command:
        argv = (os.path.realpath(sys.executable), "-I", "-S", "-c", script, self.mark)
        return Command(argv, str(self.place), {"PATH": "/usr/bin:/bin"})

    def survivors(self) -> list[int]:
        found: list[int] = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    arguments = (entry / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if self.mark.encode() in arguments and b"andon.processes" not in b" ".join(arguments):
                    found.append(int(entry.name))
        return found

    def runs(self) -> int:
        """How often the agent really ran: each run of a test's script appends a line to `ran`."""
        ran = self.place / "ran"
        return ran.read_text().count("\n") if ran.exists() else 0


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    place = tmp_path / "place"
    place.mkdir()
    agent = Agent(place)
    yield agent
    for pid in agent.survivors():
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "주문 1"  # No path may need to be plain ASCII.
    yield folder
    cancel(folder)


@pytest.fixture
def orchestrate(folder: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start an orchestrator of its own process, supervising in `folder`."""
    started: list[subprocess.Popen[str]] = []

    def start(command: Command, lease: float = 600) -> subprocess.Popen[str]:
        argv = [sys.executable, "-c", ORCHESTRATOR, str(folder), str(lease), command.cwd, *command.argv]
        started.append(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=20)


@pytest.fixture(name="eventually")
def _eventually() -> Callable[..., None]:
    return eventually
