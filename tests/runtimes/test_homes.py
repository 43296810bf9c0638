"""What andon writes into the home folder of an agent, which may have been there before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Order
from andon.runtimes.acp import AcpRuntime
from andon.runtimes.setup import Setup

SETTINGS = ".gemini/settings.json"


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Where a program stands that is only called gemini."""
    program = tmp_path / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return str(tmp_path)


@pytest.fixture
def gemini(path: str, tmp_path: Path, an_order: Callable[..., Order]) -> Callable[[], Path]:
    """Makes an order ready and tells where the agent's home is."""
    runtime = AcpRuntime(Setup(name="gemini", environment={"PATH": path, "GEMINI_API_KEY": "x"}))
    return lambda: Path(runtime.needs(an_order(session="**/../.."), tmp_path / "run/orders/1.1").home or "")


@pytest.mark.parametrize("planted", [".gemini", SETTINGS, ".gemini/.settings.json.new"])
def test_E_03_no_link_that_an_agent_planted_leads_out_of_its_home(
    gemini: Callable[[], Path], tmp_path: Path, planted: str
) -> None:
    home, outside = gemini(), tmp_path / "outside"
    outside.mkdir()
    (outside / "settings.json").write_text("a person's own")
    if planted == ".gemini":
        (home / ".gemini").rename(home / "elsewhere")
        (home / ".gemini").symlink_to(outside)
    else:
        (home / planted).unlink(missing_ok=True)
        (home / planted).symlink_to(outside / "settings.json")

    gemini()

    assert (outside / "settings.json").read_text() == "a person's own"
    assert [file.name for file in outside.iterdir()] == ["settings.json"]
    assert "gemini-api-key" in (home / SETTINGS).read_text()


def test_E_06_what_cannot_be_written_there_is_told(gemini: Callable[[], Path]) -> None:
    home = gemini()
    (home / SETTINGS).unlink()
    (home / SETTINGS).mkdir()

    with pytest.raises(UserError, match=r"settings\.json cannot be written"):
        gemini()


def test_E_11_gemini_without_a_sign_in_is_refused_before_anything_starts(path: str, tmp_path: Path) -> None:
    environment = {"PATH": path, "HOME": str(tmp_path)}

    with pytest.raises(EnvironmentProblem, match="Nobody is signed in to gemini") as wrong:
        AcpRuntime(Setup(name="gemini", environment=environment))
    assert "GEMINI_API_KEY" in wrong.value.hint

    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini/oauth_creds.json").touch()
    AcpRuntime(Setup(name="gemini", environment=environment))
