"""The TODOs of a UAM run as a graph."""

from __future__ import annotations

import time
from typing import Any

from andon.domain.journal import Entry
from andon.domain.line import Lamp
from andon.domain.teams.team import Team, Work
from andon.domain.todos import todos, units
from andon.domain.uam.plan import DONE, FAILED, OPEN


def told(*rows: tuple[str, dict[str, Any]]) -> list[Entry]:
    return [Entry("r", seq, float(seq), kind, "sprint", data) for seq, (kind, data) in enumerate(rows, 1)]


def plan(*todos: tuple[int, str, list[int]], box: str = OPEN) -> tuple[str, dict[str, Any]]:
    rows = [{"number": number, "title": title, "after": after, "box": box} for number, title, after in todos]
    return "plan_approved", {"path": ".uam/PLAN.md", "graph": rows}


PLAN = plan((1, "Rank", []), (2, "Format", []), (3, "Report", [1, 2]), (4, "Document", [3]))


def test_C_25_each_todo_stands_in_the_wave_after_those_it_needs() -> None:
    assert [(each.name, each.wave) for each in todos(told(PLAN))] == [
        ("TODO-1", 0),
        ("TODO-2", 0),
        ("TODO-3", 1),
        ("TODO-4", 2),
    ]


def test_C_25_a_todo_is_done_when_its_box_is_set_and_not_when_its_worker_says_so() -> None:
    entries = told(
        PLAN,
        ("spawn", {"name": "worker-1", "role": "uam-worker"}),
        ("spawn", {"name": "worker-2", "role": "uam-worker"}),
        ("result", {"name": "worker-1", "outcome": "done"}),
        ("result", {"name": "worker-2", "outcome": "done"}),
        ("spawn", {"name": "worker-2-r1", "role": "uam-worker"}),
        ("todo", {"number": 1, "box": DONE, "title": "Rank"}),
    )

    assert [(each.lamp, each.workers) for each in todos(entries)[:3]] == [
        (Lamp.PASSED, 1),
        (Lamp.RUNNING, 2),
        (Lamp.TODO, 0),
    ]
    assert todos(entries[:4])[0].lamp is Lamp.REPLIED
    ended = [*entries, *told(("run_ended", {"reason": "stopped"}))]
    assert [each.lamp for each in todos(ended)[:2]] == [Lamp.PASSED, Lamp.NONE]


def test_C_25_a_discovery_is_one_more_and_another_plan_takes_the_place_of_the_old_one() -> None:
    entries = told(
        PLAN,
        ("todo", {"number": 1, "box": FAILED, "title": "Rank"}),
        ("todo_added", {"number": 5, "title": "Guard", "after": [2]}),
    )

    assert [(each.number, each.wave, each.lamp) for each in todos(entries)] == [
        (1, 0, Lamp.FAILED),
        (2, 0, Lamp.TODO),
        (3, 1, Lamp.TODO),
        (5, 1, Lamp.TODO),
        (4, 2, Lamp.TODO),
    ]
    again = [*entries, *told(plan((1, "Else", []), box=DONE))]
    assert [(each.title, each.lamp) for each in todos(again)] == [("Else", Lamp.PASSED)]


def test_C_25_a_plan_of_an_older_version_has_no_graph_and_a_circle_ends() -> None:
    assert todos(told(("plan_approved", {"path": "p", "todos": {}, "tiers": {}}))) == ()
    assert len(todos(told(plan((1, "a", [2]), (2, "b", [1]), (3, "c", [3]))))) == 3


def test_B_22_the_graph_of_a_large_team_is_quickly_there() -> None:
    works = tuple(
        Work(f"u{n}", f"Unit {n}", "c", "Do it", "lead", after=tuple(f"u{before}" for before in range(n)))
        for n in range(500)
    )
    team = Team("t", "T", "", (), (), works)

    began = time.process_time()
    found = units(team, told(("unit", {"id": "u0", "state": "done", "iterations": 1})))

    assert time.process_time() - began < 2
    assert [each.wave for each in found] == list(range(500)) and found[0].lamp is Lamp.PASSED
