"""What was ordered and measured in a phase, as a graph: columns from left to right, what went on at once on top of each
other. Pure, from the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from andon.domain.journal import Entry
from andon.domain.line import Lamp

MEASURES = "qa-tester"
"""A teammate without a model: what it does are the checks, which have nodes of their own."""
VERDICTS: Mapping[str, Lamp] = {"passed": Lamp.PASSED, "failed": Lamp.FAILED, "not_measured": Lamp.NONE}


@dataclass(slots=True)
class Node:
    name: str
    lamp: Lamp
    note: str = ""


@dataclass(slots=True)
class Column:
    nodes: list[Node] = field(default_factory=list[Node])
    tree: str = ""
    """Of checks: what was measured. Empty for agents."""

    @property
    def measured(self) -> bool:
        return bool(self.tree)

    @property
    def failed(self) -> bool:
        return any(node.lamp is Lamp.FAILED for node in self.nodes)


def orders(entries: Sequence[Entry], phase: str) -> list[Column]:
    """Of the last time the run was in this phase."""
    entered = max((e.seq for e in entries if e.kind == "phase_entered" and e.data.get("name") == phase), default=0)
    columns = list[Column]()
    for entry in entries:
        if entry.seq > entered and entry.phase == phase:
            _take(columns, entry)
    return columns


def _take(columns: list[Column], entry: Entry) -> None:
    data, name = entry.data, str(entry.data.get("name", ""))
    if entry.kind == "spawn" and data.get("role") != MEASURES:
        last = columns[-1] if columns else None
        going = last is not None and not last.measured and any(node.lamp is Lamp.RUNNING for node in last.nodes)
        column = last if going and last is not None else _new(columns)
        column.nodes.append(Node(name, Lamp.RUNNING, str(data.get("role", ""))))
    elif entry.kind == "check" and data.get("verdict") != "not_needed":
        tree = str(data.get("tree", "")) or "?"
        column = columns[-1] if columns and columns[-1].tree == tree else _new(columns, tree)
        goal = str(data.get("goal", ""))
        column.nodes = [node for node in column.nodes if node.name != goal]
        column.nodes.append(Node(goal, VERDICTS.get(str(data.get("verdict")), Lamp.NONE)))
    elif (node := _node(columns, name)) is not None:
        _end(node, entry)


def _end(node: Node, entry: Entry) -> None:
    if entry.kind == "result":
        node.lamp = Lamp.REPLIED if entry.data.get("outcome") == "done" else Lamp.NONE
    elif entry.kind == "teammate_failed":
        node.lamp = Lamp.NONE
    elif entry.kind == "verdict":
        node.note = str(entry.data.get("verdict", ""))
    elif entry.kind == "diagnosis":
        node.note = str(entry.data.get("domain", ""))


def _node(columns: Sequence[Column], name: str) -> Node | None:
    agents = (node for column in reversed(columns) if not column.measured for node in reversed(column.nodes))
    return next((node for node in agents if node.name == name), None)


def _new(columns: list[Column], tree: str = "") -> Column:
    columns.append(Column(tree=tree))
    return columns[-1]
