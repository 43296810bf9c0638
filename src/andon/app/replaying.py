"""Measures again what a run's evidence says was measured: same tree, same commands, same environment, clean copies.

Verdict, exit code and failure signatures are compared; times and wording differ from one run of a test to the next.
Nothing is written to the ledger.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from andon.app.evidence import git_store, tree_of
from andon.app.interrupting import finish
from andon.app.sandboxes import needed_sandbox
from andon.app.store import Store
from andon.app.wiring import Wiring
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.goal import Goal
from andon.domain.run import RunRow
from andon.domain.verdict import CheckResult
from andon.domain.verification import VERIFICATION
from andon.engine.ledger import Record
from andon.ports import Checker, Prepared
from andon.workspace.disposable import disposable_git
from andon.workspace.removal import remove_tree
from andon.workspace.store import Store as GitStore
from andon.workspace.worktree import checkout

T = TypeVar("T")
SECONDS = 1800.0
"""As long as a check may take in a run."""
SHOWN = 3


class Outcome(StrEnum):
    SAME = "same"
    DIFFERENT = "different"
    NOT_REPLAYED = "not replayed"


@dataclass(frozen=True, slots=True)
class Replayed:
    seq: int
    what: str
    """The goal, or the finding a person accepted."""
    outcome: Outcome
    reason: str = ""
    notes: tuple[str, ...] = ()
    """What was not as it was then, besides the result."""


Tell = Callable[[str], None]


def replay(store: Store, run: RunRow, numbers: Sequence[int], tell: Tell) -> Generator[Replayed]:
    """Each record of the run, or those with these numbers, as soon as it has been measured again."""
    records = _chosen(run, store.ledger.records(run.id), numbers)
    git = git_store(store, run)
    if git is None:
        gone = f"there is no repository at {run.repository} any more"
        yield from (_not(record, _why_not(record) or gone) for record in records)
        return
    checker = Wiring(store).checker(run, needed_sandbox(store.home, bool(run.spec["trust_host"])))
    with _scratch(store, run, checker) as folder:
        copies = _Copies(git, str(run.spec["base"]), checker, folder)
        for position, record in enumerate(records, start=1):
            why_not = _why_not(record)
            if why_not:
                yield _not(record, why_not)
                continue
            tell(f"Record {record.seq}: {record.predicate['goal']} ({position} of {len(records)})")
            yield _replayed(copies, record)


def _chosen(run: RunRow, records: list[Record], numbers: Sequence[int]) -> list[Record]:
    unknown = sorted(set(numbers) - {record.seq for record in records})
    if unknown:
        raise UserError(f"Run {run.id} has no evidence {unknown[0]}", f"`andon evidence list {run.id}` lists it.")
    return [record for record in records if not numbers or record.seq in numbers]


def _why_not(record: Record) -> str:
    """Nothing where there is something to run again."""
    told = record.predicate
    if not record.measurement:
        return "a person accepted it; nothing was run"
    if told.get("commands") and told["measured"]:
        return ""
    if told.get("commands"):
        return f"it was not measured then either: {told['reason']}"
    if told["command"]:
        return "a comparison of two measurements, which are records of their own"
    if told["goal"] == VERIFICATION:
        return "the verdict over other records"
    return f"settled without running anything: {told['reason']}"


def _not(record: Record, reason: str, notes: tuple[str, ...] = ()) -> Replayed:
    told = record.predicate
    what = str(told["goal"] if record.measurement else told["finding"])
    return Replayed(record.seq, what, Outcome.NOT_REPLAYED, reason, notes)


def _replayed(copies: _Copies, record: Record) -> Replayed:
    told = record.predicate
    try:
        prepared = copies.prepared_for(record)
        if prepared.problem:
            return _not(record, f"its environment could not be prepared: {prepared.problem}")
        result = copies.measured(record, prepared)
    except (EnvironmentProblem, OSError) as problem:
        return _not(record, str(problem))
    notes = tuple(_circumstances(told, result, prepared))
    if result.environment_error:
        return _not(record, result.reason, notes)
    found = "; ".join(_differences(told, result))
    return Replayed(record.seq, told["goal"], Outcome.DIFFERENT if found else Outcome.SAME, found, notes)


def _differences(told: dict[str, Any], result: CheckResult) -> Generator[str]:
    if told["verdict"] != str(result.verdict):
        yield f"verdict {told['verdict']} then, {result.verdict} now{f' ({result.reason})' if result.reason else ''}"
    if told["exitCode"] != result.exit_code:
        yield f"exit code {told['exitCode']} then, {result.exit_code} now"
    then, now = set(map(str, told["signatures"])), set(result.signatures)
    for word, names in (("no longer fails", sorted(then - now)), ("fails now", sorted(now - then))):
        if names:
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            yield f"{word}: {', '.join(names[:SHOWN])}{more}"


def _circumstances(told: dict[str, Any], result: CheckResult, prepared: Prepared) -> Generator[str]:
    if prepared.digest != told["environment"]:
        then, now = str(told["environment"])[:12] or "none", prepared.digest[:12] or "none"
        yield f"in another environment: {then} then, {now} now"
    if result.sandbox and result.sandbox != told["sandbox"]:
        yield f"in another sandbox: {told['sandbox'] or 'none'} then, {result.sandbox} now"


@dataclass(frozen=True, slots=True)
class _Copies:
    git: GitStore
    base: str
    """The commit the run began with."""
    checker: Checker
    folder: Path
    _prepared: dict[str, Prepared] = field(default_factory=dict[str, Prepared])
    """By tree."""

    def prepared_for(self, record: Record) -> Prepared:
        """The environment the record names: what its own tree asks for, or what the base did. Where neither gives that
        one any more, that of its own tree."""
        own, wanted = tree_of(record), record.predicate["environment"]
        first = self._prepare(own)
        if first.digest == wanted:
            return first
        second = self._prepare(self.git.tree_of(self.base))
        return second if second.digest == wanted else first

    def _prepare(self, tree: str) -> Prepared:
        if tree not in self._prepared:
            scratch = self.folder / f"environment-{len(self._prepared)}"
            (scratch / "work").mkdir(parents=True)
            checkout(self.git, tree, scratch / "tree")
            preparing = self.checker.prepare(scratch / "tree", scratch / "work")
            self._prepared[tree] = self._finish(preparing, scratch / "work")
        return self._prepared[tree]

    def measured(self, record: Record, prepared: Prepared) -> CheckResult:
        told, tree = record.predicate, tree_of(record)
        goal = Goal(told["goal"], tuple(map(tuple, told["commands"])), pattern=str(told.get("pattern", "")))
        scratch = self.folder / str(record.seq)
        (scratch / "work").mkdir(parents=True)
        checkout(self.git, tree, scratch / "tree")
        disposable_git(self.git, self.base, scratch / "git")
        measuring = self.checker.measure(
            goal, tree, scratch / "tree", scratch / "work", prepared, scratch / "git", SECONDS
        )
        result, _ = self._finish(measuring, scratch / "work")
        remove_tree(scratch)
        return result

    def _finish(self, work: Coroutine[Any, Any, T], scratch: Path) -> T:
        return finish(work, lambda: self.checker.cancel(scratch))


@contextmanager
def _scratch(store: Store, run: RunRow, checker: Checker) -> Generator[Path]:
    """In the run's own folder, where `andon close` finds what a kill leaves."""
    folder = store.home.run(run.id) / "replays" / uuid.uuid4().hex[:12]
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        for work in folder.glob("*/work"):
            asyncio.run(checker.cancel(work))
        remove_tree(folder)
        with suppress(OSError):
            folder.parent.rmdir()
