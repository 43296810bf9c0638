"""What tests of all folders share: a data folder, a small repository, and the real command line in its own process."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

import reach_recorder
from cost import Cost
from homes import make_home
from order import arrange, mark_heart
from progress import Progress, Said
from reach_recorder import Reach
from warm import Command, Finished, outside, warm

gc.set_threshold(50_000)
# The same tree gets the same answer; `make test-long` looks for new examples. No property is a measure of speed.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    arrange(items)
    mark_heart(items)


def pytest_collection_finish() -> None:
    """What is there for the whole session need not be looked at again whenever Python looks for garbage."""
    if reach_recorder.RECORDER is None:
        gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    worker, parallel = hasattr(config, "workerinput"), config.getoption("numprocesses", None)
    folder = os.environ.get("ANDON_TEST_PROFILE")
    if folder and (worker or not parallel):
        config.pluginmanager.register(Cost(Path(folder)))
    if reach_recorder.RECORDER is not None and (worker or not parallel):
        config.pluginmanager.register(Reach(Path(os.environ[reach_recorder.VARIABLE]).parent))
    if parallel and not worker and config.get_verbosity() <= 0:
        config.pluginmanager.register(Progress())
    config.pluginmanager.register(Said())


def clean_environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """A stranger's environment: a home folder with nothing in it, and andon's data in `home`."""
    empty = home.parent / f"{home.name}-user"
    empty.mkdir(exist_ok=True)
    return outside() | {"HOME": str(empty), "ANDON_HOME": str(home)} | dict(more)


@pytest.fixture(scope="session")
def shared_environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepared check environments: one folder for every parallel worker of the session, so each is built once."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "andon-environments"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def andon_home(tmp_path: Path, shared_environments: Path) -> Path:
    """A fresh data folder whose prepared environments are the session's."""
    return make_home(tmp_path / "andon-home", shared_environments)


@pytest.fixture
def sample_repository(tmp_path: Path) -> Path:
    """A fresh git repository with the sample project of `andon demo`: Python, one commit, branch main."""
    from andon.app.demo import make_sample

    return make_sample(tmp_path)


@pytest.fixture(scope="session")
def sample_scenario() -> Path:
    """The scenario that carries out the demo's task on `sample_repository`."""
    import andon.app.demo

    return Path(andon.app.demo.__file__).parent / "sample" / "scenario.yaml"


@pytest.fixture
def run_andon(andon_home: Path, tmp_path: Path) -> Callable[..., Finished]:
    """run_andon(*args, home=…, cwd=…, env=…, seconds=…): the real command line, to its end."""

    def run(
        *args: str,
        home: Path = andon_home,
        cwd: Path = tmp_path,
        env: Mapping[str, str] | None = None,
        seconds: float = 100,
    ) -> Finished:
        return warm().start(*args, cwd=cwd, env=clean_environment(home, env or {})).finish(seconds)

    return run


@pytest.fixture
def start_andon(andon_home: Path, tmp_path: Path) -> Iterator[Callable[..., Command]]:
    """start_andon(*args, home=…, cwd=…, env=…): the same, still running. What is left is killed after the test.

    Its output goes to tmp_path/andon-0.out, andon-1.out …, so that it never waits for a reader; with `kept=True` it is
    kept for `finish`.
    """
    started: list[Command] = []

    def start(
        *args: str,
        home: Path = andon_home,
        cwd: Path = tmp_path,
        env: Mapping[str, str] | None = None,
        kept: bool = False,
    ) -> Command:
        if kept:
            started.append(warm().start(*args, cwd=cwd, env=clean_environment(home, env or {})))
            return started[-1]
        with (tmp_path / f"andon-{len(started)}.out").open("wb") as output:
            started.append(warm().start(*args, cwd=cwd, env=clean_environment(home, env or {}), output=output))
        return started[-1]

    yield start
    for command in started:
        command.kill()
        command.wait(timeout=20)
