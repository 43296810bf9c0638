"""The workspace of a run: a worktree of the person's repository, plus the mirror of state files in their checkout."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from andon.app.home import Home
from andon.domain.artefacts import REMEMBERED, STATE_FILES
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.ports import Branch, Change, Merged
from andon.workspace import merging
from andon.workspace.comparison import LineCount
from andon.workspace.files import append_contained, read_contained, remove_contained, write_contained
from andon.workspace.removal import remove_tree
from andon.workspace.repository import Repository
from andon.workspace.store import Record
from andon.workspace.store import Store as GitStore
from andon.workspace.trees import StoredTrees
from andon.workspace.worktree import Worktree

CLAUDE = ".claude"
MAIN = "main"
"""The run's own worktree; parallel workers have theirs beside it."""
GIT = ".git"


class RunWorkspace(StoredTrees):
    """Implements ports.Workspace."""

    def __init__(
        self, git: GitStore, plan: Record, branch: str, claude: Path | None = None, *, traceless: bool = False
    ) -> None:
        super().__init__(git, plan.base)
        self._git = git
        self._plan = plan
        self._branch = branch
        self._claude = claude
        self._traceless = traceless

    @classmethod
    def of(cls, home: Home, row: RunRow) -> RunWorkspace:
        git = GitStore.open(home.repositories, Repository.open(Path(row.repository)))
        claude = Path(row.spec["claude"]) if row.spec.get("claude") else None
        excluded = (*STATE_FILES, CLAUDE) if claude else STATE_FILES
        plan = Record(row.id, MAIN, row.spec["worktree"], row.spec["base"], excluded)
        workspace = cls(git, plan, row.branch, claude, traceless=bool(row.spec["request"]["options"]["dry_run"]))
        if workspace.folder.is_dir():
            workspace._link_claude()
        return workspace

    @cached_property
    def _worktree(self) -> Worktree:
        plan = self._plan
        return Worktree.create(
            self._git,
            run=plan.run,
            name=plan.name,
            folder=Path(plan.folder),
            base=plan.base,
            excluded=plan.excluded,
        )

    @classmethod
    def again(cls, home: Home, row: RunRow, tree: str) -> RunWorkspace:
        """The workspace as a person finds it: with what lies in its folder, or with this tree where that is gone."""
        there = Path(row.spec["worktree"]).is_dir()
        return cls.of(home, row)._as_found(tree, there)

    def beside_again(self, name: str, tree: str) -> RunWorkspace:
        """The same of a parallel worker's folder."""
        workspace = self.beside(name)
        return workspace._as_found(tree, Path(workspace._plan.folder).is_dir())

    def _as_found(self, tree: str, there: bool) -> RunWorkspace:
        if there:
            self.take_git_back()
        else:
            self.restore(tree)
            self._link_claude()
        return self

    @property
    def folder(self) -> Path:
        return self._worktree.folder

    def beside(self, name: str) -> RunWorkspace:
        plan = replace(self._plan, name=name, folder=f"{self._plan.folder}-{name}")
        return RunWorkspace(self._git, plan, f"{self._branch}-{name}", self._claude)

    @property
    def base(self) -> str:
        return self._worktree.base_tree

    def ensure(self, tree: str) -> bool:
        fresh = self._worktree.ensure(tree)
        self._link_claude()
        return fresh

    def snapshot(self, label: str, at: float) -> str:
        return self._worktree.snapshot(label, at=at).tree

    def restore(self, tree: str) -> None:
        self._worktree.restore(tree)

    def changes(self, before: str, after: str) -> list[Change]:
        return self._worktree.changes(before, after)

    def diff(self, before: str, after: str, whole: Sequence[str] = ()) -> str:
        return self._worktree.diff(before, after, whole, whole=bool(whole))

    def merge(self, onto: str, branches: Sequence[Branch], at: float) -> Merged:
        return merging.merge(self._git, self._plan.run, onto, branches, int(at))

    def line_counts(self, before: str, after: str) -> list[LineCount]:
        return self._worktree.numstat(before, after)

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

    def publish(self, tree: str, message: str, at: float) -> str:
        return self._worktree.publish(self._branch, tree, message, at=at)

    def commit(self, parent: str, tree: str, message: str, at: float) -> str:
        return self._worktree.commit(parent, tree, message, at=at)

    def publish_series(self, commits: Sequence[str]) -> str:
        return self._worktree.publish_series(self._branch, commits)

    def read(self, path: str) -> str | None:
        # What outlives a run is in the person's checkout, with what they and earlier runs wrote there.
        for folder in (self._git.repository.root, self.folder) if path.startswith(REMEMBERED) else (self.folder,):
            with suppress(FileNotFoundError):
                return read_contained(folder, path).decode("utf-8", "replace")
        return None

    def write(self, path: str, text: str) -> None:
        write_contained(self.folder, path, text.encode("utf-8", "surrogateescape"))

    def drop(self, paths: Sequence[str]) -> None:
        for path in paths:
            remove_contained(self.folder, path)

    def append(self, path: str, text: str) -> None:
        append_contained(self.folder, path, text.encode())

    def mirror_end(self, path: str, text: str) -> None:
        append_contained(self._git.repository.root, path, text.encode())

    def mirror(self, path: str, text: str) -> None:
        write_contained(self._git.repository.root, path, text.encode())

    def remove(self) -> None:
        """This folder; with the run's own also those of its branches."""
        for record in self._git.worktrees(self._plan.run):
            if self._plan.name in (MAIN, record.name):
                Worktree(self._git, record).remove()
        if self._traceless:  # a dry run leaves not even a pin in the person's repository (G-01)
            self._git.forget(self._plan.run)

    def _link_claude(self) -> None:
        """A link in the worktree to the person's own .claude, and a look whether what is there can be seen (A-31)."""
        if self._claude is None:
            return
        link = self.folder / CLAUDE
        with suppress(FileExistsError):
            link.symlink_to(self._claude, target_is_directory=True)
        if not link.is_symlink() or link.readlink() != self._claude or not link.is_dir():
            raise UserError(f"{link} does not lead to {self._claude}", "Move it away, or turn link_claude off.")
