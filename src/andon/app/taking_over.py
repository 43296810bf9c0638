"""Taking a run over: a person works on its files in a shell of their own, and the journal says what they changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon import processes
from andon.app.legs import LOCK_SECONDS, areas_of, last_tree, next_key, refuse_unless_at_rest
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.workspace import RunWorkspace
from andon.domain.errors import UserError
from andon.domain.run import RunRow, Status
from andon.workspace.removal import remove_tree

LENT_GIT = "take-over-git"


@dataclass(frozen=True, slots=True)
class Touched:
    """One file a person changed."""

    path: str
    kind: str
    """added, modified, deleted or type."""
    added: int | None
    """Lines; None for a binary file."""
    deleted: int | None


def folder_of(store: Store, run: RunRow, area: str = "") -> Path:
    """The folder to work in, made again from the last tree when it is gone. Edits in it count at the next resume."""
    return _workspace(store, _at_rest(store, run), area).folder


def take_over(
    store: Store, run: RunRow, environment: Mapping[str, str], by: str, tell: Callable[[Path], None], area: str = ""
) -> tuple[Touched, ...]:
    """Open the person's shell in the worktree, or that of an area, and wait for its end. Nobody goes on meanwhile."""
    run = _at_rest(store, run)
    lock = store.lock(run.id)
    if not lock.acquire(patience=LOCK_SECONDS):
        raise UserError(f"Run {run.id} is in use by another process", "Try again when that has ended.")
    try:
        workspace = _workspace(store, run, area)
        before = workspace.snapshot(_label(store, run, "before"), run.created_at)
        _work(store, run, workspace, environment, tell)
        after = workspace.snapshot(_label(store, run, "after"), run.created_at)
        return _told(store, run, workspace, before, after, {"by": by, "branch": area} if area else {"by": by})
    finally:
        lock.release()


def _at_rest(store: Store, run: RunRow) -> RunRow:
    """An interrupted run is stopped first: its agents may still be at work, and its step would put the files back."""
    refuse_unless_at_rest(store, run)
    if store.status(run) is Status.INTERRUPTED:
        stop(store, run, lambda entry: None)
    return store.runs.get(run.id)


def _workspace(store: Store, run: RunRow, area: str) -> RunWorkspace:
    areas = areas_of(run)
    if area and area not in areas:
        hint = (
            f"It has these: {', '.join(sorted(areas))}."
            if areas
            else "All its work is in one folder: leave --area out."
        )
        raise UserError(f"Run {run.id} has no area {area!r} with a folder of its own", hint)
    whole = RunWorkspace.again(store.home, run, last_tree(run, store.journal.entries(run.id)))
    return whole.beside_again(area, areas[area]) if area else whole


def _label(store: Store, run: RunRow, moment: str) -> str:
    return f"{next_key(run, store.journal.entries(run.id), 'taken_over')}.{moment}"


def _work(
    store: Store, run: RunRow, workspace: RunWorkspace, environment: Mapping[str, str], tell: Callable[[Path], None]
) -> None:
    lent = store.home.run(run.id) / LENT_GIT
    workspace.lend_git(lent)
    try:
        tell(workspace.folder)
        shell = environment.get("SHELL") or "/bin/sh"
        # Variables that name another repository would lead git away from this one.
        clean = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
        processes.foreground([shell], cwd=workspace.folder, env=clean | {"ANDON_RUN": run.id})
    finally:
        workspace.take_git_back()
        remove_tree(lent)


def _told(
    store: Store, run: RunRow, workspace: RunWorkspace, before: str, after: str, who: Mapping[str, str]
) -> tuple[Touched, ...]:
    lines = {each.path: each for each in workspace.line_counts(before, after)}
    touched = tuple(
        Touched(change.path, change.kind, lines[change.path].added, lines[change.path].deleted)
        for change in workspace.changes(before, after)
    )
    if touched:
        key = next_key(run, store.journal.entries(run.id), "taken_over")
        data: dict[str, Any] = {**who, "paths": [each.path for each in touched], "tree": after}
        store.journal.append(run.id, key, "taken_over", run.phase, data)
    return touched
