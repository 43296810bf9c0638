"""Checkpoints of tasks: when they are kept, what they hold, and that a resumed task goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-modify.yaml"


def rules() -> list[dict[str, Any]]:
    return yaml.safe_load(STORY.read_text())["rules"]


def play(person: Any, *first: dict[str, Any]) -> tuple[str, ...]:
    person.scenario.write_text(json.dumps({"scenario": 1, "rules": [*first, *rules()]}))
    return ("task", "create", "--type", "modify_app", "Count words", "--scenario", str(person.scenario))


def told(person: Any, kind: str) -> list[Any]:
    return [each["data"] for each in person.journal() if each["kind"] == kind] if person.runs() else []


def run_id(person: Any) -> str:
    return person.runs()[0]["id"]


@pytest.fixture
def paths(person: Any) -> None:
    """The files that the story's analysis speaks of."""
    for path in ("src/tally/__init__.py", "tests/test_words.py", "pyproject.toml"):
        file = person.repository / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "more")


@pytest.mark.usefixtures("paths")
def test_D_117_D_118_D_119_X_56_a_paused_task_goes_on_at_its_review_and_asks_no_agent_again(person: Any) -> None:
    # Given a task whose first phase waits for a person, and a person who pauses it
    begun = person.start(*play(person))
    person.until(lambda: told(person, "hold_opened"), "a review")
    person.andon("stop", run_id(person))
    person.until(lambda: begun.poll() is not None, "the end of the command")
    agents = len([each for each in told(person, "spawn") if each["name"] == "task-agent"])

    # When it is resumed
    person.start("resume", run_id(person))
    person.until(lambda: told(person, "hold_opened")[1:], "the review again")

    # Then the checkpoint says where it stood, and nobody does the phase a second time
    [kept] = told(person, "checkpoint")
    assert (kept["reason"], kept["phase"], kept["step"]) == ("manual_pause", 1, "review")
    assert kept["history"]["task-agent"] and kept["progress"] == 0.25 and kept["tokens"] > 0
    assert kept["pending"] == ["review", "planning", "implementation", "verification"] and kept["variables"] == []
    assert len([each for each in told(person, "spawn") if each["name"] == "task-agent"]) == agents
    assert len(told(person, "phase_verified")) == 3  # failed, passed, and once more after the pause
    person.andon("task", "approve", run_id(person))
    person.until(lambda: told(person, "checkpoint")[1:], "a checkpoint of the phase that is complete")
    assert told(person, "checkpoint")[1]["reason"] == "phase_complete"
    person.andon("stop", run_id(person))


@pytest.mark.usefixtures("paths")
def test_D_117_D_119_an_agent_that_fails_at_its_rework_is_told_again_what_to_mend(person: Any) -> None:
    failing = {"match": {"name": "task-agent", "call": 2}, "do": [{"crash": {"code": 3}}]}
    words = play(person, failing)
    person.andon(*words)
    [kept] = told(person, "checkpoint")

    # Its third order, after the resume, mends the analysis
    mending = {**rules()[1], "match": {"name": "task-agent", "call": 3}}
    play(person, failing, mending)
    person.start("resume", run_id(person), "--scenario", str(person.scenario))
    person.until(lambda: told(person, "hold_opened"), "a review")

    assert (kept["reason"], kept["step"], kept["reworks"]) == ("error", "rework", 1)
    prompts = [each["prompt"] for each in told(person, "spawn") if each["name"] == "task-agent"]
    assert "has no part impact" in prompts[-1] and prompts[-1].startswith("[Phase 1: analysis] Your work")
    person.andon("stop", run_id(person))
