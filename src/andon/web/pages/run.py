"""A run: its line, the open question, why it stopped, its agents and checks, its budget, its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import quote

from andon.app.overview import Check, Overview
from andon.app.team_decisions import decided_in
from andon.domain.budget import Line
from andon.domain.line import Lamp
from andon.domain.run import TEAM
from andon.domain.tasks.protocol import takes_own_words
from andon.web.dag import Graph, order_graph, todo_graph
from andon.web.journal_rows import FILTERS, page_of
from andon.web.page import Query, View
from andon.web.pages.board import kind_of, phase_text
from andon.web.rendering import Reader
from andon.web.site import Site

PARTS = ("head", "line", "hold", "why", "orders", "proposals", "checks", "agents", "budget", "place")
"""Of the page: sent again when they change."""
TODOS = "todos"
"""Not a phase: the graph of PLAN.md."""


@dataclass(frozen=True, slots=True)
class Raise:
    """A line of the budget that is used up, and what would be as much again."""

    line: Line
    used: float
    limit: float
    again: float

    @classmethod
    def of(cls, found: Overview, line: Line) -> Raise:
        used, limit = found.charged.on(line), found.budget.on(line) or 0
        again = max(used, limit) + (limit or used)
        shown = (
            round(again, 2) if line is Line.MONEY and again >= 0.01 else again if line is Line.MONEY else ceil(again)
        )
        return cls(line, used, limit, shown)


def run(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    found = site.overview(path["id"])
    trees = list(dict.fromkeys(check.tree for check in found.checks))
    tree = query.get("tree", "")
    chosen = tree if tree in trees else (trees[-1] if trees else "")
    phase = query.get("phase", "") or (TODOS if found.todos else "")
    visited = [station.name for station in found.stations if station.visits]
    shown = (*visited, TODOS) if found.todos else visited
    phase = phase if phase in shown else (found.run.phase if found.run.phase in visited else (visited or [""])[-1])
    values: dict[str, Any] = {
        "run": found,
        "phase": phase,
        "dag": _graph(found, phase),
        "done": sum(todo.lamp is Lamp.PASSED for todo in found.todos),
        "repository": Path(found.run.repository).name,
        "kind_of": kind_of,
        "phase_text": phase_text,
        "takes_own_words": takes_own_words,
        "trees": trees[-6:],
        "tree": chosen,
        "checks": shown_checks(found, chosen),
        "proposals": decided_in(Path(found.run.repository)) if found.run.pipeline == TEAM else (),
        "agents": found.agents,
        "share": share(found),
        "raises": [Raise.of(found, line) for line in found.over],
        "journal": partial(page_of, site.store, found.run.id, query, reader.say),
        "kind": query.get("kind", ""),
        "words": query.get("q", ""),
        "filters": tuple(FILTERS),
    }
    parts = {name: f"parts/run-{name}.html" for name in PARTS}
    return View("run.html", found.run.task, "runs", values, parts, frozenset({found.run.id}), found.run.id)


def _graph(found: Overview, phase: str) -> Graph:
    if phase != TODOS:
        return order_graph(found.orders.get(phase, ()))
    return todo_graph(found.todos, lambda todo: f"/runs/{found.run.id}?q={quote(todo.words)}#journal")


def shown_checks(found: Overview, tree: str) -> list[Check]:
    """Failed and not measured first; of each goal the last word on that tree."""
    last = {check.goal: check for check in found.checks if check.tree == tree}
    order = {"failed": 0, "not_measured": 1, "passed": 2}
    return sorted(last.values(), key=lambda check: order.get(check.verdict, 3))


def share(found: Overview) -> float | None:
    """How much of the budget is used, of the line that is nearest to its end."""
    budget, spent = found.budget, found.spent
    pairs = ((spent.money, budget.money), (spent.tokens, budget.tokens), (spent.seconds, budget.seconds))
    return max((used / most for used, most in pairs if most), default=None)
