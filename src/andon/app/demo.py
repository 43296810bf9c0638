"""`andon demo`: a sample repository, a whole run on it with scripted agents, and what it left to look at."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from andon import processes
from andon.app.start import Finished, Show, StartOptions, start_auto
from andon.domain.errors import EnvironmentProblem

TASK = "Add top(n): the n most frequent words"
_IDENTITY = ("-c", "user.name=andon demo", "-c", "user.email=demo@andon.invalid")


@dataclass(frozen=True, slots=True)
class Demo:
    repository: Path
    finished: Finished
    diff: str


def make_sample(parent: Path | None = None) -> Path:
    """A fresh git repository with the sample project, in a folder of its own."""
    repository = Path(tempfile.mkdtemp(prefix="andon-demo-", dir=parent)) / "tally"
    with as_file(files("andon.app").joinpath("sample")) as sample:
        shutil.copytree(sample, repository, ignore=shutil.ignore_patterns("scenario.yaml", "__pycache__", "docs"))
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _git(repository, "add", "--all")
    _git(repository, *_IDENTITY, "commit", "--quiet", "--message", "A word counter")
    return repository


def run_demo(environment: Mapping[str, str], show: Show, parent: Path | None = None) -> Demo:
    repository = make_sample(parent)
    with as_file(files("andon.app").joinpath("sample", "scenario.yaml")) as scenario:
        settings = {"runtime": "scripted", "scenario": str(scenario)}
        finished = start_auto(StartOptions((TASK,), repository, settings=settings), environment, show)
    base, branch = finished.run.spec["base"], finished.run.branch
    diff = (
        _git(repository, "diff", f"{base}..{branch}", "--", "src", "tests")
        if finished.ending.reason == "goal_met"
        else ""
    )
    return Demo(repository, finished, diff)


def _git(repository: Path, *words: str) -> str:
    # The person's own git configuration (hooks, signing, templates) must not decide whether a demo works.
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = processes.run(["git", *words], cwd=repository, env=environment)
    if done.code != 0:
        raise EnvironmentProblem(f"git {words[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")
