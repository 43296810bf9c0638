"""Questions about runs that need no engine: what there is, how it stands, what was said, what was measured."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from andon.app.home import Home
from andon.app.legs import refuse_unreadable, team
from andon.app.standing import standing_of
from andon.app.statefile import status_of
from andon.app.store import Store
from andon.domain.assignment import TeamRecord
from andon.domain.auto.standing import Standing
from andon.domain.errors import UserError
from andon.domain.journal import KINDS, Entry
from andon.domain.line import Lamp
from andon.domain.money import Use, used, used_by_phase, used_by_role
from andon.domain.run import TEAM, VERIFY, RunRow, Status
from andon.domain.teams.team import team_from
from andon.domain.todos import Todo, units
from andon.domain.unreadable import Sifted, read
from andon.engine.holds import Hold
from andon.engine.ledger import Record

POLL_SECONDS = 0.2
UNIT_STATES = {Lamp.PASSED: "done", Lamp.RUNNING: "at work", Lamp.FAILED: "failed", Lamp.NONE: "cut short"}
"""All others are to do."""


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as screens show it."""

    row: RunRow
    status: Status
    worktree: Path
    open_holds: tuple[Hold, ...] = ()
    team: tuple[TeamRecord, ...] = ()
    """Order by order; empty in lists that need no use."""
    iteration: int = 0
    """Of the impl-manager, as the status file has it."""
    standing: Standing | None = None
    """None while somebody executes it, and in lists."""
    units: tuple[Todo, ...] = ()
    """Of a team."""
    elsewhere: str = ""
    """The host of the other machine that it belongs to, if so: it can be looked at here, and not be gone on with."""

    @property
    def total(self) -> Use:
        return used("total", self.team)

    @property
    def prices_dated(self) -> str:
        """As of when the prices are from which money was reckoned."""
        return str(self.row.spec.get("prices", {}).get("dated", ""))

    def as_json(self) -> dict[str, Any]:
        row = asdict(self.row)
        row.pop("spec")
        return row | {
            "status": str(self.status),
            "worktree": str(self.worktree),
            "tokens": self.total.usage.tokens,
            "money": self.total.usage.money,
            "use": {
                "total": self.total.as_json(),
                "roles": [each.as_json() for each in used_by_role(self.team)],
                "phases": [each.as_json() for each in used_by_phase(self.team)],
                "prices_dated": self.prices_dated,
            },
            "iteration": self.iteration,
            "questions": [{"id": hold.id, "text": hold.question.text} for hold in self.open_holds],
            **({"machine": self.elsewhere} if self.elsewhere else {}),
            **({"units": [_unit_json(each) for each in self.units]} if self.units else {}),
            **(self.standing.as_json() if self.standing else {}),
        }


def _unit_json(unit: Todo) -> dict[str, Any]:
    return {"number": unit.number, "title": unit.title, "member": unit.by, "state": UNIT_STATES.get(unit.lamp, "to do")}


def open_store(environment: Mapping[str, str]) -> Store:
    return Store.open(Home.of(environment), environment)


def find_run(store: Store, prefix: str, repository: Path | None = None, pipeline: str = "") -> RunRow:
    """By the beginning of its id; else the one whose files the person stands in, or the newest of the repository (and
    of the pipeline)."""
    if not prefix and repository is not None and store.home.runs in repository.parents:
        prefix = repository.relative_to(store.home.runs).parts[0]
    found = store.runs.find(prefix, str(repository) if repository else None, pipeline=pipeline)
    if found.pipeline == VERIFY:
        raise UserError(f"{found.id} is a verification, not a run", f"`andon evidence list {found.id}` shows it.")
    return found


def find_evidence(store: Store, prefix: str, repository: Path | None = None) -> RunRow:
    """A run or a verification: whatever was measured."""
    return store.runs.find(prefix, str(repository) if repository else None, verifications=True)


def find_hold(store: Store, id: str) -> Hold | None:
    return store.holds.get(id)


def open_questions(store: Store) -> Sifted[Hold]:
    """Questions that a run still waits for. One of a leg that was stopped is nobody's any more."""
    every = store.holds.all_open()
    asked = [hold for hold in every if _waits_for(store, store.runs.get(hold.run), hold)]
    return Sifted([*asked, *every.unreadable])


def _waits_for(store: Store, run: RunRow, hold: Hold) -> bool:
    leg = hold.id.removeprefix(f"{run.id}/").partition(".")[0]
    return hold.open and leg == str(run.leg) and not store.status(run).ended


def open_holds(store: Store, run: RunRow) -> tuple[Hold, ...]:
    """What this run waits for a person to say."""
    return tuple(hold for hold in store.holds.of_run(run.id) if _waits_for(store, run, hold))


def view(store: Store, run: RunRow) -> RunView:
    refuse_unreadable(run)
    holds = open_holds(store, run)
    iteration = _iteration(run)
    status = store.status(run)
    elsewhere = store.elsewhere(run)
    stands = None if elsewhere or status in (Status.RUNNING, Status.WAITING) else standing_of(store, run)
    entries = store.journal.entries(run.id)
    works = units(team_from(run.spec["request"]["options"]["team"]), entries) if run.pipeline == TEAM else ()
    return RunView(run, status, worktree_of(store.home, run), holds, team(entries), iteration, stands, works, elsewhere)


def _number(found: object) -> int:
    """A person may have edited the file: whatever is no number counts as none."""
    return found if isinstance(found, int) else 0


def list_runs(store: Store, limit: int, repository: Path | None, *, whole: bool = False) -> list[RunView]:
    """`whole`: with what each used, asks and is at, for which its journal is read."""
    rows = store.runs.newest(limit, str(repository) if repository else None)
    return [_listed(store, row, whole and not row.problem) for row in rows]


def _listed(store: Store, row: RunRow, whole: bool) -> RunView:
    seen = RunView(row, store.status(row), worktree_of(store.home, row), elsewhere=store.elsewhere(row))
    if not whole:
        return seen

    def with_use() -> RunView:
        used = team(store.journal.entries(row.id))
        return replace(seen, team=used, iteration=_iteration(row), open_holds=open_holds(store, row))

    found = read(row.id, with_use)
    return found if isinstance(found, RunView) else seen


def _iteration(run: RunRow) -> int:
    return _number(status_of(run).get("implManagerIteration"))


def refuse_unknown_kinds(kinds: Iterable[str]) -> None:
    """A misspelt kind finds nothing, which is no answer."""
    for kind in kinds:
        if kind not in KINDS:
            near = get_close_matches(kind, KINDS, n=3)
            meant = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(sorted(KINDS))}."
            raise UserError(f"No entry of a journal is of the kind {kind}", meant)


def worktree_of(home: Home, run: RunRow) -> Path:
    told = None if run.problem else run.spec.get("worktree")
    return Path(told or home.run(run.id) / "worktree")


def follow(store: Store, run: str) -> Generator[Entry]:
    """Entries as they are written, until the run has ended or nobody executes it any more."""
    seen = 0
    while True:
        # Asked before the entries are read: what is written in between is then still shown.
        over = store.status(store.runs.get(run)) not in (Status.RUNNING, Status.WAITING)
        for entry in store.journal.entries(run, after=seen):
            seen = entry.seq
            yield entry
        if over:
            return
        time.sleep(POLL_SECONDS)


def evidence(store: Store, run: str) -> list[Record]:
    return store.ledger.records(run)
