"""A HEAVY run with parallel implementers, played again from its recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def record_and_replay(story: Any) -> None:
    file = story.folder / "run.yaml"
    story.auto("--record", str(file))
    story.scenario.unlink()
    story.andon("auto", "--replay", str(file))
    story.facts["recording"] = file.read_text()


def test_A_75_E_02_parallel_work_is_played_again_with_the_same_outcome(story: Callable[..., Any]) -> None:
    told = story("recorded", record_and_replay)

    assert told.first.code == 0, told.first.stdout + told.first.stderr
    assert told.last.code == 0 and "Replayed as recorded" in told.last.stdout, told.last.stdout + told.last.stderr
    assert "name: impl-readers" in told.facts["recording"] and "name: impl-writers" in told.facts["recording"]
    assert told.of("merged") and told.ending["status"] == "done"
