"""A whole STANDARD run on the real programs: the same scenario leads to the same tree as the scripted runtime does."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from stages import PROGRAMS, Program

from andon.app.demo import TASK, make_sample
from andon.runtimes.identity import IDENTITY
from model_server import ModelServer, Player
from model_server.conversation import Request
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


@pytest.fixture
def played(tmp_path: Path, run_andon: Callable[..., Finished], sample_scenario: Path) -> Path:
    """The repository after the scripted runtime played the scenario."""
    repository = make_sample(tmp_path)
    words = ("auto", TASK, "--runtime", "scripted", "--scenario", str(sample_scenario))
    assert run_andon(*words, cwd=repository, seconds=180).code == 0
    return repository


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", RUNTIMES)
def test_E_02_one_scenario_ends_with_the_same_tree_on_every_runtime_and_in_a_replay_of_it(
    name: str, played: Path, tmp_path: Path, run_andon: Callable[..., Finished], sample_scenario: Path
) -> None:
    program, driven, file = PROGRAMS[name], make_sample(tmp_path), tmp_path / "run.yaml"
    with ModelServer(Player(sample_scenario)).serving() as server:
        words = ("auto", TASK, "--runtime", program.runtime, "--record", str(file))
        done = run_andon(*words, cwd=driven, env=_signed_in(program, server.url), seconds=900)

    assert done.code == 0, done.stdout + done.stderr
    assert tree(driven) == tree(played)
    again = make_sample(tmp_path)
    replayed = run_andon("auto", "--replay", str(file), cwd=again, seconds=180)
    assert replayed.code == 0 and "Replayed as recorded" in replayed.stdout, replayed.stdout + replayed.stderr
    assert tree(again) == tree(played)
    text = file.read_text(encoding="utf-8")
    assert "type: tool" in text and "sk-loopback" not in text and str(tmp_path) not in text


@pytest.mark.timeout(600)
def test_E_02_the_judge_of_a_plan_may_be_another_program_than_its_author(
    played: Path, tmp_path: Path, run_andon: Callable[..., Finished], sample_scenario: Path
) -> None:
    driven, home = make_sample(tmp_path), tmp_path / "two"
    home.mkdir()
    (home / "settings.toml").write_text('runtime = "claude"\n[roles.critic]\nruntime = "codex"\n')
    with ModelServer(Player(sample_scenario)).serving() as server:
        environment = _signed_in(PROGRAMS["claude"], server.url)
        done = run_andon("auto", TASK, cwd=driven, home=home, env=environment, seconds=500)

    assert done.code == 0, done.stdout + done.stderr
    assert tree(driven) == tree(played)
    asked = {(request.api, found["role"]) for request in server.seen if (found := _identity(request))}
    assert {api for api, role in asked if role == "critic"} == {"responses"}
    assert {api for api, role in asked if role != "critic"} == {"messages"}


def _identity(request: Request) -> re.Match[str] | None:
    return next((found for turn in request.turns if (found := IDENTITY.search(turn.text))), None)


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
