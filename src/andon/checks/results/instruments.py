"""Puts andon's reporter into a test command, where the runner is one it has a reporter for.

Only rewrites a command line and its variables; what was told is read by `channel.py`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from andon.checks.prepared import Environment
from andon.checks.reading import read_text
from andon.checks.results.channel import Channel, channel_of
from andon.checks.results.commands import MANIFEST, Reported, program, reported

LAUNCH = "pytest_launch.py"
MUTANTS, BESIDE = "pytest_mutants.py", ("pytest_answers.py", "pytest_forks.py")
STRENGTH = "strength"
"""What is asked of tests: whether they pass, or which mutants they refuse."""
SIGNED = "channel.cjs"
ALL = {"pytest": ("--maxfail=0", "--continue-on-collection-errors"), "vitest": ("--bail=0",), "jest": ("--bail=0",)}
"""What keeps a runner from stopping at the first failure."""
REPORTERS = {"node": "node_reporter.mjs", "vitest": "vitest_reporter.mjs", "jest": "jest_reporter.cjs"}


@dataclass(frozen=True, slots=True)
class Instrument:
    runner: str
    argv: tuple[str, ...]
    channel: Channel
    tools: Path
    """andon's own files, for reading."""
    files: tuple[str, ...] = (LAUNCH,)
    tree: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    def put_up(self) -> None:
        self.channel.open()
        self.tools.mkdir(parents=True, exist_ok=True)
        for name in self.files:
            with resources.as_file(resources.files("andon.checks.results") / name) as path:
                shutil.copyfile(path, self.tools / name)
        if self.tree is not None:
            place = {"channel": str(self.channel.folder), "tree": str(self.tree)}
            (self.tools / "place.json").write_text(json.dumps(place))


def instrument(
    argv: tuple[str, ...], environment: Environment, tree: Path, folder: Path, rooms: Path, asks: str = "test"
) -> Instrument | None:
    """`folder` is the host's own, `rooms` where code under test may write. None: there is no reporter for it."""
    manifest = read_text(tree, MANIFEST)
    known = reported(argv, manifest if isinstance(manifest, str) else None)
    if known is None:
        return None
    channel = channel_of(folder, rooms)
    tools = folder.with_name(f"{folder.name}.tools")
    if known.runner == "pytest":
        venv = environment.variables.get("VIRTUAL_ENV")
        paths = ":".join(str(tree / path) for path in environment.python_path)
        files = (MUTANTS, *BESIDE, LAUNCH) if asks == STRENGTH else (LAUNCH,)
        start = (f"{venv}/bin/python", "-I", str(tools / files[0]), str(channel.folder), paths)
        return (
            Instrument("pytest", (*start, *ALL["pytest"], *argv[len(program(argv)) :]), channel, tools, files)
            if venv
            else None
        )
    reporter = REPORTERS[known.runner]
    words, variables = _reporting(known, str(tools / reporter), environment)
    return Instrument(known.runner, known.with_words(*words), channel, tools, (reporter, SIGNED), tree, variables)


def _reporting(known: Reported, reporter: str, environment: Environment) -> tuple[tuple[str, ...], dict[str, str]]:
    """Beside the reporter that people read, whichever the project has chosen."""
    if known.runner == "node":
        told, to = known.line.count("--test-reporter="), known.line.count("--test-reporter-destination")
        told += known.line.count("--test-reporter ")
        own = f"--test-reporter={reporter} --test-reporter-destination=stderr"
        if told == 0:
            own += " --test-reporter=spec"
        if to == 0:
            own += " --test-reporter-destination=stdout"
        options = (environment.variables.get("NODE_OPTIONS", ""), own)
        return (), {"NODE_OPTIONS": " ".join(each for each in options if each)}
    option = "--reporter" if known.runner == "vitest" else "--reporters"
    usual = () if option in known.line else (f"{option}=default",)
    return (*usual, f"{option}={reporter}", *ALL[known.runner]), {}
