"""Where the boxes of a graph stand: columns from left to right, and a line from each box to what comes after it.

One layout for everything that is drawn so: orders of a phase, TODOs of a plan, units of a workflow.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from andon.domain.line import Lamp
from andon.domain.orders import Column, Node
from andon.domain.teams.graph import direct, levels
from andon.domain.teams.units import Unit
from andon.domain.todos import Todo

LINE, PAD = 52, 12
MOST_TODOS = 40
"""Of more, those that are done are folded."""
MOST_COLUMNS = 14
"""Of orders that are shown; earlier ones are folded."""
MOST_UNITS = 150
"""That are drawn; the table has them all."""


@dataclass(frozen=True, slots=True)
class Size:
    width: int = 150
    gap: int = 56
    letters: int = 16


ORDERS, TODOS, UNITS = Size(gap=34), Size(), Size(width=196, letters=24)


@dataclass(frozen=True, slots=True)
class Spot:
    """What a box shows."""

    key: str
    name: str
    note: str
    look: str
    """How it is drawn: a lamp, or `plain`."""
    icon: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    spot: Spot
    x: int
    y: int
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class Edge:
    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Graph:
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    width: int
    height: int
    box_width: int
    folded: int = 0
    """Not shown."""


def laid_out(columns: Sequence[Sequence[Spot]], after: Mapping[str, Sequence[str]], size: Size) -> Graph:
    """`after` says which boxes stand before which; what is not shown has no line."""
    height = max((len(column) for column in columns), default=0) * LINE + 2 * PAD
    boxes = dict[str, Box]()
    for number, column in enumerate(columns):
        x, top = PAD + number * (size.width + size.gap), (height - len(column) * LINE) // 2 + 4
        for row, spot in enumerate(column):
            name, note = _cut(spot.name, size.letters), _cut(spot.note, size.letters)
            boxes[spot.key] = Box(spot, x, top + row * LINE, name, note)
    pairs = [(boxes[before], box) for key, box in boxes.items() for before in after.get(key, ()) if before in boxes]
    width = PAD * 2 + len(columns) * (size.width + size.gap) - size.gap
    edges = tuple(_curve(left, right, size) for left, right in pairs)
    return Graph(tuple(boxes.values()), edges, max(width, PAD), height, size.width)


def _curve(left: Box, right: Box, size: Size) -> Edge:
    x, y, to_x, to_y = left.x + size.width + 2, left.y + 22, right.x - 2, right.y + 22
    middle = (x + to_x) // 2
    kind = "bad" if left.spot.look == Lamp.FAILED else "live" if right.spot.look == Lamp.RUNNING else ""
    return Edge(f"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}", kind)


def _cut(text: str, room: int) -> str:
    """To so many letters of Latin; those of East Asia take the room of two."""
    widths = [2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text]
    if sum(widths) <= room:
        return text
    kept, left = 0, room - 1
    while widths[kept] <= left:
        left -= widths[kept]
        kept += 1
    return text[:kept] + "…"


def order_graph(columns: Sequence[Column]) -> Graph:
    """What was ordered in a phase: one line from column to column, as all of one waits for all of the other."""
    shown = list(columns)[-MOST_COLUMNS:]
    spots = [[_lamp(f"{at}.{row}", node) for row, node in enumerate(column.nodes)] for at, column in enumerate(shown)]
    made = laid_out(spots, {}, ORDERS)
    edges = list[Edge]()
    for number, (before, column) in enumerate(pairwise(shown), start=1):
        x = PAD + number * (ORDERS.width + ORDERS.gap)
        kind = "bad" if before.failed else "live" if any(n.lamp is Lamp.RUNNING for n in column.nodes) else ""
        edges.append(Edge(f"M{x - ORDERS.gap + 2} {made.height // 2}H{x - 2}", kind))
    return replace(made, edges=tuple(edges), folded=len(columns) - len(shown))


def todo_graph(todos: Sequence[Todo], link: Callable[[Todo], str]) -> Graph:
    """Wave by wave, each after those it needs."""
    shown = [todo for todo in todos if len(todos) <= MOST_TODOS or todo.lamp is not Lamp.PASSED]
    spots = {todo.number: _lamp(str(todo.number), Node(todo.name, todo.lamp, todo.title), link(todo)) for todo in shown}
    waves = [[spots[todo.number] for todo in shown if todo.wave == at] for at in sorted({todo.wave for todo in shown})]
    after = {str(todo.number): [str(number) for number in todo.after] for todo in shown}
    return replace(laid_out(waves, after, TODOS), folded=len(todos) - len(shown))


def unit_graph(units: Sequence[Unit]) -> Graph:
    """Units of a workflow, level by level: those of one level can work at the same time."""
    spots = {unit.id: _unit(unit) for unit in units}
    columns, left = list[list[Spot]](), MOST_UNITS
    for level in levels(units):
        if left > 0:
            columns.append([spots[id] for id in level[:left]])
            left -= len(columns[-1])
    shown = sum(map(len, columns))
    return replace(laid_out(columns, direct(units), UNITS), folded=len(units) - shown)


def _lamp(key: str, node: Node, link: str = "") -> Spot:
    return Spot(key, node.name, node.note, node.lamp.value, node.lamp.value, link)


def _unit(unit: Unit) -> Spot:
    icon = "chat" if unit.asks else "doc" if unit.writes else "eye"
    return Spot(unit.id, unit.title, unit.type.value, "plain", icon, f"#unit-{unit.id}")
