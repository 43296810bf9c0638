"""A whole STANDARD run on the real programs: the same scenario leads to the same tree as the scripted runtime does."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from stages import PROGRAMS, Program

from andon.app.demo import TASK, make_sample
from model_server import ModelServer, Player
from warm import Finished

WHOLE = os.environ.get("ANDON_AGENTS") == "whole"
pytestmark = pytest.mark.skipif(not WHOLE, reason="make agents")
RUNTIMES = ("claude", "codex", "gemini", "opencode", "api-anthropic")


def tree(repository: Path) -> str:
    """Every file of the run's branch, with its content."""
    branches = subprocess.run(
        ["git", "for-each-ref", "--format=%(refname)", "refs/heads/feat"],
        cwd=repository,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert len(branches) == 1
    listed = subprocess.run(["git", "ls-tree", "-r", branches[0]], cwd=repository, capture_output=True, text=True)
    return "\n".join(line for line in listed.stdout.splitlines() if "docs/04-report/" not in line)


@pytest.mark.timeout(1000)
@pytest.mark.parametrize("name", RUNTIMES)
def test_E_02_one_scenario_ends_with_the_same_tree_on_every_runtime(
    name: str, tmp_path: Path, run_andon: Callable[..., Finished], sample_scenario: Path
) -> None:
    program: Program = PROGRAMS[name]
    played, driven = (make_sample(tmp_path / each) for each in _folders(tmp_path))
    run_andon("auto", TASK, "--runtime", "scripted", "--scenario", str(sample_scenario), cwd=played, seconds=180)

    with ModelServer(Player(sample_scenario)).serving() as server:
        environment = {
            "PATH": f"{program.bin}:{os.environ['PATH']}",
            "ANTHROPIC_API_KEY": "sk-loopback",
            "ANTHROPIC_BASE_URL": server.url,
            "OPENAI_API_KEY": "sk-loopback",
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "GEMINI_API_KEY": "sk-loopback",
            "GOOGLE_GEMINI_BASE_URL": server.url,
        }
        done = run_andon("auto", TASK, "--runtime", program.runtime, cwd=driven, env=environment, seconds=900)

    assert done.code == 0, done.stdout + done.stderr
    assert tree(driven) == tree(played)


def _folders(above: Path) -> tuple[str, str]:
    names = ("played", "driven")
    for name in names:
        (above / name).mkdir()
    return names
