"""A run as a screen shows it at a glance: its line, its agents, what was measured, what it waits for.

Made from the whole journal, so it is kept until the run has another entry or another status.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andon.app.evidence import kept
from andon.app.legs import spent as charged
from andon.app.legs import team
from andon.app.queries import worktree_of
from andon.app.standing import standing_of
from andon.app.store import Store
from andon.app.tasks import task_of
from andon.domain.auto.standing import Standing
from andon.domain.budget import Budget, Line, Spent
from andon.domain.errors import UserError
from andon.domain.journal import Entry
from andon.domain.line import NOTHING, Agent, Lamp, Loop, Note, Station, agents, lamp_of, line, loops, stations_of
from andon.domain.money import in_dollars, used
from andon.domain.orders import Column, orders
from andon.domain.run import TASK, TEAM, RunRow, Status
from andon.domain.tasks.criteria import criteria_of
from andon.domain.tasks.inputs import filled
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.reporting import Tally, outcomes, tally
from andon.domain.tasks.reviews import Review, ordinal
from andon.domain.tasks.workflows import workflow_of
from andon.domain.teams.team import team_from
from andon.domain.todos import Todo, todos, units
from andon.domain.unreadable import Sifted, Unreadable, read
from andon.engine.holds import Hold
from andon.engine.runs import Mark

KEPT = 2_000
OVER_BUDGET = "budget"
"""The reason of a run that stopped because its budget is used up."""


@dataclass(frozen=True, slots=True)
class Check:
    """One goal, measured once."""

    seq: int
    at: float
    goal: str
    verdict: str
    reason: str
    command: str
    tree: str
    seconds: float
    sandbox: str
    output: str
    output_digest: str
    signatures: tuple[str, ...]
    tests: dict[str, Any]
    evidence: str
    phase: str


@dataclass(frozen=True, slots=True)
class Overview:
    run: RunRow
    status: Status
    lamp: Lamp
    stations: tuple[Station, ...]
    agents: tuple[Agent, ...]
    checks: tuple[Check, ...]
    """Oldest first."""
    holds: tuple[Hold, ...]
    reviews: tuple[Review, ...]
    spent: Spent
    charged: Spent
    """As its budget counts it, up to its last end."""
    money: str
    """In words, as screens tell it; "" where nobody pays."""
    budget: Budget
    events: int
    updated_at: float
    worktree: Path
    standing: Standing | None = None
    """None while it goes on."""
    type: TaskType | None = None
    progress: float | None = None
    """Of a task, from 0 to 1."""
    now: Note = NOTHING
    loops: tuple[Loop, ...] = ()
    orders: Mapping[str, Sequence[Column]] = field(default_factory=dict[str, Sequence[Column]])
    """Phase by phase."""
    todos: tuple[Todo, ...] = ()
    """Of PLAN.md, in a run of UAM."""
    tally: Tally | None = None
    """Of the review that waits: how many criteria passed, failed, were not measured."""
    problem: str = ""
    """Why it cannot be read; then there is nothing else to be told of it."""
    fields: Sequence[tuple[str, str]] = ()
    """What a person said about a task field by field."""

    @property
    def review(self) -> Review | None:
        if self.status.ended:
            return None  # it is presented again when the run goes on
        return next((each for each in self.reviews if each.awaited(self.run.leg)), None)

    @property
    def review_number(self) -> int:
        """Which version of its phase's work waits, as people count."""
        return ordinal(self.reviews, self.review) if self.review else 0

    @property
    def over(self) -> tuple[Line, ...]:
        """Which lines of its budget stopped it."""
        if self.standing is None or self.standing.reason != OVER_BUDGET:
            return ()
        limited = tuple(line for line in Line if self.budget.on(line) is not None)
        return self.budget.exhausted(self.charged) or limited

    @property
    def station(self) -> Station | None:
        return next((each for each in self.stations if each.current), None)

    @property
    def last_checks(self) -> tuple[Check, ...]:
        """Of every goal of the newest tree the last word."""
        if not self.checks:
            return ()
        tree = self.checks[-1].tree
        return tuple({check.goal: check for check in self.checks if check.tree == tree}.values())


