"""The workspace of a run: a worktree of the person's repository, plus the mirror of state files in their checkout."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from andon.app.home import Home
from andon.domain.auto.artefacts import STATUS_PATH
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.ports import Change
from andon.workspace.comparison import LineCount
from andon.workspace.files import read_contained, remove_contained, write_contained
from andon.workspace.removal import remove_tree
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.worktree import Worktree

STATE_FILES = (STATUS_PATH,)
"""They change at every step: kept out of snapshots and commits."""
CLAUDE = ".claude"
GIT = ".git"


class RunWorkspace:
    """Implements ports.Workspace."""

    def __init__(self, worktree: Worktree, branch: str, checkout: Path, claude: Path | None = None) -> None:
        self._worktree = worktree
        self._branch = branch
        self._checkout = checkout
        self._claude = claude

    @classmethod
    def of(cls, home: Home, row: RunRow) -> RunWorkspace:
        repository = Repository.open(Path(row.repository))
        store = GitStore.open(home.repositories, repository)
        folder = Path(row.spec["worktree"])
        claude = Path(row.spec["claude"]) if row.spec.get("claude") else None
        excluded = (*STATE_FILES, CLAUDE) if claude else STATE_FILES
        made = Worktree.create(store, run=row.id, folder=folder, base=row.spec["base"], excluded=excluded)
        workspace = cls(made, row.branch, repository.root, claude)
        if folder.is_dir():
            workspace._link_claude()
        return workspace

    @classmethod
    def again(cls, home: Home, row: RunRow, tree: str) -> RunWorkspace:
        """The workspace as a person finds it: with what lies in its folder, or with this tree where that is gone."""
        there = Path(row.spec["worktree"]).is_dir()
        workspace = cls.of(home, row)
        if there:
            workspace.take_git_back()
        else:
            workspace.restore(tree)
            workspace._link_claude()
        return workspace

    @property
    def folder(self) -> Path:
        return self._worktree.folder

    @property
    def base(self) -> str:
        return self._worktree.base_tree

    def ensure(self, tree: str) -> None:
        self._worktree.ensure(tree)
        self._link_claude()

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

    def line_counts(self, before: str, after: str) -> list[LineCount]:
        return self._worktree.numstat(before, after)

    def disposable_git(self, folder: Path) -> None:
        self._worktree.disposable_git(folder)

    def lend_git(self, folder: Path) -> None:
        """A disposable git for a person in the worktree itself, its content in `folder`: git status and diff work."""
        self.disposable_git(folder)
        remove_tree(self.folder / GIT)
        (self.folder / GIT).write_text(f"gitdir: {folder}\n")

    def take_git_back(self) -> None:
        """As agents expect it; safe to repeat, also after a kill while it was lent."""
        if (self.folder / GIT).is_file():
            remove_tree(self.folder / GIT)
            (self.folder / GIT).mkdir()

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

    def drop(self, paths: Sequence[str]) -> None:
        for path in paths:
            remove_contained(self.folder, path)

    def mirror(self, path: str, text: str) -> None:
        write_contained(self._checkout, path, text.encode())

    def remove(self) -> None:
        self._worktree.remove()

    def _link_claude(self) -> None:
        """A link in the worktree to the person's own .claude, and a look whether what is there can be seen (A-31)."""
        if self._claude is None:
            return
        link = self.folder / CLAUDE
        with suppress(FileExistsError):
            link.symlink_to(self._claude, target_is_directory=True)
        if not link.is_symlink() or link.readlink() != self._claude or not link.is_dir():
            raise UserError(f"{link} does not lead to {self._claude}", "Move it away, or turn link_claude off.")
