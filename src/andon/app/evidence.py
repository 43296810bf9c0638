"""Whether the evidence of a run still holds: the ledger's chain and anchors, and the trees its statements name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andon.app.anchoring import repository_anchorage
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.engine.ledger import Break, Record
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore


@dataclass(frozen=True, slots=True)
class Verified:
    records: tuple[Record, ...]
    breaks: tuple[Break, ...]
    anchored: int
    """Up to which record."""
    notes: tuple[str, ...] = ()
    """What could not be looked at, and is no sign of tampering."""
    signed_by: str = ""
    """The other machine that signed it: this one does not know its key, so it can neither say that it holds nor not."""

    @property
    def holds(self) -> bool:
        return bool(self.records) and not self.breaks and not self.signed_by


def verify(store: Store, run: RunRow) -> Verified:
    """Signatures, chain, kept outputs, anchors and trees of a run."""
    records = tuple(store.ledger.records(run.id))
    if host := store.elsewhere(run):
        return Verified(records, tuple(store.ledger.verify_order(run.id)), 0, signed_by=host)
    breaks = store.ledger.verify(run.id, repository_anchorage(run))
    anchored = store.ledger.anchored(run.id)
    notes = [*_unanchored(records, anchored)] if not breaks else []
    git = git_store(store, run)
    if git is None:
        notes.append(f"The trees were not looked at: there is no repository at {run.repository} any more.")
    else:
        breaks += _missing_trees(git, records)
    return Verified(records, tuple(breaks), anchored, tuple(notes))


def git_store(store: Store, run: RunRow) -> GitStore | None:
    """andon's own objects of the run's repository; None when the person moved that away, which they borrow from."""
    try:
        return GitStore.open(store.home.repositories, Repository.open(Path(run.repository)))
    except UserError:
        return None


def tree_of(record: Record) -> str:
    """As the statement names it; nothing where it cannot be read, which is a break of its own."""
    try:
        return str(record.statement["subject"][0]["digest"]["gitTree"])
    except (UserError, LookupError, TypeError):
        return ""


@dataclass(frozen=True, slots=True)
class Kept:
    """One record for people. Somebody may have changed it: that is then what is told."""

    seq: int
    digest: str
    goal: str = ""
    verdict: str = ""
    tree: str = ""
    output: str = ""
    """What was printed, by its digest."""
    at_base: bool = False
    told: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """All that a measurement says; nothing for an acceptance."""


def kept(store: Store, run: str) -> list[Kept]:
    """What was measured and accepted in a run, the oldest first."""
    return [_kept(record) for record in store.ledger.records(run)]


def _kept(record: Record) -> Kept:
    try:
        told = record.predicate
        goal = str(told.get("goal") or told.get("finding") or "")
        verdict = str(told.get("verdict") or ("accepted" if not record.measurement else ""))
        output, measured = str(told.get("output") or ""), told if record.measurement else {}
        return Kept(record.seq, record.digest, goal, verdict, tree_of(record), output, record.at_base, measured)
    except (UserError, LookupError, TypeError):
        return Kept(record.seq, record.digest, verdict="unreadable")


def _unanchored(records: tuple[Record, ...], anchored: int) -> list[str]:
    if not records or anchored == len(records):
        return []
    if not anchored and "anchor" not in records[-1].predicate:
        return ["It is not anchored: andon kept no anchors when it was measured, so a removed end would not show."]
    return [f"Record {len(records)} is not anchored yet: andon was ended just after it wrote it."]


def _missing_trees(git: GitStore, records: tuple[Record, ...]) -> list[Break]:
    trees = {tree: None for record in records if (tree := tree_of(record))}
    if all(map(str.isalnum, trees)) and _complete(git, *trees):
        return []
    missing = {tree for tree in trees if not (tree.isalnum() and _complete(git, tree))}
    return [
        Break(position, f"tree {tree_of(record)[:12]} is not whole in andon's store")
        for position, record in enumerate(records, start=1)
        if tree_of(record) in missing
    ]


def _complete(git: GitStore, *trees: str) -> bool:
    """Whether they are there with everything below them."""
    named = "".join(f"{tree}^{{tree}}\n" for tree in trees).encode()
    return git.git().attempt("rev-list", "--objects", "--quiet", "--stdin", stdin=named).code == 0
