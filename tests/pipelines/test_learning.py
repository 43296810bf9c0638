"""`uam` twice in one repository: what workers told and fix loops tried reaches the second planner, and only that."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest


def twice(story: Any) -> None:
    story.auto()
    story.facts["first"] = story.row.id
    story.facts["prompt"] = next(e.data["prompt"] for e in story.seen("spawn", name="planner"))
    story.facts["remembered"] = [dict(e.data) for e in story.seen("remembered")]
    story.facts["memory"] = json.loads(story.andon("memory", "list", "--json").stdout)["hits"]
    story.auto()


@pytest.fixture
def told(story: Callable[..., Any]) -> Any:
    return story("uam-learned", twice)


def test_E_14_a_run_of_uam_leaves_what_workers_told_and_what_was_tried(told: Any) -> None:
    by_tag = {each["tags"][0]: each for each in told.facts["memory"]}

    assert told.first.code == 0, told.first.stderr
    assert by_tag["learning"]["text"] == "메모는 notes에 둔다" and by_tag["learning"]["by"] == "uam-worker"
    assert "수정하려고 시도한 것" in by_tag["approach"]["text"]
    assert "수정 루프 1회" in by_tag["metrics"]["text"]
    assert {(each["run"], each["verdict"]) for each in told.facts["memory"]} == {(told.facts["first"], "passed")}
    [remembered] = told.facts["remembered"]
    assert remembered["count"] == len(told.facts["memory"]) and remembered["verdict"] == "passed"


def test_E_14_the_next_planner_is_told_with_the_run_it_comes_from_and_nobody_else_is(told: Any) -> None:
    [recalled] = told.of("recalled")
    prompt = told.prompts["planner"]

    assert told.commands[-1].code == 0, told.commands[-1].stderr
    assert {each["run"] for each in recalled.data["learnings"]} == {told.facts["first"]}
    assert '<data label="learnings">' in prompt and f"(run {told.facts['first']}, " in prompt
    assert "메모는 notes에 둔다" in prompt[prompt.index('label="learnings"') :]
    assert 'label="learnings"' not in told.facts["prompt"]
    assert all('label="learnings"' not in text for name, text in told.prompts.items() if name != "planner")