@dataclass(slots=True)
class Overviews:
    """Overviews of many runs, each made again only when something has happened."""

    store: Store
    _kept: dict[str, tuple[tuple[Any, ...], Overview]] = field(default_factory=dict[str, Any])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, run: RunRow) -> Overview:
        return self._of(run, self.store.journal.newest(run.id), groups(self.store.holds.all_open()).get(run.id, ()))

    def many(self, marks: Sequence[Mark]) -> list[Overview]:
        """The same of many, with as many questions to the database as for one, unless something has happened."""
        ids = [mark.id for mark in marks]
        newest = self.store.journal.newest_of(ids)
        open_ones = groups(self.store.holds.all_open())
        with self._lock:
            known = {id: kept[1].run for id in ids if (kept := self._kept.get(id))}
        stale = [mark.id for mark in marks if mark.id not in known or not _same(known[mark.id], mark)]
        rows = known | self.store.runs.rows(stale)
        return [self._of(rows[id], newest.get(id, 0), open_ones.get(id, ())) for id in ids if id in rows]

    def of_rows(self, rows: Sequence[RunRow]) -> list[Overview]:
        newest = self.store.journal.newest_of([row.id for row in rows])
        open_ones = groups(self.store.holds.all_open())
        return [self._of(row, newest.get(row.id, 0), open_ones.get(row.id, ())) for row in rows]

    def _of(self, run: RunRow, newest: int, holds: Sequence[Hold | Unreadable]) -> Overview:
        """Of a run that cannot be read one that says so: it is not kept, for what is in the way may pass."""
        found = read(run.id, lambda: self._known(run, newest, holds))
        return unreadable(self.store, run, newest, found.problem) if isinstance(found, Unreadable) else found

    def _known(self, run: RunRow, newest: int, asked: Sequence[Hold | Unreadable]) -> Overview:
        holds = [hold for hold in asked if isinstance(hold, Hold)]
        if wrong := next((each for each in asked if isinstance(each, Unreadable)), None):
            raise UserError(f"its question {wrong.id}: {wrong.problem}")
        status = self.store.status(run)
        mark = (run.updated_at, run.leg, status, newest, tuple((hold.id, hold.kept_by) for hold in holds))
        with self._lock:
            known = self._kept.get(run.id)
        if known is not None and known[0] == mark:
            return known[1]
        if run.problem:
            raise UserError(run.problem)
        made = overview(self.store, run, status, holds)
        with self._lock:
            if len(self._kept) >= KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[run.id] = (mark, made)
        return made


def _same(run: RunRow, mark: Mark) -> bool:
    return (run.status, run.leg, run.updated_at) == (mark.status, mark.leg, mark.updated_at)


def groups(holds: Sifted[Hold]) -> dict[str, list[Hold | Unreadable]]:
    """By run, which a question's id begins with."""
    found: dict[str, list[Hold | Unreadable]] = {}
    for hold in (*holds, *holds.unreadable):
        found.setdefault(hold.id.partition("/")[0], []).append(hold)
    return found


def unreadable(store: Store, run: RunRow, newest: int, why: str) -> Overview:
    """Of a run that is shown, and no more."""
    status = store.status(run)
    return Overview(
        run=run,
        status=status,
        lamp=lamp_of(status, False),
        stations=(),
        agents=(),
        checks=(),
        holds=(),
        reviews=(),
        spent=Spent(),
        charged=Spent(),
        money="",
        budget=Budget(),
        events=newest,
        updated_at=run.updated_at,
        worktree=store.home.run(run.id) / "worktree",
        problem=why,
    )


