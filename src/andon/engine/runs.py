"""The run table: what runs there are and how they stand. The journal is the story; this is its index."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa

from andon.domain.errors import UserError
from andon.domain.run import ANY, GOING, TASK, VERIFY, RunRow, Status, Wanted, spec_problem
from andon.engine import tables
from andon.engine.database import reading

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without the look-alikes i, l, o, 0, 1: ids are read aloud and typed."""
MOMENTS = ("created_at", "updated_at", "ended_at")
"""SQLite keeps in a column whatever somebody wrote by hand."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How a run stands, and when that changed last."""

    id: str
    status: Status
    leg: int
    updated_at: float


def new_run_id() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


class Runs:
    def __init__(self, engine: sa.Engine, owner: Mapping[str, str] | None = None) -> None:
        self._engine = engine
        self._owner = owner
        """The machine that runs which are created here belong to."""

    def create(self, id: str, values: Mapping[str, Any]) -> RunRow:
        now = time.time()
        if self._owner:
            values = {**values, "spec": {**values.get("spec", {}), "machine": dict(self._owner)}}
        row = {"phase": "", "mode": "", "reason": "", "leg": 1, "status": str(Status.RUNNING)}
        row |= {"id": id, "created_at": now, "updated_at": now} | dict(values)
        with self._engine.begin() as connection:
            connection.execute(tables.runs.insert(), row)
        return self.get(id)

    def update(self, id: str, **values: Any) -> None:
        with self._engine.begin() as connection:
            change = tables.runs.update().where(tables.runs.c.id == id).values(updated_at=time.time(), **values)
            connection.execute(change)

    def get(self, id: str) -> RunRow:
        with reading(self._engine) as connection:
            row = connection.execute(sa.select(tables.runs).where(tables.runs.c.id == id)).mappings().first()
        if row is None:
            raise UserError(f"No run {id}", "`andon runs` lists them.")
        return _row(row)

    def find(
        self, prefix: str, repository: str | None = None, *, verifications: bool = False, pipeline: str = ""
    ) -> RunRow:
        """The one run whose id begins with `prefix`; with an empty prefix the newest (of the repository, of the
        pipeline)."""
        table = tables.runs
        prefix = prefix.lower()
        query = sa.select(table).where(table.c.id.startswith(prefix, autoescape=True))
        if repository is not None and not prefix:
            query = query.where(table.c.repository == repository)
        if not prefix and not verifications:
            query = query.where(table.c.pipeline != VERIFY)
        if not prefix and pipeline:
            query = query.where(table.c.pipeline == pipeline)
        query = query.order_by(sa.case((table.c.id == prefix, 0), else_=1), table.c.created_at.desc()).limit(3)
        with reading(self._engine) as connection:
            rows = connection.execute(query).mappings().all()
        if not rows:
            kind, way = ("task", "task create") if pipeline == TASK else ("run", "auto")
            if not prefix:
                raise UserError(f"No {kind}s yet", f'`andon {way} "task"` starts one.')
            listing = "task list" if pipeline == TASK else "runs"
            raise UserError(f"No {kind} {prefix}", f"`andon {listing}` lists them.")
        if prefix and len(rows) > 1 and rows[0]["id"] != prefix:
            raise UserError(f"{prefix} is ambiguous: " + ", ".join(r["id"] for r in rows), "Type more of the id.")
        return _row(rows[0])

    def newest(self, limit: int = 50, repository: str | None = None, pipeline: str = "") -> list[RunRow]:
        """So many, of the repository and of the pipeline if they are named."""
        table = tables.runs
        query = sa.select(table).where(table.c.pipeline != VERIFY).order_by(table.c.created_at.desc()).limit(limit)
        if repository is not None:
            query = query.where(table.c.repository == repository)
        if pipeline:
            query = query.where(table.c.pipeline == pipeline)
        with reading(self._engine) as connection:
            return [_row(row) for row in connection.execute(query).mappings()]

    def page(self, limit: int, before: str = "", words: str = "", wanted: Wanted = ANY) -> list[RunRow]:
        """So many runs, newest first; with `before` those that began earlier than that one. The task has `words`."""
        table = tables.runs
        query = sa.select(table).where(table.c.pipeline != VERIFY)
        if before:
            row = self.get(before)
            same = sa.and_(table.c.created_at == row.created_at, table.c.id < row.id)
            query = query.where(sa.or_(table.c.created_at < row.created_at, same))
        if words:
            query = query.where(sa.func.lower(table.c.task).contains(words.lower(), autoescape=True))
        for column, values in ((table.c.status, wanted.statuses), (table.c.repository, wanted.repositories)):
            query = query.where(column.in_(values)) if values else query
        if wanted.pipeline:
            query = query.where(table.c.pipeline == wanted.pipeline)
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(table.c.created_at.desc(), table.c.id.desc()).limit(limit))
            return [_row(row) for row in rows.mappings()]

    def rows(self, ids: Iterable[str]) -> dict[str, RunRow]:
        table, found = tables.runs, list(ids)
        if not found:
            return {}
        with reading(self._engine) as connection:
            rows = connection.execute(sa.select(table).where(table.c.id.in_(found))).mappings()
            return {row["id"]: _row(row) for row in rows}

    def index(self, limit: int, pipeline: str = "") -> list[Mark]:
        """The newest runs (of the pipeline), and all that have not ended however old they are, without all the rest.
        Newest first."""
        return self._marks(tables.runs.c.created_at, limit, pipeline)

    def changed(self, limit: int) -> list[Mark]:
        """The same of those that changed last: what changes now is among them, however old it is."""
        return self._marks(tables.runs.c.updated_at, limit)

    def _marks(self, column: sa.Column[Any], limit: int, pipeline: str = "") -> list[Mark]:
        table = tables.runs
        kind = table.c.pipeline == pipeline if pipeline else table.c.pipeline != VERIFY
        query = sa.select(table.c.id, table.c.status, table.c.leg, table.c.created_at, table.c.updated_at).where(kind)
        newest = sa.select(table.c.id).where(kind).order_by(column.desc()).limit(limit)
        query = query.where(sa.or_(table.c.id.in_(newest), table.c.status.in_(GOING)))
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(table.c.created_at.desc(), table.c.id.desc()))
            return [Mark(id, _status(status), leg, updated_at) for id, status, leg, _, updated_at in rows]

    def count(self) -> int:
        query = sa.select(sa.func.count()).select_from(tables.runs).where(tables.runs.c.pipeline != VERIFY)
        with reading(self._engine) as connection:
            return connection.execute(query).scalar_one()

    def repositories(self) -> list[str]:
        """Those that have had a run, the one of the newest run first."""
        table = tables.runs
        query = sa.select(table.c.repository).where(table.c.pipeline != VERIFY).group_by(table.c.repository)
        query = query.order_by(sa.func.max(table.c.created_at).desc())
        with reading(self._engine) as connection:
            return list(connection.execute(query).scalars())

    def unfinished(self, repository: str | None = None) -> list[RunRow]:
        """All that have not ended, newest first."""
        table = tables.runs
        query = sa.select(table).where(table.c.pipeline != VERIFY, table.c.status.in_(GOING))
        if repository is not None:
            query = query.where(table.c.repository == repository)
        with reading(self._engine) as connection:
            return [_row(row) for row in connection.execute(query.order_by(table.c.created_at.desc())).mappings()]


