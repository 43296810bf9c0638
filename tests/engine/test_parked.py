"""Runs that wait for a person: they cost next to nothing, and a kill of the process they wait in loses none of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PARKED = (Path(__file__).parent / "parked.py").read_text(encoding="utf-8")
COUNT = 100


def told(process: Any) -> dict[str, Any]:
    line = process.stdout.readline()
    assert line, process.stderr.read()
    return json.loads(line)


@pytest.mark.timeout(240)
def test_a_hundred_parked_runs_survive_a_kill_and_are_each_answered(
    database_url: str, tmp_path: Path, programs: Callable[..., Any], open_store: Callable[..., Any]
) -> None:
    # given
    first = programs(PARKED, database_url, tmp_path / "home", COUNT, 3)
    assert told(first)["count"] == COUNT
    cost = told(first)

    # then each costs little: a tenth of what a thread would take, and all together no more than the engine itself
    # (`make bench` measures a thousand of them: at most 64 KB each and 1 % of a core)
    assert cost["kilobytes"] < 512, cost
    assert cost["percent"] < 25, cost
    assert cost["threads"] < 80, cost

    # when the process is killed and another takes its work up
    first.kill()
    first.wait(timeout=20)
    second = programs(PARKED, database_url, tmp_path / "home", COUNT, 1)

    # then all are parked again, at the questions that were open
    assert told(second)["count"] == COUNT
    store = open_store(database_url)
    assert len(store.holds.all_open()) == COUNT
    told(second)

    # and when another process answers each differently, each run goes on with its own answer
    for number in range(COUNT):
        store.holds.answer(f"p{number:04}/1.1", f"answer {number}", "kim")
    assert told(second)["answers"] == {f"p{number:04}": f"answer {number}" for number in range(COUNT)}
    assert second.wait(timeout=30) is not None
    kinds = [entry.kind for entry in store.journal.entries("p0042")]
    assert kinds == ["hold_opened", "hold_answered"]