def overview(store: Store, run: RunRow, status: Status, holds: Sequence[Hold]) -> Overview:
    entries = store.journal.entries(run.id)
    asked = tuple(hold for hold in holds if hold.id.startswith(f"{run.id}/{run.leg}.") and not status.ended)
    lamp = lamp_of(status, bool(asked))
    type = TaskType(run.spec["request"]["options"]["type"]) if run.pipeline == TASK else None
    names = stations_of(run.pipeline, [phase.name for phase in workflow_of(type).phases] if type else ())
    workers = agents(entries)
    total = used("total", team(entries))
    at_rest = status not in (Status.RUNNING, Status.WAITING)
    return Overview(
        run=run,
        status=status,
        lamp=lamp,
        stations=line(names, entries, lamp),
        agents=tuple(workers),
        checks=tuple(_check(entry) for entry in entries if entry.kind == "check") or _recorded(store, run, type),
        holds=asked,
        reviews=tuple(store.reviews.of_run(run.id)) if type else (),
        spent=Spent(total.usage.tokens, total.usage.money, total.seconds),
        charged=Spent(**charged(entries)),
        money=in_dollars(total.usage),
        budget=Budget(**run.spec["budget"]),
        events=entries[-1].seq if entries else 0,
        updated_at=max(run.updated_at, entries[-1].at if entries else 0.0),
        worktree=worktree_of(store.home, run),
        standing=standing_of(store, run) if at_rest else None,
        type=type,
        fields=filled(type, run.spec["request"]["options"].get("inputs") or {}) if type else (),
        progress=task_of(store, run).progress if type else None,
        now=_now(entries, workers),
        orders={name: orders(entries, name) for name in names},
        todos=_todos(run, entries),
        tally=_tally(store, run, type),
        loops=tuple(loops(run.pipeline, run.mode, run.spec.get("limits") or {}, entries)),
    )


def _todos(run: RunRow, entries: Sequence[Entry]) -> tuple[Todo, ...]:
    if run.pipeline == TEAM:
        return units(team_from(run.spec["request"]["options"]["team"]), entries)
    return todos(entries) if run.pipeline == "uam" else ()


def _tally(store: Store, run: RunRow, type: TaskType | None) -> Tally | None:
    waiting = next((each for each in store.reviews.of_run(run.id) if each.awaited(run.leg)), None) if type else None
    if waiting is None or type is None:
        return None
    return tally(outcomes(criteria_of(type, waiting.phase), store.reviews.verification(waiting.id)))


def _recorded(store: Store, run: RunRow, type: TaskType | None) -> tuple[Check, ...]:
    """A task is verified as a whole: what was measured then stands in its ledger."""
    found = [each for each in kept(store, run.id) if not each.at_base and each.told] if type else []
    return tuple(
        _of({**each.told, "output": "", "output_digest": each.output, "tree": each.tree}, each.seq) for each in found
    )


def _check(entry: Entry) -> Check:
    return _of(entry.data, entry.seq, entry.at, entry.phase)


def _of(data: Mapping[str, Any], seq: int, at: float = 0.0, phase: str = "") -> Check:
    return Check(
        seq=seq,
        at=at,
        goal=str(data.get("goal", "")),
        verdict=str(data.get("verdict", "")),
        reason=str(data.get("reason", "")),
        command=" ".join(str(word) for word in data.get("command") or ()),
        tree=str(data.get("tree", "")),
        seconds=float(data.get("seconds") or 0.0),
        sandbox=str(data.get("sandbox", "")),
        output=str(data.get("output", "")),
        output_digest=str(data.get("output_digest", "")),
        signatures=tuple(str(each) for each in data.get("signatures") or ()),
        tests=dict(data.get("tests") or {}),
        evidence=str(data.get("evidence", data.get("record", ""))),
        phase=phase,
    )


NOW = ("{name} +{count}", "{name}", "{name}: {verdict}")
"""What is told of this moment: several agents, one, or what was measured last."""


def _now(entries: Sequence[Entry], workers: Sequence[Agent]) -> Note:
    """What happens at this moment, in a few words."""
    busy = [agent for agent in workers if agent.lamp is Lamp.RUNNING]
    if len(busy) > 1:
        return Note(NOW[0], {"name": busy[0].name, "count": str(len(busy) - 1)})
    if busy:
        return Note(NOW[1], {"name": busy[0].name})
    last = next((entry.data for entry in reversed(entries) if entry.kind == "check"), None)
    if last is None:
        return NOTHING
    return Note(NOW[2], {"name": str(last.get("goal", "")), "verdict": str(last.get("verdict", ""))})
