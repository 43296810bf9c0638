"""The runtime of docs/how-to/add-a-runtime.md works as it stands there, found by its entry point and in the sandbox."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from andon.app.home import Home
from andon.app.sandboxes import best_sandbox
from andon.domain.errors import EnvironmentProblem
from andon.domain.order import Limits, Order, Outcome, Reply, Tier
from andon.runtimes import registry
from andon.runtimes.agents import SupervisedAgents
from andon.runtimes.setup import Setup

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/add-a-runtime.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (points,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "murmur_andon.py").write_text(code)
    metadata = tmp_path / "murmur_andon-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: murmur-andon\nVersion: 1.0\n")
    group, line = points.strip().splitlines()
    assert group == f'[project.entry-points."{registry.GROUP}"]'
    (metadata / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{line.replace(chr(34), '')}\n")
    monkeypatch.syspath_prepend(str(tmp_path))


def murmured(tmp_path: Path, *lines: str) -> Reply:
    """What an order comes to whose program prints these lines."""
    programs, workspace = tmp_path / "opt/bin", tmp_path / "workspace"
    programs.mkdir(parents=True)
    workspace.mkdir()
    program = programs / "murmur"
    program.write_text("#!/bin/sh\ncat > prompt 2>/dev/null || cat > $HOME/prompt\n" + "\n".join(lines) + "\n")
    program.chmod(0o755)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path), "MURMUR_KEY": "k", "OTHER": "o"}
    home = Home.of({"ANDON_HOME": str(tmp_path / "andon"), "HOME": str(tmp_path)})
    home.make()
    agents = SupervisedAgents(registry.find("murmur")(Setup(environment=environment)), best_sandbox(home), 60.0)
    order = Order("r1", "1.1", "critic", "critic-1", "plan", "Judge it.", "You judge.", Tier.SONNET, str(workspace))
    order = replace(order, limits=Limits(seconds=20))
    return asyncio.run(agents.carry_out(order, tmp_path / "run/orders/1.1-1", None))


def test_E_02_the_runtime_of_the_page_answers(tmp_path: Path) -> None:
    reply = murmured(
        tmp_path,
        """echo '{"say": "let me see"}'""",
        """echo "{\\"end\\": \\"$MURMUR_KEY-$OTHER-$(head -c 10 $HOME/prompt)\\", \\"tokens\\": 1200}" """,
    )

    assert (reply.outcome, reply.text, reply.usage.tokens) == (Outcome.DONE, "k--You judge.", 1200)
    assert not (tmp_path / "workspace/prompt").exists()


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("""echo '{"say": "I am done!"}'""", Outcome.UNPARSEABLE),
        ("echo nonsense; exit 3", Outcome.CRASHED),
        ("""echo '{"busy_until": 1794837734}'; sleep 30""", Outcome.RATE_LIMITED),
        ("kill -9 $$", Outcome.CRASHED),
    ],
)
def test_E_06_and_what_is_no_answer_is_none(tmp_path: Path, line: str, outcome: Outcome) -> None:
    assert murmured(tmp_path, line).outcome is outcome


def test_E_02_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="`murmur` is not installed") as wrong:
        registry.find("murmur")(Setup(environment={"PATH": str(tmp_path)}))
    assert "pip install murmur" in wrong.value.hint
