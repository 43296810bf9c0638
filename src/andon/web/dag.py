"""Where the boxes of a graph of orders stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from andon.domain.orders import Column, Node

WIDTH, GAP, LINE, PAD = 150, 34, 52, 12
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


def _box(node: Node, x: int, y: int) -> Box:
    return Box(node, x, y, _cut(node.name), _cut(node.note))


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"
