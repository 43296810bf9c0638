"""The workspace of a run: a worktree of the person's repository, plus the mirror of state files in their checkout."""

from __future__ import annotations

from pathlib import Path

from andon.app.home import Home
from andon.domain.auto.artefacts import STATUS_PATH
from andon.domain.run import RunRow
from andon.ports import Change
from andon.workspace.files import read_contained, write_contained
from andon.workspace.removal import remove_tree
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.worktree import Worktree

STATE_FILES = (STATUS_PATH,)
"""They change at every step: kept out of snapshots and commits."""


class RunWorkspace:
    """Implements ports.Workspace."""

    def __init__(self, worktree: Worktree, branch: str, checkout: Path) -> None:
        self._worktree = worktree
        self._branch = branch
        self._checkout = checkout

    @classmethod
    def of(cls, home: Home, row: RunRow) -> RunWorkspace:
        repository = Repository.open(Path(row.repository))
        store = GitStore.open(home.repositories, repository)
        folder = Path(row.spec["worktree"])
        made = Worktree.create(store, run=row.id, folder=folder, base=row.spec["base"], excluded=STATE_FILES)
        return cls(made, row.branch, repository.root)

    @property
    def folder(self) -> Path:
        return self._worktree.folder

    @property
    def base(self) -> str:
        return self._worktree.base_tree

    def ensure(self, tree: str) -> None:
        self._worktree.ensure(tree)

    def snapshot(self, label: str, at: float) -> str:
        return self._worktree.snapshot(label, at=at).tree

    def restore(self, tree: str) -> None:
        self._worktree.restore(tree)

    def changes(self, before: str, after: str) -> list[Change]:
        return self._worktree.changes(before, after)

    def diff(self, before: str, after: str) -> str:
        return self._worktree.diff(before, after)

    def clean_copy(self, tree: str, folder: Path) -> None:
        self._worktree.checkout(tree, folder)

    def disposable_git(self, folder: Path) -> None:
        self._worktree.disposable_git(folder)

    def discard(self, folder: Path) -> None:
        remove_tree(folder)

    def publish(self, tree: str, message: str, at: float) -> str:
        return self._worktree.publish(self._branch, tree, message, at=at)

    def read(self, path: str) -> str | None:
        try:
            return read_contained(self.folder, path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None

    def write(self, path: str, text: str) -> None:
        write_contained(self.folder, path, text.encode())

    def mirror(self, path: str, text: str) -> None:
        write_contained(self._checkout, path, text.encode())

    def remove(self) -> None:
        self._worktree.remove()
