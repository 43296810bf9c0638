"""Which runtime and which model works for whom: from settings to the run's own record."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from andon.app.runtime_settings import RoleSettings, RuntimeSettings, frozen, made
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Order, Tier
from warm import Finished

ORDER = Order("r1", "1.1", "critic", "critic-1", "plan", "Judge it.", "", Tier.OPUS, "/w")


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, str]:
    """An environment in which both programs seem to be installed, and a key for each."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("claude", "codex", "claude-next"):
        (folder / name).write_text("#!/bin/sh\necho 1.0\n")
        (folder / name).chmod(0o755)
    keys = {"ANTHROPIC_API_KEY": "sk-x", "OPENAI_API_KEY": "sk-y"}
    return {"PATH": f"{folder}:{os.environ['PATH']}", **keys}


def test_E_01_a_role_has_the_runtime_that_settings_give_it(programs: dict[str, str], tmp_path: Path) -> None:
    chosen = frozen("claude", {}, {"critic": RoleSettings(runtime="codex")})

    runtime = made(chosen, None, programs)

    words = runtime.command(ORDER, tmp_path / "order").argv
    assert Path(words[0]).name == "codex"
    author = runtime.command(replace(ORDER, role="planner"), tmp_path / "order").argv
    assert Path(author[0]).name == "claude"


def test_E_01_models_and_programs_are_those_of_the_settings(programs: dict[str, str], tmp_path: Path) -> None:
    told = RuntimeSettings(program="claude-next", arguments=("--effort", "high"), models={Tier.OPUS: "opus-of-mine"})
    chosen = json.loads(json.dumps(frozen("claude", {"claude": told, "codex": RuntimeSettings()}, {})))

    words = made(chosen, None, programs).command(ORDER, tmp_path / "order").argv

    assert chosen["runtimes"].keys() == {"claude"}, "what is not used is not kept"
    assert Path(words[0]).name == "claude-next"
    assert words[words.index("--model") + 1] == "opus-of-mine"
    assert words[-2:] == ("--effort", "high")


@pytest.mark.parametrize(
    ("roles", "wrong"),
    [
        ({"critic": RoleSettings(runtime="codexx")}, "there is no runtime `codexx`"),
        ({"critic": RoleSettings(runtime="scripted")}, "needs a scenario"),
    ],
)
def test_E_01_a_runtime_that_cannot_work_is_told_before_anything_runs(
    programs: dict[str, str], roles: dict[str, RoleSettings], wrong: str
) -> None:
    with pytest.raises((UserError, EnvironmentProblem), match=wrong):
        made(frozen("claude", {}, roles), None, programs)


def test_E_01_models_shows_what_settings_choose(run_andon: Callable[..., Finished], andon_home: Path) -> None:
    settings = '[runtimes.claude.models]\n"opus[1m]" = "mine"\n[roles.critic]\nruntime = "codex"\n'
    (andon_home / "settings.toml").write_text(settings)

    shown = run_andon("models", "--json")
    plain = run_andon("models")

    told = json.loads(shown.stdout)
    assert {"runtime": "claude", "tier": "opus[1m]", "model": "mine", "chosen": True} in told["models"]
    assert {"runtime": "claude", "tier": "haiku", "model": "haiku", "chosen": False} in told["models"]
    assert told["roles"] == {"critic": "codex"}
    assert "mine  (settings)" in plain.stdout
    assert "the role critic works with codex" in plain.stdout
