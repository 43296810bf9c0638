"""Questions of agents to people: default and time limit, and an answer from another terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def answer_the_second(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the second question", lambda: len(story.seen("hold_opened")) == 2)
    [asked] = json.loads(story.andon("answer", "--json").stdout)
    story.facts["open"] = asked
    story.facts["status"] = json.loads(story.andon("status", "--json").stdout)["status"]
    story.facts["refused"] = story.andon("answer", asked["id"], "7").code
    story.andon("answer", asked["id"], "3.13, please")
    story.finish(process, words)


def test_E_25_E_16_nobody_answers_and_the_default_is_taken_at_the_time_limit(story: Callable[..., Any]) -> None:
    told = story("asking", answer_the_second)

    opened, answered = told.of("hold_opened")[0], told.of("hold_answered")[0]
    assert (opened.data["question"], opened.data["default"]) == ("Which package manager?", "uv")
    assert (answered.data["answer"], answered.data["by"]) == ("uv", "timeout")
    assert 1.0 <= answered.at - opened.at < 15.0
    assert told.document("first.txt") == "uv"


def test_E_25_a_question_without_a_time_limit_waits_for_a_person(story: Callable[..., Any]) -> None:
    told = story("asking", answer_the_second)

    asked = told.facts["open"]
    assert (asked["text"], asked["options"], asked["default"]) == ("Which Python?", ["3.11", "3.12"], "3.11")
    assert told.facts["status"] == "waiting"
    assert told.facts["refused"] == 3, "a number that no option has"
    answered = told.of("hold_answered")[1]
    assert answered.data["answer"] == "3.13, please" and answered.data["by"] != "timeout"
    assert told.document("second.txt") == "3.13, please", "an agent reads words of one's own, whatever it offered"
    assert told.last.code == 0


def test_A_141_without_interactive_nobody_is_asked_anything(story: Callable[..., Any]) -> None:
    told = story("green")  # told with no terminal and no standard input

    assert told.of("hold_opened") == []
    assert told.ending["status"] == "done"
