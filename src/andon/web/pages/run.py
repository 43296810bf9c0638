"""A run: its line, the open question, why it stopped, its agents and checks, its budget, its journal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon.app.overview import Check, Overview
from andon.domain.journal import Entry
from andon.domain.line import Lamp, first_sentence
from andon.web.dag import graph
from andon.web.page import Query, View
from andon.web.pages.board import kind_of, phase_text
from andon.web.rendering import Reader
from andon.web.site import Site

PAGE = 200
PARTS = ("head", "line", "hold", "why", "orders", "checks", "agents", "budget", "place")
"""Of the page: sent again when they change."""
FILTERS: Mapping[str, tuple[str, ...]] = {
    "agents": ("spawn", "message", "result", "task_update", "verdict", "diagnosis", "iteration"),
    "checks": ("check", "check_at_base", "verification", "gate", "phase_verified", "environment_prepared"),
    "holds": ("hold_opened", "hold_kept", "hold_answered", "review_decided", "directed", "accepted"),
    "git": ("branched", "merged", "committed", "part_committed", "file_written", "taken_over"),
    "budget": ("budget_warning", "forecast", "rate_limited"),
    "problems": ("warning", "bug", "violation", "scope_refused", "claim_refused", "reply_misread", "teammate_failed"),
}
LAMPS: Mapping[str, Lamp] = {
    "spawn": Lamp.RUNNING,
    "result": Lamp.REPLIED,
    "hold_opened": Lamp.WAITING,
    "warning": Lamp.NONE,
    "claim_refused": Lamp.FAILED,
    "teammate_failed": Lamp.FAILED,
    "scope_refused": Lamp.FAILED,
    "bug": Lamp.FAILED,
}
VERDICTS: Mapping[str, Lamp] = {"passed": Lamp.PASSED, "failed": Lamp.FAILED, "not_measured": Lamp.NONE}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the journal."""

    seq: int
    at: float
    kind: str
    source: str
    text: str
    lamp: str


def run(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    found = site.overview(path["id"])
    trees = list(dict.fromkeys(check.tree for check in found.checks))
    tree = query.get("tree", "")
    chosen = tree if tree in trees else (trees[-1] if trees else "")
    phase = query.get("phase", "")
    visited = [station.name for station in found.stations if station.visits]
    phase = phase if phase in visited else (found.run.phase if found.run.phase in visited else (visited or [""])[-1])
    values: dict[str, Any] = {
        "run": found,
        "phase": phase,
        "dag": graph(found.orders.get(phase, ())),
        "repository": Path(found.run.repository).name,
        "kind_of": kind_of,
        "phase_text": phase_text,
        "trees": trees[-6:],
        "tree": chosen,
        "checks": shown_checks(found, chosen),
        "agents": found.agents,
        "share": share(found),
        "rows": rows(site, found, query),
        "kind": query.get("kind", ""),
        "words": query.get("q", ""),
        "filters": tuple(FILTERS),
    }
    parts = {name: f"parts/run-{name}.html" for name in PARTS}
    return View("run.html", found.run.task, "runs", values, parts, frozenset({found.run.id}), found.run.id)


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


def rows(site: Site, found: Overview, query: Query) -> list[Row]:
    before = query.get("before", "")
    entries = site.store.journal.page(
        found.run.id, int(before) if before.isdecimal() and len(before) < 16 else None, PAGE
    )
    return [row for entry in entries if fits(row := row_of(entry), query)]


def fits(row: Row, query: Query) -> bool:
    kinds, words = FILTERS.get(query.get("kind", ""), ()), query.get("q", "").casefold()
    return (not kinds or row.kind in kinds) and (not words or words in f"{row.source} {row.text}".casefold())


def row_of(entry: Entry) -> Row:
    data = entry.data
    measured = entry.kind in ("check", "verification")
    lamp = VERDICTS.get(str(data.get("verdict", ""))) if measured else LAMPS.get(entry.kind)
    source = str(data.get("name") or data.get("goal") or data.get("recipient") or entry.phase or "run")
    return Row(entry.seq, entry.at, entry.kind, source, text_of(entry), lamp or "")


def text_of(entry: Entry) -> str:
    data, kind = entry.data, entry.kind.replace("_", " ")
    if entry.kind == "spawn":
        return f"started · {data.get('role', '')} · {data.get('model', '')}".rstrip(" ·")
    if entry.kind == "check":
        return " · ".join(filter(None, (str(data["verdict"]).replace("_", " "), first_sentence(str(data["reason"])))))
    if entry.kind == "hold_opened":
        return first_sentence(str(data.get("question", "")))
    if entry.kind == "hold_answered":
        return f"{data.get('by', '')}: {first_sentence(str(data.get('answer', '')))}"
    for key in ("text", "message", "content", "reason", "detail", "path", "report"):
        if isinstance(said := data.get(key), str) and said:
            return f"{kind} · {first_sentence(said)}"
    told = {key: value for key, value in data.items() if isinstance(value, (str, int, float)) and key != "name"}
    return f"{kind} · {first_sentence(json.dumps(told, ensure_ascii=False))}" if told else kind


def new_rows(entries: Sequence[Entry], query: Query) -> list[Row]:
    return [row for entry in reversed(entries) if fits(row := row_of(entry), query)]
