"""A run as a line of stations, and the orders of a phase as a graph."""

from __future__ import annotations

from typing import Any

from andon.domain.journal import Entry
from andon.domain.line import Lamp, agents, first_sentence, in_words, lamp_of, line, loops, strongest
from andon.domain.orders import orders
from andon.domain.run import Status

NAMES = ("plan", "design", "do", "check", "act")


def story(*told: tuple[str, str, dict[str, Any]]) -> list[Entry]:
    return [Entry("r", n, float(n), kind, phase, data, f"1.{n}") for n, (phase, kind, data) in enumerate(told, start=1)]


def entered(name: str, money: float = 0.0) -> tuple[str, str, dict[str, Any]]:
    return name, "phase_entered", {"name": name, "spent": {"money": money}}


def left(name: str, money: float) -> tuple[str, str, dict[str, Any]]:
    return name, "phase_left", {"name": name, "spent": {"money": money}}


def lamps(entries: list[Entry], lamp: Lamp) -> list[str]:
    return [station.lamp.value for station in line(NAMES, entries, lamp)]


def test_D_121_the_station_that_was_entered_last_carries_the_lamp_of_the_run() -> None:
    entries = story(entered("plan"), left("plan", 0.5), entered("do", 0.5))

    assert lamps(entries, Lamp.WAITING) == ["passed", "none", "waiting", "todo", "todo"]
    assert lamps(entries, Lamp.FAILED) == ["passed", "none", "failed", "todo", "todo"]


def test_D_121_of_a_run_that_is_done_what_was_never_entered_was_not_needed() -> None:
    entries = story(entered("plan"), left("plan", 0.5), entered("do", 0.5), left("do", 1.0))

    assert lamps(entries, Lamp.PASSED) == ["passed", "none", "passed", "none", "none"]


def test_D_121_time_and_money_of_a_station_are_those_of_all_visits() -> None:
    entries = story(
        entered("check", 1.0), left("check", 1.5), entered("act", 1.5), entered("check", 2.0), left("check", 4.0)
    )

    [check] = [station for station in line(NAMES, entries, Lamp.PASSED) if station.name == "check"]
    assert (check.visits, check.seconds, check.money) == (2, 2.0, 2.5)


def test_D_121_red_wins_over_amber_over_blue_over_green() -> None:
    assert strongest([Lamp.PASSED, Lamp.RUNNING, Lamp.WAITING, Lamp.FAILED]) is Lamp.FAILED
    assert strongest([Lamp.PASSED, Lamp.RUNNING, Lamp.WAITING]) is Lamp.WAITING
    assert strongest([Lamp.PASSED, Lamp.RUNNING]) is Lamp.RUNNING and strongest([]) is Lamp.TODO


def test_D_121_only_done_is_green_and_whatever_stopped_is_red() -> None:
    assert lamp_of(Status.DONE, False) is Lamp.PASSED
    assert {lamp_of(each, False) for each in (Status.FAILED, Status.NEEDS_PERSON, Status.STOPPED)} == {Lamp.FAILED}
    assert lamp_of(Status.RUNNING, True) is Lamp.WAITING and lamp_of(Status.RUNNING, False) is Lamp.RUNNING


def test_D_121_an_agent_that_replied_has_no_verdict_and_one_whose_run_ended_is_not_running() -> None:
    spawn = {"role": "executor", "model": "sonnet", "prompt": "Do it"}
    done = {"name": "a", "outcome": "done", "text": "All clean.", "seconds": 2.0, "usage": {"money": 0.1}}
    entries = story(
        ("do", "spawn", {"name": "a", **spawn}),
        ("do", "result", done),
        ("do", "spawn", {"name": "b", **spawn}),
        ("", "run_ended", {"status": "stopped"}),
    )

    b, a = agents(entries)
    assert (a.lamp, a.what, a.money, a.seconds) == (Lamp.REPLIED, "All clean.", 0.1, 2.0)
    assert b.lamp is Lamp.NONE


def test_D_121_loops_are_counted_to_where_the_line_stops() -> None:
    failed = {"goal": "test", "verdict": "failed", "tree": "t", "signatures": ["test:x FAILED"]}
    told = [
        entered("check"),
        ("check", "spawn", {"name": "qa-runner-1", "role": "qa-tester"}),
        ("check", "check", failed),
    ]
    limits = {"same_failure": 3, "qa_cycles_standard": 3, "phase4_reentries": 3}

    found = {loop.name: (loop.used, loop.most) for loop in loops("auto", "STANDARD", limits, story(*told, *told[1:]))}

    assert found == {"same failure": (2, 3), "QA cycles": (1, 3), "returns to check": (0, 3)}


def test_D_121_orders_at_once_stand_in_one_column_and_checks_of_one_tree_in_the_next() -> None:
    check = {"verdict": "failed", "tree": "t1"}
    entries = story(
        entered("do"),
        ("do", "spawn", {"name": "a", "role": "executor"}),
        ("do", "spawn", {"name": "b", "role": "executor"}),
        ("do", "result", {"name": "a", "outcome": "done"}),
        ("do", "result", {"name": "b", "outcome": "crashed"}),
        ("do", "check", {"goal": "lint", **check, "verdict": "passed"}),
        ("do", "check", {"goal": "test", **check}),
        ("do", "check", {"goal": "build", **check, "verdict": "not_needed"}),
        ("do", "spawn", {"name": "fixer", "role": "executor"}),
    )

    told = [[(node.name, node.lamp.value) for node in column.nodes] for column in orders(entries, "do")]

    agents_ = [("a", "replied"), ("b", "none")]
    assert told == [agents_, [("lint", "passed"), ("test", "failed")], [("fixer", "running")]]
    assert [column.failed for column in orders(entries, "do")] == [False, True, False]
    assert orders(entries, "check") == []


def test_D_121_what_an_agent_replied_is_told_in_words() -> None:
    assert in_words('{"passed": true, "criteria": [{"id": "B3-05"}], "report": "Fine."}') == "Fine."
    assert in_words('{"todo_id": "TODO-2", "status": "PASS"}') == "PASS" and in_words('{"cut off') == ""
    assert in_words('```json\n{"passed": true,\n "report": "Fine."}\n```') == "Fine."
    assert in_words('QA_PASSED: {"goals": []}') == "QA_PASSED"
    assert first_sentence(in_words("## Root Cause\n\nThe count came first.")) == "The count came first."
    assert in_words("## Only a heading") == "Only a heading" and in_words("Done.") == "Done."
