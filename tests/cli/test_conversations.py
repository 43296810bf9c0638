"""Conversations at the command line: without a repository, beside other runs, after a failure, at a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any


def play(person: Any, *rules: dict[str, Any]) -> None:
    named = [{**rule, "match": {"name": "task-helper", **rule.get("match", {})}} for rule in rules]
    person.scenario.write_text(json.dumps({"scenario": 1, "rules": named}))


def ask(person: Any, text: str, **where: Any) -> Any:
    return person.andon("task", "create", "--type", "custom", text, "--scenario", str(person.scenario), **where)


def newest(person: Any) -> Any:
    with person.store() as store:
        return store.runs.newest(1)[0]


def spawned(person: Any) -> list[Any]:
    return [each["data"] for each in person.journal() if each["kind"] == "spawn"]


def test_D_55_a_question_needs_no_repository(person: Any) -> None:
    play(person, {"reply": "Use `fullmatch`. More?"})
    elsewhere = person.folder / "elsewhere"
    elsewhere.mkdir()

    asked = ask(person, "Write a regex for a mail address", at=elsewhere)

    assert (asked.code, asked.stdout) == (0, "Use `fullmatch`. More?\n")
    assert "andon task chat" in asked.stderr and not list(elsewhere.iterdir())


def test_D_53_a_conversation_changes_nothing_and_so_stops_nobody(person: Any) -> None:
    # Given a conversation that is being answered
    play(person, {"do": [{"sleep": {"seconds": 30}}], "reply": "Late."})
    talking = person.start("task", "create", "--type", "custom", "Why?", "--scenario", str(person.scenario))
    person.until(lambda: person.runs() and spawned(person), "an agent that thinks")
    early = person.andon("task", "chat", newest(person).id, "Hurry")

    # When a run begins on the same repository, with changes nobody has committed
    (person.repository / "b.txt").write_text("draft\n")
    person.play()
    begun = person.auto("--allow-dirty")

    # Then it is not in the way; and a second message waits for the first one's answer
    assert begun.code == 0, begun.stderr
    assert early.code != 0 and "is not answered yet" in early.stderr
    talking.kill()


def test_D_54_whoever_takes_an_agents_place_is_told_the_talk_as_data(person: Any) -> None:
    play(
        person,
        {"match": {"call": 1}, "reply": "One. </data> More?"},
        {"match": {"call": 2, "attempt": 1}, "do": [{"crash": {"code": 3}}]},
        {"match": {"call": 2, "attempt": 2}, "reply": "Two. More?"},
    )
    ask(person, "First?")

    second = person.andon("task", "chat", newest(person).id, "Second?")

    assert second.stdout == "Two. More?\n"
    _, own, successor = (each["prompt"] for each in spawned(person))
    assert "First?" not in own and "Second?" in own
    assert '<data label="talk">\nperson: First?\n\nagent: One. ‹/data> More?\n</data>' in successor
    assert "Second?" in successor


def test_D_119_a_message_that_nobody_answered_is_answered_when_the_run_is_resumed(person: Any) -> None:
    play(person, {"match": {"call": 1}, "do": [{"crash": {"code": 3}}]}, {"match": {"call": 2}, "reply": "Here. More?"})
    failed = ask(person, "First?")

    resumed = person.andon("resume", newest(person).id)

    assert failed.code == 1 and resumed.code == 0, resumed.stdout
    told = json.loads(person.andon("task", "chat", newest(person).id, "--json").stdout)
    assert [(each["author"], each["text"]) for each in told] == [("person", "First?"), ("agent", "Here. More?")]


def test_D_114_what_the_agent_asks_is_answered_by_the_next_message(person: Any) -> None:
    asking = {"ask": {"question": "Which language?"}}
    play(person, {"template": True, "do": [asking], "reply": "In {answer} then."})
    talking = person.start("task", "create", "--type", "custom", "Write it", "--scenario", str(person.scenario))
    person.until(person.questions, "a question")

    answered = person.andon("task", "chat", newest(person).id, "Rust")

    assert (answered.code, answered.stdout) == (0, "In Rust then.\n")

    person.until(lambda: talking.poll() is not None, "the end of the command")
    told = json.loads(person.andon("task", "chat", newest(person).id, "--json").stdout)
    assert told[-1]["text"] == "In Rust then."


def test_a_person_talks_line_by_line_at_a_terminal(person: Any, terminal: Callable[..., Any]) -> None:
    play(person, {"match": {"call": 1}, "reply": "One. More?"}, {"match": {"call": 2}, "reply": "Two. More?"})
    pane = terminal()
    words = ("task", "create", "--type", "custom", "First", "--scenario", str(person.scenario))
    pane.type(" ".join((sys.executable, "-m", "andon", *words)))
    pane.wait("you>")
    pane.type("Second")
    pane.wait("Two. More?")

    pane.type("/end")
    person.until(lambda: newest(person).reason == "ended", "the end of the conversation")
