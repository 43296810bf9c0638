"""Which runtime and which model works for whom: from settings to the run's own record."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from andon.app.runtime_settings import PriceSettings, RoleSettings, RuntimeSettings, frozen, made, unpriced
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
    told = RuntimeSettings(program="claude-next", arguments=("--effort", "high"), models={Tier.OPUS: "claude-opus-9"})
    chosen = json.loads(json.dumps(frozen("claude", {"claude": told, "codex": RuntimeSettings()}, {})))

    words = made(chosen, None, programs).command(ORDER, tmp_path / "order").argv

    assert chosen["runtimes"].keys() == {"claude"}, "what is not used is not kept"
    assert Path(words[0]).name == "claude-next"
    assert words[words.index("--model") + 1] == "claude-opus-9"
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
    settings = (
        '[runtimes.claude.models]\n"opus[1m]" = "mine"\n[roles.critic]\nruntime = "codex"\n'
        "[prices.mine]\ninput = 7\noutput = 8\n"
    )
    (andon_home / "settings.toml").write_text(settings)

    shown = run_andon("models", "--json")
    plain = run_andon("models")

    told = json.loads(shown.stdout)
    rows = {(each["runtime"], each["tier"]): each for each in told["models"]}
    mine, known = rows["claude", "opus[1m]"], rows["claude", "haiku"]
    assert (mine["model"], mine["chosen"], mine["own_price"]) == ("mine", True, True)
    assert mine["price"] == {"input": 7, "output": 8, "cached": None}
    assert (known["model"], known["chosen"], known["own_price"]) == ("haiku", False, False)
    assert told["prices_dated"] in plain.stderr
    assert told["roles"] == {"critic": "codex"}
    assert re.search(r"mine\* +7 +8 +7\*$", plain.stdout, re.MULTILINE)
    assert "the role critic works with codex" in plain.stdout


def codex_with(model: str, prices: dict[str, PriceSettings] | None = None) -> dict[str, Any]:
    return frozen("codex", {"codex": RuntimeSettings(models={Tier.SONNET: model})}, {}, prices)


@pytest.mark.parametrize(
    ("model", "meant"),
    [
        ("gtp-6-luna", "gpt-6-luna"),
        ("gpt-6-lunna", "gpt-6-luna"),
        ("sonnet", ""),
        ("GPT-6-luna", "gpt-6-luna"),
    ],
)
def test_E_01_a_model_that_nobody_can_know_is_an_error_before_anything_runs(
    programs: dict[str, str], model: str, meant: str
) -> None:
    with pytest.raises(UserError) as told:
        made(codex_with(model), None, programs)

    assert told.value.message == f"[runtimes.codex.models] sonnet: codex knows no model {model!r}"
    assert (f"Did you mean {meant}?" in told.value.hint) == bool(meant)
    assert f'[prices."{model}"]' in told.value.hint


@pytest.mark.parametrize("model", ["gpt-7", "gpt-6.1-terra", "gpt-9-ocean-2027-01-01", "o5-mini", "codex-next"])
def test_E_01_a_model_newer_than_andon_is_none(programs: dict[str, str], model: str) -> None:
    made(codex_with(model), None, programs)


def test_E_01_whoever_names_a_price_or_a_server_of_their_own_means_the_name(programs: dict[str, str]) -> None:
    made(codex_with("mine", {"mine": PriceSettings(input=1, output=2, cached=None)}), None, programs)
    made(codex_with("mine"), None, {**programs, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})


def test_E_01_models_says_which_name_is_doubted(run_andon: Callable[..., Finished], andon_home: Path) -> None:
    (andon_home / "settings.toml").write_text('[runtimes.claude.models]\nsonnet = "claude-sonet-5-5"\n')

    shown = run_andon("models")

    assert "claude knows no model 'claude-sonet-5-5'. Did you mean claude-sonnet-5-5?" in shown.stderr
    assert shown.code == 0


def test_E_17_a_limit_of_money_is_not_promised_where_no_price_is_known() -> None:
    price = PriceSettings(input=1, output=2, cached=None)

    assert unpriced(frozen("claude", {}, {"critic": RoleSettings(runtime="codex")})) == []
    assert unpriced(codex_with("gpt-9-ocean")) == ["codex"]
    assert unpriced(codex_with("gpt-9-ocean", {"gpt-9-*": price})) == []
    assert unpriced(frozen("murmur", {}, {})) == ["murmur"]