class ExecutorLock:
    """Held by the one process that executes a run. Free, while the run says running, means interrupted."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "executor.lock"
        self._descriptor: int | None = None

    def acquire(self, patience: float = 0.0) -> bool:
        """Take the lock. `patience` bridges the instant in which another process only looks whether it is held."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(descriptor)
                    return False
                time.sleep(0.02)
            else:
                self._descriptor = descriptor
                return True

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @property
    def held_by_someone(self) -> bool:
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            # Shared, so that two who only look do not take each other for the one who executes.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False


def _row(row: Mapping[Any, Any]) -> RunRow:
    """Whatever stands there: a row of an older version, or one that was edited by hand, says what is wrong with it."""
    status, spec = _status(row["status"]), row["spec"]
    whole = isinstance(spec, Mapping) and not isinstance(spec, tables.Unreadable)
    values = {name: row[name] for name in RunRow.__dataclass_fields__ if name not in ("status", "spec", "problem")}
    wrong = [name for name in MOMENTS if isinstance(values[name], str)]
    values |= dict.fromkeys(wrong, 0.0)
    made = RunRow(status=status, spec=cast("Mapping[str, Any]", spec) if whole else {}, **values)
    problem = f"its `{wrong[0]}` is no moment" if wrong else _problem(row["status"], spec, made)
    return replace(made, problem=problem)


def _status(text: str) -> Status:
    """One that nobody knows needs a person."""
    return Status(text) if text in list(Status) else Status.NEEDS_PERSON


def _problem(status: str, spec: Any, made: RunRow) -> str:
    if status != made.status:
        return f"its status `{status}` is not known to this version"
    if isinstance(spec, tables.Unreadable):
        return spec.reason
    if not isinstance(spec, Mapping):
        return "it is no JSON object"
    return spec_problem(made.pipeline, made.spec) if made.pipeline != VERIFY else ""
