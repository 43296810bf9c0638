"""Where the boxes of a graph of orders stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from andon.domain.line import Lamp
from andon.domain.orders import Column, Node
from andon.domain.todos import Todo

WIDTH, GAP, LINE, PAD = 150, 34, 52, 12
WIDE_GAP = 56
MOST_TODOS = 40
"""Of more, those that are done are folded."""
MOST = 14
"""Columns that are shown; earlier ones are folded."""
LETTERS = 17


@dataclass(frozen=True, slots=True)
class Box:
    node: Node
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
    folded: int


def graph(columns: Sequence[Column]) -> Graph:
    shown = list(columns)[-MOST:]
    tallest = max((len(column.nodes) for column in shown), default=0)
    height = tallest * LINE + 2 * PAD
    boxes, edges = list[Box](), list[Edge]()
    for number, column in enumerate(shown):
        x = PAD + number * (WIDTH + GAP)
        top = (height - len(column.nodes) * LINE) // 2 + 4
        boxes += [_box(node, x, top + row * LINE) for row, node in enumerate(column.nodes)]
        if number:
            before = shown[number - 1]
            kind = "bad" if before.failed else "live" if any(n.lamp == "running" for n in column.nodes) else ""
            edges.append(Edge(f"M{x - GAP + 2} {height // 2}H{x - 2}", kind))
    return Graph(
        tuple(boxes), tuple(edges), PAD * 2 + len(shown) * (WIDTH + GAP) - GAP, height, len(columns) - len(shown)
    )


def todo_graph(todos: Sequence[Todo]) -> Graph:
    """Wave by wave from left to right, with a line from each to what waits for it."""
    shown = [todo for todo in todos if len(todos) <= MOST_TODOS or todo.lamp is not Lamp.PASSED]
    waves = [[todo for todo in shown if todo.wave == wave] for wave in sorted({todo.wave for todo in shown})]
    height = max((len(wave) for wave in waves), default=0) * LINE + 2 * PAD
    places: dict[int, Box] = {}
    for column, wave in enumerate(waves):
        x, top = PAD + column * (WIDTH + WIDE_GAP), (height - len(wave) * LINE) // 2 + 4
        for row, todo in enumerate(wave):
            node = Node(todo.name, todo.lamp, todo.title)
            places[todo.number] = _box(node, x, top + row * LINE)
    edges = [_curve(places[number], places[todo.number]) for todo in shown for number in todo.after if number in places]
    width = PAD * 2 + len(waves) * (WIDTH + WIDE_GAP) - WIDE_GAP
    return Graph(tuple(places.values()), tuple(edges), width, height, len(todos) - len(shown))


def _curve(left: Box, right: Box) -> Edge:
    x, y, to_x, to_y = left.x + WIDTH + 2, left.y + 22, right.x - 2, right.y + 22
    middle = (x + to_x) // 2
    kind = "bad" if left.node.lamp is Lamp.FAILED else "live" if right.node.lamp is Lamp.RUNNING else ""
    return Edge(f"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}", kind)


def _box(node: Node, x: int, y: int) -> Box:
    return Box(node, x, y, _cut(node.name), _cut(node.note))


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"
