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
        environment = _signed_in(program, server.url)
        done = run_andon("auto", TASK, "--runtime", program.runtime, cwd=driven, env=environment, seconds=900)

    assert done.code == 0, done.stdout + done.stderr
    assert tree(driven) == tree(played)


def _folders(above: Path) -> tuple[str, str]:
    names = ("played", "driven")
    for name in names:
        (above / name).mkdir()
    return names


@pytest.mark.timeout(1000)
@pytest.mark.parametrize("name", RUNTIMES)
def test_E_02_a_recorded_run_is_played_again_without_its_program(
    name: str, tmp_path: Path, run_andon: Callable[..., Finished], sample_scenario: Path, sample_repository: Path
) -> None:
    program, file = PROGRAMS[name], tmp_path / "run.yaml"
    with ModelServer(Player(sample_scenario)).serving() as server:
        words = ("auto", TASK, "--runtime", program.runtime, "--record", str(file))
        done = run_andon(*words, cwd=sample_repository, env=_signed_in(program, server.url), seconds=900)

    replayed = run_andon("auto", "--replay", str(file), cwd=sample_repository, seconds=180)

    assert done.code == 0, done.stdout + done.stderr
    assert replayed.code == 0 and "Replayed as recorded" in replayed.stdout, replayed.stdout + replayed.stderr
    text = file.read_text(encoding="utf-8")
    assert "type: tool" in text and "sk-loopback" not in text and str(tmp_path) not in text


def _signed_in(program: Program, url: str) -> dict[str, str]:
    return {
        "PATH": f"{program.bin}:{os.environ['PATH']}",
        "ANTHROPIC_API_KEY": "sk-loopback",
        "ANTHROPIC_BASE_URL": url,
        "OPENAI_API_KEY": "sk-loopback",
        "OPENAI_BASE_URL": f"{url}/v1",
        "GEMINI_API_KEY": "sk-loopback",
        "GOOGLE_GEMINI_BASE_URL": url,
    }
