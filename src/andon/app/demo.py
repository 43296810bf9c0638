"""`andon demo`: a sample repository, a whole run on it with scripted agents, and what it left to look at."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from andon.app import tasks
from andon.app.new_repository import IDENTITY, git
from andon.app.outcome import Finished
from andon.app.start import start_auto
from andon.app.starting import Show, StartOptions
from andon.app.uam import Wish, start_uam
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.run import RunRow
from andon.domain.tasks.phases import TaskType

TASK = "Add top(n): the n most frequent words"
UAM_TASK = "Add top(n), the n most frequent words, and a report that prints them as lines of text"
PHASES_TASK = "Count how often each word occurs"
SCENARIOS = {"auto": "scenario.yaml", "uam": "uam.yaml", "task": "task.yaml"}
"""By front door."""


@dataclass(frozen=True, slots=True)
class Demo:
    repository: Path
    door: str = "auto"
    """Which pipeline it shows: that of `auto`, `uam` or `task`."""
    background: bool = False

    @property
    def command(self) -> str:
        """What a person would type."""
        match self.door:
            case "uam":
                return f'andon uam "{UAM_TASK}" --yes'
            case "task":
                return f'andon task create --type modify_app "{PHASES_TASK}"'
            case _:
                return f'andon auto "{TASK}"'

    def run(self, environment: Mapping[str, str], show: Show) -> Finished:
        """The whole run. What never began leaves nothing behind."""
        with as_file(files("andon.app").joinpath("sample", SCENARIOS[self.door])) as scenario:
            settings = {"runtime": "scripted", "scenario": str(scenario)}
            try:
                return self._start(settings, environment, show)
            except UserError:
                if not any((self.repository / left).exists() for left in ("docs", ".uam")):
                    shutil.rmtree(self.repository.parent, ignore_errors=True)
                raise

    def _start(self, settings: dict[str, Any], environment: Mapping[str, str], show: Show) -> Finished:
        if self.door == "task":
            wish = tasks.Wish(PHASES_TASK, TaskType.MODIFY_APP)
            options = StartOptions(("task",), self.repository, settings=settings, background=self.background)
            return tasks.start_task(options, wish, environment, show)
        if self.door == "auto":
            return start_auto(StartOptions((TASK,), self.repository, settings=settings), environment, show)
        settings["uam"] = {"plan_seconds": 0.0}
        options = StartOptions(("uam", UAM_TASK), self.repository, settings=settings)
        return start_uam(options, Wish(UAM_TASK), environment, show)

    def diff(self, run: RunRow) -> str:
        return git(self.repository, "diff", f"{run.spec['base']}..{run.branch}", "--", "src", "tests")


def prepare_demo(door: str = "auto") -> Demo:
    return Demo(make_sample(), door)


def host_demo(environment: Mapping[str, str]) -> RunRow:
    """A whole task in the background, to be watched and decided on a page."""
    return Demo(make_sample(), "task", background=True).run(environment, lambda entry: None).run


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
        shutil.copytree(sample, repository, ignore=shutil.ignore_patterns(*SCENARIOS.values(), "__pycache__", "docs"))
    git(repository, "init", "--quiet", "--initial-branch=main")
    git(repository, "add", "--all")
    git(repository, *IDENTITY, "commit", "--quiet", "--message", "A word counter")
