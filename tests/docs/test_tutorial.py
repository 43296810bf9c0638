"""The tutorial cannot lie: its files are made, its commands are run in order, and what it promises is looked for."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from andon.runtimes.scenario import Scenario

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TUTORIAL, re.DOTALL)


def environment(folder: Path) -> dict[str, str]:
    passed = {k: v for k, v in os.environ.items() if k.startswith(("UV_", "PIP_", "SSL_CERT", "NODE_EXTRA"))}
    path = f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    return {**passed, "PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "ANDON_HOME": str(folder / "data")}


@pytest.mark.timeout(300)
def test_the_tutorial_runs_from_top_to_bottom_and_keeps_its_promises(tmp_path: Path) -> None:
    (tmp_path / "agents.yaml").write_text(blocks("yaml")[0])
    script = "set -eu\n" + "\n".join(f"{block}echo '=== end of block'" for block in blocks("sh"))

    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=250
    )

    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    assert "Traceback" not in told
    _, first, looked, liar, resumed, *_ = done.stdout.split("=== end of block")
    assert "DONE" in first
    assert "signatures, chain, anchor, trees and outputs hold" in looked
    assert "exit code 1" in liar
    assert "interrupted" in resumed and "DONE" in resumed
    assert executors_started(tmp_path) == [1, 1, 1]


def executors_started(folder: Path) -> list[int]:
    """How often each run's executor was started: the killed one's too."""
    listed = subprocess.run(
        ["andon", "runs", "--json"],
        cwd=folder / "greet",
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=60,
    )
    counts: list[int] = []
    for run in json.loads(listed.stdout):
        log = subprocess.run(
            ["andon", "logs", run["id"], "--json", "--kind", "spawn"],
            cwd=folder / "greet",
            env=environment(folder),
            capture_output=True,
            text=True,
            timeout=60,
        )
        names = [json.loads(line)["data"]["name"] for line in log.stdout.splitlines()]
        orders = folder / "data" / "runs" / run["id"] / "orders"
        started = [path.read_text().count("\n") for path in orders.glob("*/starts")]
        assert started and set(started) == {1}
        counts.append(names.count("executor"))
    return counts


def test_the_question_of_the_last_part_is_a_step_a_scenario_takes() -> None:
    step = yaml.safe_load(blocks("yaml")[1])
    Scenario.model_validate({"scenario": 1, "rules": [{"match": {"name": "executor"}, "do": step, "reply": "done"}]})
