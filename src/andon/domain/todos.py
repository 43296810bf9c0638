"""The TODOs of a UAM run and the units of a team as a graph: which comes after which, and how each stands. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andon.domain.journal import Entry
from andon.domain.line import Lamp
from andon.domain.teams.team import Team
from andon.domain.uam.plan import DONE, FAILED

_WORKER = re.compile(r"worker-(\d+)(?:-r\d+)?")
BOXES: Mapping[str, Lamp] = {DONE: Lamp.PASSED, FAILED: Lamp.FAILED}


@dataclass(slots=True)
class Todo:
    number: int
    title: str
    after: tuple[int, ...] = ()
    lamp: Lamp = Lamp.TODO
    workers: int = 0
    """How many have worked on it."""
    wave: int = 0
    """0 for those that wait for none of the others."""
    by: str = ""
    """Of a team's unit: the member whose it is."""

    @property
    def name(self) -> str:
        return self.by or f"TODO-{self.number}"

    @property
    def words(self) -> str:
        """What its entries in the journal can be found by."""
        return self.by or f"worker-{self.number}"


def todos(entries: Sequence[Entry]) -> tuple[Todo, ...]:
    """As the plan has them that was approved last, wave by wave."""
    found: dict[int, Todo] = {}
    for entry in entries:
        _take(found, entry.kind, entry.data)
    return tuple(sorted(_in_waves(found), key=lambda todo: (todo.wave, todo.number)))


def _take(found: dict[int, Todo], kind: str, data: Mapping[str, Any]) -> None:
    if kind == "plan_approved" and "graph" in data:
        before = dict(found)
        found.clear()
        for row in data["graph"]:
            todo = Todo(int(row["number"]), str(row["title"]), tuple(row["after"]), BOXES.get(row["box"], Lamp.TODO))
            known = before.get(todo.number)
            todo.workers = known.workers if known and known.title == todo.title else 0
            found[todo.number] = todo
    elif kind == "todo_added":
        number = int(data["number"])
        found[number] = Todo(number, str(data["title"]), tuple(data.get("after", ())))
    elif kind == "todo" and (todo := found.get(int(data["number"]))):
        todo.lamp = BOXES.get(str(data["box"]), Lamp.TODO)
    elif kind == "run_ended":
        for todo in found.values():
            todo.lamp = Lamp.NONE if todo.lamp in (Lamp.RUNNING, Lamp.REPLIED) else todo.lamp
    elif todo := _worked_on(found, data):
        _work(todo, kind, data)


def _worked_on(found: dict[int, Todo], data: Mapping[str, Any]) -> Todo | None:
    worker = _WORKER.fullmatch(str(data.get("name", "")))
    return found.get(int(worker[1])) if worker else None


def _work(todo: Todo, kind: str, data: Mapping[str, Any]) -> None:
    if kind == "spawn":
        todo.lamp, todo.workers = Lamp.RUNNING, todo.workers + 1
    elif kind == "result" and todo.lamp is Lamp.RUNNING:
        todo.lamp = Lamp.REPLIED if data.get("outcome") == "done" else Lamp.NONE


UNITS: Mapping[str, Lamp] = {"begun": Lamp.RUNNING, "done": Lamp.PASSED, "failed": Lamp.FAILED}


def units(team: Team, entries: Sequence[Entry]) -> tuple[Todo, ...]:
    """The units of a team's run."""
    numbers = {work.id: number for number, work in enumerate(team.works, start=1)}
    found = dict[int, Todo]()
    for work in team.works:
        after = tuple(numbers[id] for id in work.after if id in numbers)
        found[numbers[work.id]] = Todo(numbers[work.id], work.title, after, by=work.member)
    for entry in entries:
        if entry.kind == "unit" and (number := numbers.get(str(entry.data.get("id")))):
            found[number].lamp = UNITS.get(str(entry.data.get("state")), Lamp.TODO)
            found[number].workers = int(entry.data.get("iterations") or found[number].workers)
        elif entry.kind == "run_ended":
            for todo in found.values():
                todo.lamp = Lamp.NONE if todo.lamp is Lamp.RUNNING else todo.lamp
    return tuple(sorted(_in_waves(found), key=lambda todo: (todo.wave, todo.number)))


def _in_waves(found: Mapping[int, Todo]) -> list[Todo]:
    """One of a circle, which no approved plan has, stands where it was found first."""
    for _ in found:
        waves = [todo.wave for todo in found.values()]
        for todo in found.values():
            before = [found[number].wave + 1 for number in todo.after if number in found and number != todo.number]
            todo.wave = min(max(before, default=0), len(found))
        if waves == [todo.wave for todo in found.values()]:
            break
    return list(found.values())
