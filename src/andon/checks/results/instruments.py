"""Puts andon's reporter into a test command, where the runner is one it has a reporter for.

Only rewrites a command line; what was told is read by `channel.py`.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from andon.checks.prepared import Environment
from andon.checks.results.channel import Channel, channel_of

LAUNCH = "pytest_launch.py"
PYTEST = (("pytest",), ("python", "-m", "pytest"), ("python3", "-m", "pytest"))


@dataclass(frozen=True, slots=True)
class Instrument:
    runner: str
    argv: tuple[str, ...]
    channel: Channel
    tools: Path
    """andon's own files, for reading."""

    def put_up(self) -> None:
        self.channel.open()
        self.tools.mkdir(parents=True, exist_ok=True)
        source = resources.files("andon.checks.results") / LAUNCH
        with resources.as_file(source) as path:
            shutil.copyfile(path, self.tools / LAUNCH)


def is_reported(argv: tuple[str, ...]) -> bool:
    """Whether a command starts a runner that andon has a reporter for."""
    return any(argv[: len(words)] == words for words in PYTEST)


def program(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Of a reported command, what starts its runner, without what it is told to run."""
    return next(words for words in PYTEST if argv[: len(words)] == words)


def instrument(
    argv: tuple[str, ...], environment: Environment, tree: Path, folder: Path, rooms: Path
) -> Instrument | None:
    """`folder` is the host's own, `rooms` where code under test may write. None: there is no reporter for it."""
    for words in PYTEST:
        venv = environment.variables.get("VIRTUAL_ENV")
        if argv[: len(words)] == words and venv:
            channel = channel_of(folder, rooms)
            tools = folder.with_name(f"{folder.name}.tools")
            paths = ":".join(str(tree / path) for path in environment.python_path)
            start = (f"{venv}/bin/python", "-I", str(tools / LAUNCH), str(channel.folder), paths)
            return Instrument("pytest", (*start, *argv[len(words) :]), channel, tools)
    return None
