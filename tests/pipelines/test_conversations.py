"""Conversations: an answer is scored, nothing runs between two messages, and a later message goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from andon.app.conversations import conversation, metrics
from andon.app.tasks import task_of
from published import mistakes

pytestmark = pytest.mark.xdist_group("task-custom")


def talk(story: Any) -> None:
    story.auto()
    story.facts["state"] = story.andon("task", "list", "--json").stdout
    story.facts["bad"] = story.andon("task", "feedback", story.row.id, "--rating", "6").stderr
    story.andon("task", "chat", story.row.id, "And what about a hyphen?")
    story.facts["rated"] = story.andon(
        "task", "feedback", story.row.id, "--rating", "4", "--comment", "Short", "--json"
    ).stdout
    story.andon("task", "end", story.row.id)
    story.facts["ended"] = story.andon("task", "list", "--json").stdout
    story.facts["resumed"] = story.andon("resume", story.row.id).stderr
    story.andon("task", "chat", story.row.id, "Thanks, that is all")
    story.facts["told"] = story.andon("task", "chat", story.row.id, "--json").stdout
    story.facts["after"] = story.andon("task", "list", "--json").stdout


@pytest.fixture
def told(story: Callable[..., Any]) -> Any:
    return story("task-custom", talk)


def state(told: Any, fact: str) -> str:
    return next(each["state"] for each in json.loads(told.facts[fact]) if each["id"] == told.row.id)


def test_D_53_an_answer_comes_without_phases_verification_or_review(told: Any) -> None:
    assert told.first.code == 0, told.first.stderr
    assert told.first.stdout.startswith("`words` in `src/tally/__init__.py`")
    kinds = {entry.kind for entry in told.journal}
    assert not kinds & {"phase_entered", "phase_verified", "review_decided", "rework", "verification", "check"}
    assert {entry.data["name"] for entry in told.of("spawn")} == {"task-helper"}
    assert all(entry.data["writes"] == [] for entry in told.of("spawn"))
    assert told.store.reviews.of_run(told.row.id) == []


def test_D_54_a_person_ends_it_and_a_later_message_goes_on(told: Any) -> None:
    states = [state(told, each) for each in ("state", "ended", "after")]

    assert states == ["in_progress", "completed", "completed"]
    assert [e.data["by"] != "" for e in told.of("conversation_ended")] == [True]
    assert "goes on with it" in told.facts["resumed"]
    assert told.row.reason == "complete"  # the last answer says so in plain words


def test_D_53_nothing_runs_between_two_messages(told: Any) -> None:
    legs = [(e.kind, e.data.get("reason", "")) for e in told.journal if e.kind in ("run_started", "run_ended")]

    assert legs == [
        *(("run_started", ""), ("run_ended", "answered")),
        *(("run_started", ""), ("run_ended", "answered")),
        *(("run_started", ""), ("run_ended", "complete")),
    ]
    assert not told.of("hold_opened")


def test_D_54_the_next_message_reaches_the_agents_own_session_and_tells_nothing_twice(told: Any) -> None:
    first, second, third = (e.data["prompt"] for e in told.of("spawn"))

    assert "What was said before" in first and "Explain how words() splits" in first
    assert "And what about a hyphen?" in second and "Explain how" not in second
    assert "Thanks, that is all" in third


def test_D_56_D_62_every_answer_is_scored_and_a_rating_is_its_accuracy(told: Any) -> None:
    turns = json.loads(told.facts["told"])

    assert [each["author"] for each in turns] == ["person", "agent"] * 3
    scores = [each["score"] for each in turns if each["author"] == "agent"]
    assert [each["accuracy_assessed"] for each in scores] == [False, True, False]
    assert (scores[0]["completeness"], scores[0]["actionability"], scores[1]["accuracy"]) == (5, 5, 4)
    parts = ("relevance", "completeness", "accuracy", "clarity", "actionability")
    assert all(each["overall"] == sum(each[part] for part in parts) / 5 for each in scores)
    assert scores[0]["overall"] > scores[1]["overall"]  # S-30


def test_E_08_D_56_every_score_is_as_its_schema_says(told: Any) -> None:
    scores = [each["score"] for each in json.loads(told.facts["told"]) if each["author"] == "agent"]

    assert scores and [mistakes("quality-score", each) for each in scores] == [[]] * len(scores)


def test_D_63_a_rating_is_from_1_to_5_and_kept_with_its_comment(told: Any) -> None:
    assert "Rating must be a whole number from 1 to 5" in told.facts["bad"]
    answer = json.loads(told.facts["rated"])
    assert answer["success"] and (answer["turn"]["rating"], answer["turn"]["comment"]) == (4, "Short")
    [kept] = told.of("feedback")
    assert (kept.data["rating"], kept.data["comment"]) == (4, "Short") and kept.at > 0


def test_D_64_the_figures_are_those_of_this_conversation(told: Any) -> None:
    turns = conversation(told.store, task_of(told.store, told.row))
    found = metrics(told.store, told.row.repository)
    much_later = metrics(told.store, told.row.repository, told.row.updated_at + 90_000)

    responses = [len(each.text) for each in turns if each.author == "agent"]
    assert (found.user_rating, found.thumbs_up_rate, found.follow_up_question_rate) == (4.0, 1.0, 1.0)
    assert (found.task_abandonment_rate, found.avg_conversation_length) == (0.0, 6.0)
    assert found.avg_response_length == sum(responses) / 3
    assert much_later.task_abandonment_rate == 0.0  # it was ended, not left
    assert (found.code_example_rate, found.link_inclusion_rate) == (1 / 3, 1 / 3)


def test_D_67_S_29_the_prompt_asks_for_examples_steps_links_and_an_offer_to_go_on(told: Any) -> None:
    prompt = told.of("spawn")[0].data["prompt"]

    for wanted in (
        "concrete example",
        "code that runs",
        "numbered steps",
        "links to official documents",
        "offer to go on",
    ):
        assert wanted in prompt
