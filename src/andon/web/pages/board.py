"""The board: what needs a person first, then every task and run by its state."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from andon.app.overview import Overview
from andon.app.wishing import Wish
from andon.domain.line import Lamp
from andon.domain.run import TASK, Status
from andon.domain.tasks.protocol import SECRET
from andon.domain.tasks.states import TaskState
from andon.domain.unreadable import Unreadable, sift
from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import Site
from andon.web.words import Say

GROUPS = (TaskState.IN_PROGRESS, TaskState.REVIEW, TaskState.FAILED, TaskState.PENDING, TaskState.DRAFT)
MORE_GROUPS = (TaskState.PAUSED, TaskState.COMPLETED, TaskState.CANCELLED)
FOLDED = 30
"""Of what is done so many are shown; the rest is under Runs."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing that a person has to look at."""

    kind: str
    """question, review, stopped, secret."""
    overview: Overview
    text: str
    since: float
    deadline: float | None = None
    hold: str = ""
    options: tuple[str, ...] = ()
    default: str = ""
    href: str = ""

    @property
    def rank(self) -> tuple[float, int, float]:
        """Time left, then severity, then age."""
        severity = {"question": 0, "secret": 0, "review": 1, "stopped": 2}[self.kind]
        return (self.deadline if self.deadline is not None else float("inf"), severity, self.since)


def board(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    everything = site.all()
    wanted, words = query.get("state", ""), query.get("q", "").casefold().strip()
    shown = site.matching(words) if words else everything
    groups = {state: [each for each in shown if state_of(each) is state] for state in (*GROUPS, *MORE_GROUPS)}
    kept = site.store.wishes.waiting()
    wishes = [each for each in kept if not words or words in each.text.casefold()]
    drafts: dict[TaskState, list[Wish | Unreadable]]
    drafts = {TaskState.DRAFT: [*kept.unreadable, *(each for each in wishes if each.state == "draft")]}
    drafts[TaskState.PENDING] = [each for each in wishes if each.state != "draft"]
    counts = {state: len(each) + len(drafts.get(state, ())) for state, each in groups.items()}
    values = {
        "asks": asks(everything),
        "drafts": drafts,
        "groups": [(state, groups[state]) for state, n in counts.items() if n and (not wanted or state == wanted)],
        "counts": {state: n for state, n in counts.items() if n},
        "older": 0 if words else site.store.runs.count() - len(everything),
        "total": len(shown) + len(kept.unreadable) + len(wishes),
        "empty": not everything and not kept and not kept.unreadable,
        "wanted": wanted,
        "words": query.get("q", ""),
        "columns": query.get("view") == "columns",
        "folded": FOLDED,
        "repositories": sorted({Path(each.run.repository).name for each in everything}),
        "kind_of": kind_of,
        "phase_text": phase_text,
    }
    return View(
        "board.html", reader.say("Board"), "board", values, {"asks": "parts/asks.html", "tasks": "parts/tasks.html"}
    )


def state_of(overview: Overview) -> TaskState:
    if overview.review is not None:
        return TaskState.REVIEW
    if overview.problem and overview.status in (Status.RUNNING, Status.WAITING):
        return TaskState.FAILED
    return {
        Status.DONE: TaskState.COMPLETED,
        Status.FAILED: TaskState.FAILED,
        Status.NEEDS_PERSON: TaskState.FAILED,
        Status.INTERRUPTED: TaskState.FAILED,
        Status.STOPPED: TaskState.PAUSED,
        Status.CLOSED: TaskState.CANCELLED,
    }.get(overview.status, TaskState.IN_PROGRESS)


def kind_of(overview: Overview, say: Say) -> str:
    """auto · STANDARD, or what kind of task it is."""
    run = overview.run
    name = say(f"type {overview.type.value}") if overview.type else run.pipeline
    return " · ".join(filter(None, (name, run.mode if run.pipeline != TASK else "")))


def phase_text(overview: Overview) -> str:
    station = overview.station
    if station is None:
        return overview.stations[-1].name if overview.lamp is Lamp.PASSED and overview.stations else ""
    return station.name


def asks(everything: Sequence[Overview]) -> list[Ask]:
    found = sift(everything, lambda each: each.run.id, lambda each: list(_asks(each)))
    return sorted((ask for asked in found for ask in asked), key=lambda ask: ask.rank)


def _asks(each: Overview) -> Iterator[Ask]:
    if review := each.review:
        told = f"v{each.review_number}"
        yield Ask("review", each, told, review.opened_at.timestamp(), href=f"/reviews/{review.id}")
    for hold in each.holds:
        question = hold.question
        if question.category != "review":
            kind = "secret" if question.category == SECRET else "question"
            yield Ask(
                kind,
                each,
                question.text,
                hold.opened_at,
                hold.deadline,
                hold.id,
                tuple(question.options),
                question.default or "",
                f"/runs/{each.run.id}",
            )
    if each.status in (Status.NEEDS_PERSON, Status.FAILED, Status.INTERRUPTED) and _recent(each):
        cause = each.problem or (each.standing.cause if each.standing else each.run.reason)
        yield Ask("stopped", each, cause, each.updated_at, href=f"/runs/{each.run.id}")


def _recent(overview: Overview) -> bool:
    return time.time() - overview.updated_at < 7 * 86400
