"""`andon demo`: a sample repository, a whole run on it with scripted agents, and what it left to look at."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from andon import processes
from andon.app.outcome import Finished
from andon.app.start import start_auto
from andon.app.starting import Show, StartOptions
from andon.app.uam import Wish, start_uam
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.run import RunRow

TASK = "Add top(n): the n most frequent words"
UAM_TASK = "Add top(n), the n most frequent words, and a report that prints them as lines of text"
SCENARIO, UAM_SCENARIO = "scenario.yaml", "uam.yaml"
_IDENTITY = ("-c", "user.name=andon demo", "-c", "user.email=demo@andon.invalid")


@dataclass(frozen=True, slots=True)
class Demo:
    repository: Path
    uam: bool = False
    """The pipeline of `andon uam`, instead of that of `andon auto`."""

    @property
    def command(self) -> str:
        """What a person would type."""
        return f'andon uam "{UAM_TASK}" --yes' if self.uam else f'andon auto "{TASK}"'

    def run(self, environment: Mapping[str, str], show: Show) -> Finished:
        """The whole run. What never began leaves nothing behind."""
        with as_file(files("andon.app").joinpath("sample", UAM_SCENARIO if self.uam else SCENARIO)) as scenario:
            settings = {"runtime": "scripted", "scenario": str(scenario)}
            try:
                return self._start(settings, environment, show)
            except UserError:
                if not any((self.repository / left).exists() for left in ("docs", ".uam")):
                    shutil.rmtree(self.repository.parent, ignore_errors=True)
                raise

    def _start(self, settings: dict[str, Any], environment: Mapping[str, str], show: Show) -> Finished:
        if not self.uam:
            return start_auto(StartOptions((TASK,), self.repository, settings=settings), environment, show)
        settings["uam"] = {"plan_seconds": 0.0}
        options = StartOptions(("uam", UAM_TASK), self.repository, settings=settings)
        return start_uam(options, Wish(UAM_TASK), environment, show)

    def diff(self, run: RunRow) -> str:
        return _git(self.repository, "diff", f"{run.spec['base']}..{run.branch}", "--", "src", "tests")


def prepare_demo(*, uam: bool = False) -> Demo:
    return Demo(make_sample(), uam)


def make_sample(parent: Path | None = None) -> Path:
    """A fresh git repository with the sample project, in a folder of its own."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="andon-demo-", dir=parent))
    except OSError as error:
        raise EnvironmentProblem(
            f"No temporary folder can be made: {error.strerror}", "Set TMPDIR to a folder you can write."
        ) from error
    repository = folder / "tally"
    try:
        _fill(repository)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return repository


def _fill(repository: Path) -> None:
    with as_file(files("andon.app").joinpath("sample")) as sample:
        shutil.copytree(
            sample, repository, ignore=shutil.ignore_patterns(SCENARIO, UAM_SCENARIO, "__pycache__", "docs")
        )
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _git(repository, "add", "--all")
    _git(repository, *_IDENTITY, "commit", "--quiet", "--message", "A word counter")


def new_repository(folder: Path) -> Path:
    """An empty repository with one commit, in a folder that is new or empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already, and not empty", "Name another folder with --into.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentProblem(
            f"{folder} cannot be made: {error.strerror}", "Name another one with --into."
        ) from error
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, *_IDENTITY, "commit", "--quiet", "--allow-empty", "--message", "Nothing yet")
    return folder


def _git(repository: Path, *words: str) -> str:
    # The person's own git configuration (hooks, signing, templates) must not decide whether a demo works.
    path = os.environ.get("PATH", os.defpath)
    environment = {"PATH": path, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = processes.run(["git", *words], cwd=repository, env=environment)
    if done.code != 0:
        raise EnvironmentProblem(f"git {words[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")
