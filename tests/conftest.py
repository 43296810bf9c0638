"""What tests of all folders share: a data folder, a small repository, and the real command line in its own process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

PASSED_ON = ("PATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
PASSED_ON_PREFIXES = ("UV_", "PIP_", "NPM_CONFIG_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")
"""How this machine reaches package indexes. Everything else of the tester's environment stays out."""


@dataclass(frozen=True)
class Finished:
    """How one command ended."""

    code: int
    stdout: str
    stderr: str


def clean_environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """A stranger's environment: a home folder with nothing in it, and andon's data in `home`."""
    empty = home.parent / f"{home.name}-user"
    empty.mkdir(exist_ok=True)
    kept = {k: v for k, v in os.environ.items() if k in PASSED_ON or k.upper().startswith(PASSED_ON_PREFIXES)}
    return kept | {"HOME": str(empty), "ANDON_HOME": str(home)} | dict(more)


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
    home = tmp_path / "andon-home"
    home.mkdir(mode=0o700)
    (home / "environments").symlink_to(shared_environments, target_is_directory=True)
    return home


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
        done = subprocess.run(
            [sys.executable, "-m", "andon", *args],
            cwd=cwd,
            env=clean_environment(home, env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
        return Finished(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    return run


@pytest.fixture
def start_andon(andon_home: Path, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """start_andon(*args, home=…, cwd=…, env=…): the same, still running. What is left is killed after the test.

    Its output goes to tmp_path/andon-0.out, andon-1.out …, so that it never waits for a reader.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(
        *args: str, home: Path = andon_home, cwd: Path = tmp_path, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        with (tmp_path / f"andon-{len(started)}.out").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "andon", *args],
                cwd=cwd,
                env=clean_environment(home, env or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait(timeout=20)
