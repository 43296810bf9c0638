"""Runtimes by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from andon.domain.errors import EnvironmentProblem, UserError
from andon.runtimes import registry
from andon.runtimes.scripted import ScriptedRuntime
from andon.runtimes.setup import Setup


def test_E_02_the_scripted_runtime_is_found_by_its_name(tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text("scenario: 1\nrules: [{reply: x}]\n")

    assert isinstance(registry.find("scripted")(Setup(scenario=scenario)), ScriptedRuntime)
    with pytest.raises(UserError, match="needs a scenario"):
        registry.find("scripted")(Setup())


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "opencode"])
def test_E_02_a_program_that_is_not_installed_is_told_with_what_to_do(name: str, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=f"`{name}` is not installed") as wrong:
        registry.find(name)(Setup(name=name, environment={"PATH": str(tmp_path)}))
    assert "npm install" in wrong.value.hint


def test_E_02_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(UserError, match="there is no runtime `scriptd`") as wrong:
        registry.find("scriptd")
    assert wrong.value.hint == "did you mean scripted?"

    with pytest.raises(UserError) as wrong:
        registry.find("zzz")
    assert wrong.value.hint.startswith("known are claude, codex, gemini")


@pytest.fixture
def another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed distribution that registers two runtimes, one of them broken."""
    metadata = tmp_path / "sample-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: sample\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[andon.runtimes]\nsample = andon_sample_runtime:Sample\nbroken = andon_no_such_module:Gone\n"
    )
    (tmp_path / "andon_sample_runtime.py").write_text("class Sample: name = 'sample'\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("another_package")
def test_E_02_other_packages_register_by_entry_point() -> None:
    assert registry.names()[:3] == ("claude", "codex", "gemini")
    assert {"sample", "broken"} <= set(registry.names())
    assert registry.find("sample").__name__ == "Sample"


@pytest.mark.usefixtures("another_package")
def test_E_02_a_broken_runtime_is_named() -> None:
    with pytest.raises(EnvironmentProblem, match="`broken` cannot be loaded from andon_no_such_module:Gone"):
        registry.find("broken")


def test_E_02_nothing_is_imported_before_it_is_asked_for() -> None:
    code = (
        "import sys, andon.runtimes.registry as r; r.names(); sys.exit(bool({'pydantic', 'yaml'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 0


def test_E_02_an_acp_agent_that_nobody_named_is_told_with_what_to_write() -> None:
    with pytest.raises(UserError, match="does not know which agent to start") as wrong:
        registry.find("acp")(Setup(name="goose"))
    assert "[runtimes.goose]" in wrong.value.hint
