"""Fixtures of the checks' tests: repositories written on the spot, one real sandbox, one cache for all."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.checks.environment import Environment, Environments, NotPrepared
from andon.checks.measure import Inspector
from andon.checks.project import detect
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult
from andon.ports import Sandbox
from andon.workspace.sandbox.probe import best

Write = Callable[[dict[str, str]], Path]
Prepare = Callable[..., Environment | NotPrepared]
Measure = Callable[..., CheckResult]


@pytest.fixture
def repository(tmp_path: Path) -> Write:
    """Writes files to a fresh folder, as a clean checkout would have them."""

    def write(files: dict[str, str]) -> Path:
        folder = tmp_path / "tree"
        folder.mkdir()
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    return write


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same folder for every parallel worker, so that each package is fetched once."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "andon-checks"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def sandbox(shared: Path) -> Sandbox:
    return best(shared / "sandbox")


@pytest.fixture(scope="session")
def environments(shared: Path, sandbox: Sandbox) -> Environments:
    return Environments(shared / "home", sandbox)


@pytest.fixture
def inspector(sandbox: Sandbox, environments: Environments) -> Inspector:
    return Inspector(sandbox, environments)


@pytest.fixture
def prepare(environments: Environments, tmp_path: Path) -> Prepare:
    def prepared(folder: Path, frozen: str = "") -> Environment | NotPrepared:
        return asyncio.run(environments.prepare(folder, detect(folder), tmp_path / "prepare", frozen=frozen))

    return prepared


@pytest.fixture
def measure(inspector: Inspector, prepare: Prepare, tmp_path: Path) -> Measure:
    """Prepares the environment of a tree and measures one goal in it."""

    def measured(folder: Path, goal: Goal, seconds: float = 60, git: str | None = None) -> CheckResult:
        environment = prepare(folder)
        return asyncio.run(inspector.measure(goal, "tree-id", folder, tmp_path / goal.name, environment, git, seconds))

    return measured
