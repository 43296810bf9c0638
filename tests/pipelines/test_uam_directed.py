"""A person who answers every question of `andon uam`: about the plan (C-26), and before each fix loop (C-54)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

ANSWERS = ("change", "replan", "proceed", "change direction", "proceed", "continue", "finish as it is")


def answer_everything(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    answered: list[str] = []
    for answer in (ANSWERS[0], "Call the note by its name", *ANSWERS[1:]):

        def asked() -> str:
            return next((e.data["hold"] for e in story.seen("hold_opened") if e.data["hold"] not in answered), "")

        hold = story.until(f"a question for {answer!r}", asked)
        story.andon("answer", hold, answer)
        answered.append(hold)
    story.finish(process, words)


@pytest.fixture
def told(story: Callable[..., Any]) -> Any:
    return story("uam-directed", answer_everything)


def test_C_26_a_wish_revises_the_plan_and_a_replan_begins_phase_1_again(told: Any) -> None:
    begun = [(e.data["name"], e.data["prompt"]) for e in told.of("spawn") if e.phase == "plan"]
    planners = [prompt for name, prompt in begun if name == "planner"]

    assert "Call the note by its name" in planners[1] and "wants this plan changed" in planners[1]
    explored = [name for name, _ in begun].count("explore")
    assert explored == 3  # at first, after `replan`, and after the change of direction
    assert "A person wants another plan than this one" in planners[2]


def test_C_54_the_person_directs_the_fix_loops(told: Any) -> None:
    questions = [e.data["question"] for e in told.of("hold_opened", category="direction")]

    assert questions == [f"Fix loop {number}. Pass rate 50%. Continue?" for number in (1, 1, 2)]
    assert told.phases == [
        *("plan", "sprint", "gate", "fix"),  # change direction
        *("plan", "sprint", "gate", "fix"),  # continue
        *("gate", "fix", "finalize"),  # finish as it is
    ]


def test_C_54_who_finishes_as_it_is_gets_what_there_is_and_no_verdict(told: Any) -> None:
    assert told.ending["status"] == "needs_user" and told.ending["reason"] == "finished_by_person"
    assert json.loads((told.repository / ".uam/state.json").read_text())["partial"] == "finished_by_person"
    assert told.git("branch", "--list", "feat/*") == ""
