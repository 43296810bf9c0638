"""The `api` runtime before anything runs: which models, whose key, what lacks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Order, Tier
from andon.runtimes.api import ApiRuntime
from andon.runtimes.providers import PROVIDERS, models_here, provider_of
from andon.runtimes.setup import Setup

ANTHROPIC, OPENAI, GEMINI = ({f"{name}_API_KEY": "sk-1"} for name in ("ANTHROPIC", "OPENAI", "GEMINI"))


@pytest.mark.parametrize(
    ("environment", "provider"),
    [(ANTHROPIC, "anthropic"), (OPENAI, "openai"), (GEMINI, "google"), (OPENAI | ANTHROPIC, "anthropic")],
)
def test_E_01_models_are_of_the_provider_whose_key_is_set(environment: Mapping[str, str], provider: str) -> None:
    found = models_here(environment, {})

    assert {name.partition(":")[0] for name in found.values()} == {provider}
    assert [*found] == [*Tier]


def test_E_01_a_chosen_model_stands_before_the_known_one() -> None:
    found = models_here(ANTHROPIC, {"opus": "openai:gpt-6-astra"})

    assert found[Tier.OPUS] == "openai:gpt-6-astra"
    assert found[Tier.SONNET] == PROVIDERS["anthropic"].models[Tier.SONNET]


def test_E_01_without_a_key_one_named_model_serves_every_tier() -> None:
    found = models_here({}, {"haiku": "ollama:small", "sonnet": "ollama:qwen3"})

    assert found[Tier.HAIKU] == "ollama:small"
    assert found[Tier.OPUS_1M] == "ollama:qwen3"
    assert ApiRuntime(Setup(models={"sonnet": "ollama:qwen3"})).signed_in == ""


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("antropic:claude", "Did you mean anthropic:claude?"),
        ("gpt-6", "PROVIDER is one of anthropic"),
        ("openai:", "Did you mean openai:MODEL?"),
    ],
)
def test_E_01_a_name_that_is_no_model_is_refused_before_anything_runs(model: str, hint: str) -> None:
    with pytest.raises(UserError, match="is no model of the runtime api") as wrong:
        ApiRuntime(Setup(environment=ANTHROPIC, models={"opus": model}))
    assert wrong.value.hint.startswith(hint)


def test_E_02_a_missing_key_is_told_by_its_name() -> None:
    with pytest.raises(EnvironmentProblem, match="no key is set") as wrong:
        ApiRuntime(Setup())
    assert "ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY" in wrong.value.hint

    with pytest.raises(EnvironmentProblem, match="No key for google") as wrong:
        ApiRuntime(Setup(environment=ANTHROPIC, models={"opus": "google:gemini-4-argon"}))
    assert wrong.value.hint == "Set GOOGLE_API_KEY."


def test_E_02_a_server_of_ones_own_needs_no_key() -> None:
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}

    assert ApiRuntime(Setup(environment=environment, models={"sonnet": "openai-chat:mine"})).signed_in == ""


@pytest.mark.parametrize("package", ["pydantic_ai", "anthropic"])
def test_E_02_the_missing_extra_is_told_with_the_command_that_installs_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(EnvironmentProblem, match=package) as wrong:
        ApiRuntime(Setup(environment=ANTHROPIC))
    assert wrong.value.hint == 'pip install "andon[api]"'


def test_E_02_making_the_runtime_imports_nothing_of_the_extra() -> None:
    code = (
        "import sys; from andon.runtimes.api import ApiRuntime; from andon.runtimes.setup import Setup\n"
        "ApiRuntime(Setup(environment={'ANTHROPIC_API_KEY': 'x'}))\n"
        "sys.exit(bool({'pydantic_ai', 'anthropic'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 0


def test_E_07_only_the_key_of_the_orders_provider_is_handed_on(an_order: Callable[..., Order], tmp_path: Path) -> None:
    runtime = ApiRuntime(Setup(environment={**ANTHROPIC, **OPENAI, "GITHUB_TOKEN": "x"}, models={"haiku": "ollama:a"}))
    folder = tmp_path / "run/orders/1.1"

    handed = runtime.command(an_order(), folder).env
    to_ollama = runtime.command(an_order(tier=Tier.HAIKU), folder).env

    assert {*handed} == {"PATH", "LANG", "ANTHROPIC_API_KEY"}
    assert to_ollama["OLLAMA_BASE_URL"] == "http://localhost:11434/v1"
    assert "ANTHROPIC_API_KEY" not in to_ollama
    assert "sk-1" not in json.dumps(json.loads((folder / "order.json").read_bytes()))


def test_E_05_whoever_reads_its_order_is_not_disturbed_when_it_is_handed_out_again(
    an_order: Callable[..., Order], tmp_path: Path
) -> None:
    runtime, folder = ApiRuntime(Setup(environment=ANTHROPIC)), tmp_path / "run/orders/1.1"
    runtime.command(an_order(prompt="Do it."), folder)

    with (folder / "order.json").open() as starting:
        runtime.command(an_order(prompt="Do it once more."), folder)
        told = json.load(starting)

    assert told["prompt"].endswith("Do it.")


def test_E_02_settings_that_mean_nothing_here_are_refused() -> None:
    with pytest.raises(UserError, match="a program of andon's own"):
        ApiRuntime(Setup(environment=ANTHROPIC, program="python"))


def test_E_01_every_provider_of_the_table_has_names_that_it_knows() -> None:
    for name, provider in PROVIDERS.items():
        assert all(provider_of(model) is provider for model in provider.models.values()), name
