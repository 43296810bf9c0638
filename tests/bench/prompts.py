"""How much text andon adds to a run: every prompt and job description it sends, in tokens (characters by four).

Whole scripted runs of the three modes, those that tests/pipelines tells; HEAVY with three rounds of the critic. What
agents wrote and andon passes on is counted too, as far as it stands in a prompt.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import yaml
from ground import Ground
from rows import Row

from andon.app.demo import make_sample
from andon.app.queries import open_store
from andon.app.start import start_auto
from andon.app.starting import StartOptions
from andon.domain.run import Status
from andon.roles.library import MATERIAL, role

STORIES = Path(__file__).parents[1] / "pipelines" / "stories"
RUNS = {"light": "green", "standard": "standard", "heavy": "heavy"}


def prompts(ground: Ground) -> list[Row]:
    return [_row(ground, mode, story) for mode, story in RUNS.items()]


def _row(ground: Ground, mode: str, name: str) -> Row:
    script = yaml.safe_load((STORIES / f"{name}.yaml").read_text())
    scenario = ground.scratch / f"{name}.yaml"
    scenario.write_text(json.dumps({"scenario": 1, "rules": _rules(name)}))
    settings = {"runtime": "scripted", "scenario": str(scenario)}
    options = StartOptions((script["task"],), _repository(ground, script), settings=settings)
    finished = start_auto(options, ground.environment, lambda entry: None)
    assert finished.ending.status is Status.DONE, finished.ending
    entries = open_store(ground.environment).journal.entries(finished.run.id)
    orders = [entry.data for entry in entries if entry.kind == "spawn" and entry.data.get("model")]
    characters = sum(len(order["prompt"]) + len(role(order["role"]).text) + len(MATERIAL) for order in orders)
    what = f"text of andon in a {mode.upper()} run"
    return Row(f"prompts-{mode}", what, characters / 4, "tokens", f"{len(orders)} orders")


def _repository(ground: Ground, script: dict[str, Any]) -> Path:
    """The sample project, with the files that the story adds to it."""
    repository = make_sample(ground.scratch)
    for path, text in script.get("files", {}).items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text)
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    for words in (("add", "--all"), (*identity, "commit", "--quiet", "--allow-empty", "--message", "The beginning")):
        subprocess.run(["git", *words], cwd=repository, check=True, timeout=60)
    return repository


def _rules(name: str) -> list[Any]:
    own = yaml.safe_load((STORIES / f"{name}.yaml").read_text())
    return [*own.get("rules", ()), *(_rules(own["like"]) if "like" in own else ())]
