"""`andon demo`: a sample repository, a whole run on it with scripted agents, and what it left to look at."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from andon import processes
from andon.app.outcome import Finished
from andon.app.start import start_auto
from andon.app.starting import Show, StartOptions
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.run import RunRow

TASK = "Add top(n): the n most frequent words"
_IDENTITY = ("-c", "user.name=andon demo", "-c", "user.email=demo@andon.invalid")


@dataclass(frozen=True, slots=True)
class Demo:
    repository: Path

    def run(self, environment: Mapping[str, str], show: Show) -> Finished:
        """The whole run. What never began leaves nothing behind."""
        with as_file(files("andon.app").joinpath("sample", "scenario.yaml")) as scenario:
            settings = {"runtime": "scripted", "scenario": str(scenario)}
            try:
                return start_auto(StartOptions((TASK,), self.repository, settings=settings), environment, show)
            except UserError:
                if not (self.repository / "docs").exists():
                    shutil.rmtree(self.repository.parent, ignore_errors=True)
                raise

    def diff(self, run: RunRow) -> str:
        return _git(self.repository, "diff", f"{run.spec['base']}..{run.branch}", "--", "src", "tests")


def prepare_demo() -> Demo:
    return Demo(make_sample())


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
        shutil.copytree(sample, repository, ignore=shutil.ignore_patterns("scenario.yaml", "__pycache__", "docs"))
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _git(repository, "add", "--all")
    _git(repository, *_IDENTITY, "commit", "--quiet", "--message", "A word counter")


def _git(repository: Path, *words: str) -> str:
    # The person's own git configuration (hooks, signing, templates) must not decide whether a demo works.
    path = os.environ.get("PATH", os.defpath)
    environment = {"PATH": path, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = processes.run(["git", *words], cwd=repository, env=environment)
    if done.code != 0:
        raise EnvironmentProblem(f"git {words[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")
