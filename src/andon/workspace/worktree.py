"""One folder an agent works in, whose gitdir, index and settings andon keeps elsewhere.

git never writes into the folder itself: it fills a folder beside it, and files are moved from there by rename. So a
git process that outlives a killed andon cannot overwrite what an agent does next.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from andon.domain.errors import EnvironmentProblem, UserError
from andon.ports import Change
from andon.workspace import comparison, listing, publication
from andon.workspace.comparison import LineCount
from andon.workspace.disposable import disposable_git
from andon.workspace.files import write_atomic
from andon.workspace.git import Git, joined, split
from andon.workspace.removal import remove_tree
from andon.workspace.repository import ANDON, Identity
from andon.workspace.store import Record, Store, read_record, write_record


@dataclass(frozen=True, slots=True)
class Snapshot:
    commit: str
    tree: str


@dataclass(frozen=True, slots=True)
class Worktree:
    store: Store
    record: Record
    _fresh: list[str] = field(default_factory=list[str], compare=False, repr=False)
    """The tree of a folder that was made just now, until somebody has it."""

    @classmethod
    def create(
        cls, store: Store, *, run: str, folder: Path, base: str, name: str = "main", excluded: Iterable[str] = ()
    ) -> Worktree:
        """The folder with the base checked out. Repeating it after a kill at any moment finishes the work."""
        wanted = Record(run, name, str(folder.absolute()), base, tuple(excluded))
        home = store.home(run, name)
        home.mkdir(parents=True, exist_ok=True)
        with store.lock(run, name):
            known = read_record(home)
            if known is None:
                refuse_unusable(folder)
                write_record(home, wanted)
            elif replace(known, ready=False) != wanted:
                raise UserError(
                    f"run {run} already has a worktree {name!r} of {known.base} at {known.folder}", "remove it first"
                )
            elif os.path.lexists(folder) and not folder.is_dir():
                raise _strange(folder)
            worktree = cls(store, replace(wanted, ready=True))
            worktree._pin()
            # A folder that is gone is left to `ensure`, which knows how far the work was.
            if known is None or not known.ready:
                worktree._fill(store.tree_of(base))
                write_record(home, worktree.record)
                worktree._fresh.append(store.tree_of(base))
        return worktree

    @classmethod
    def open(cls, store: Store, run: str, name: str = "main") -> Worktree | None:
        """A worktree that was created earlier, perhaps by another process."""
        record = read_record(store.home(run, name))
        return cls(store, record) if record is not None and record.ready else None

    @property
    def folder(self) -> Path:
        return Path(self.record.folder)

    @property
    def base(self) -> str:
        """The commit it started from."""
        return self.record.base

    @property
    def base_tree(self) -> str:
        return self.store.tree_of(self.base)

    def ensure(self, tree: str) -> bool:
        """Make the folder anew, with this tree, if it is gone. Whether it is just that: nobody has had it yet."""
        fresh = self._fresh.pop() if self._fresh else ""
        if not self.folder.is_dir():
            with self._locked():
                self._fill(tree)
            return True
        return fresh == tree

    def snapshot(self, label: str, *, at: float) -> Snapshot:
        """Keep the whole present content under refs/andon/<run>/<label>; repeating it changes nothing."""
        with self._locked():
            with self._private_index() as index:
                tree = self._write_tree(index)
            known = self.store.ref(self.record.run, label)
            if known is not None and self.store.tree_of(known) == tree:
                return Snapshot(known, tree)
            commit = self._chained(tree, label, int(at))
            self.store.set_ref(self.record.run, label, commit)
            return Snapshot(commit, tree)

    def restore(self, tree: str) -> None:
        """Make the folder exactly this tree; excluded files stay. Files that are right already are not touched."""
        with self._locked():
            if self.folder.is_dir():
                self._restore(tree)
            else:
                self._fill(tree)

    def changes(self, before: str, after: str) -> list[Change]:
        return comparison.changes(self.store.git(), before, after)

    def diff(self, before: str, after: str, paths: Sequence[str] = (), *, whole: bool = False) -> str:
        return comparison.diff(self.store.git(), before, after, paths, whole=whole)

    def paths(self, tree: str) -> list[str]:
        return split(self.store.git().call("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree))

    def numstat(self, before: str, after: str) -> list[LineCount]:
        return comparison.numstat(self.store.git(), before, after)

    def checkout(self, tree: str, folder: Path) -> None:
        checkout(self.store, tree, folder)

    def disposable_git(self, folder: Path) -> None:
        disposable_git(self.store, self.base, folder)

    def publish(self, branch: str, tree: str, message: str, *, at: float, author: Identity | None = None) -> str:
        return publication.publish(self.store, self.base, branch, tree, message, int(at), author)

    def commit(self, parent: str, tree: str, message: str, *, at: float) -> str:
        """One commit of a series, kept by andon until `publish_series` brings it into the person's repository."""
        store = self.store
        commit = store.write_commit(tree, [parent or self.base], message, publication.author_of(store), int(at))
        store.set_ref(self.record.run, "series", commit)
        return commit

    def publish_series(self, branch: str, commits: Sequence[str]) -> str:
        return publication.publish_series(self.store, self.base, branch, commits)

    def remove(self) -> None:
        """The folder goes, the snapshots stay; `Store.forget` gives those up too."""
        with self._locked():
            if read_record(self._home) is not None:
                self._sweep()
                remove_tree(self.folder)
                remove_tree(self._home)

    # --- inside the lock --------------------------------------------------------------------------------------

    @property
    def _home(self) -> Path:
        return self.store.home(self.record.run, self.record.name)

    def _locked(self) -> AbstractContextManager[None]:
        return self.store.lock(self.record.run, self.record.name)

    @contextmanager
    def _private_index(self) -> Generator[Path]:
        """A copy of the index to work on. A git that was killed leaves its lock on a name nobody uses again."""
        self._home.mkdir(parents=True, exist_ok=True)
        index = self._home / f"index.{uuid.uuid4().hex}.tmp"
        if (self._home / "index").exists():
            # With its time: git compares it with the times of files to see which it must read again.
            shutil.copy2(self._home / "index", index)
        try:
            yield index
        finally:
            index.unlink(missing_ok=True)

    def _keep_index(self, index: Path) -> None:
        with index.open("rb") as opened:
            os.fsync(opened.fileno())  # once, and not by every git that wrote it
        index.replace(self._home / "index")

    def _pin(self) -> None:
        """Once for a run: its branches have the same base."""
        pin = (self.record.run, self.base)
        if pin not in self.store.pinned and self.store.repository.has(self.base):
            self.store.pinned.add(pin)
            suffix = "" if self.record.name == "main" else f"-{self.record.name}"
            self.store.repository.pin(f"refs/andon/{self.record.run}/base{suffix}", self.base)

    def _fill(self, tree: str) -> None:
        self._sweep()
        if os.path.lexists(self.folder) and not _is_empty_folder(self.folder):
            if not _is_empty_folder(self.folder / ".git"):
                raise _strange(self.folder)
            self._restore(tree)
            return
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with self._private_index() as index:
            index.unlink(missing_ok=True)
            draft = _checked_out(self.store, tree, _beside(self.folder), index)
            (draft / ".git").mkdir()
            # Before the folder is there: a folder without its index would lose the tracked files that are ignored.
            self._keep_index(index)
            draft.rename(self.folder)

    def _write_tree(self, index: Path) -> str:
        git = self.store.git(tree=self.folder, index=index, borrow=False)
        tracked = listing.entries(git)
        listing.distrust(git, self.folder, tracked, self._index_time())
        files = listing.present(self.folder, tracked, self.record.excluded, partial(listing.ignored, git))
        kept = set(files)
        gone = [path for path, entry in tracked.items() if path not in kept and not self._stays(path, entry)]
        if gone:
            git.call("update-index", "-z", "--force-remove", "--stdin", stdin=joined(gone))
        add = ("update-index", "-z", "--add", "--replace", "--stdin")
        finished = git.attempt(*add, stdin=joined(files))
        if finished.code != 0:
            listing.make_readable(self.folder, files)
            git.call(*add, stdin=joined(files))
        # Objects of the base are elsewhere and pinned, so git need not find them here.
        tree = git.line("write-tree", "--missing-ok")
        self._keep_index(index)
        return tree

    def _stays(self, path: str, entry: listing.Entry) -> bool:
        if listing.below(path, self.record.excluded):
            return True
        folder = self.folder / path
        return entry.is_gitlink and folder.is_dir() and not folder.is_symlink()

    def _index_time(self) -> int:
        index = self._home / "index"
        return index.stat().st_mtime_ns if index.exists() else 0

    def _chained(self, tree: str, label: str, at: int) -> str:
        """A commit on top of the previous snapshot, or that one, if a kill came between writing it and its ref."""
        chain = self._home / "chain"
        parent = chain.read_text().strip() if chain.exists() else self.base
        if parent != self.base:
            text = self.store.git().line("cat-file", "commit", parent)
            if text.startswith(f"tree {tree}\n") and text.partition("\n\n")[2].strip() == label:
                return parent
        commit = self.store.write_commit(tree, [parent], label, ANDON, at)
        write_atomic(chain, f"{commit}\n")
        return commit

    def _restore(self, tree: str) -> None:
        self._sweep()
        with self._private_index() as index:
            git = self.store.git(tree=self.folder, index=index)
            git.call("read-tree", "--reset", tree)
            wanted = listing.entries(git)
            listing.take_away_strangers(self.folder, wanted, self.record.excluded)
            for path, entry in wanted.items():
                if entry.is_gitlink:
                    (self.folder / path).mkdir(parents=True, exist_ok=True)
            listing.distrust(git, self.folder, wanted, self._index_time())
            if different := self._different(git):
                self._put_back(index, different)
                if different := self._different(git):
                    raise EnvironmentProblem(f"{self.folder} changes while it is being restored: {different[0]}")
            self._keep_index(index)
        if not _is_empty_folder(self.folder / ".git"):
            remove_tree(self.folder / ".git")
            (self.folder / ".git").mkdir()

    def _different(self, git: Git) -> list[str]:
        git.attempt("update-index", "-q", "--refresh", "--ignore-submodules")
        paths = split(git.call("diff-files", "-z", "--name-only", "--ignore-submodules=all"))
        return [path for path in paths if not listing.below(path, self.record.excluded)]

    def _put_back(self, index: Path, paths: list[str]) -> None:
        draft = _beside(self.folder)
        draft.mkdir()
        git = self.store.git(tree=draft, index=index)
        git.call("checkout-index", "-q", "-f", "-z", "--stdin", stdin=joined(paths))
        for path in paths:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (draft / path).replace(self.folder / path)
        remove_tree(draft)

    def _sweep(self) -> None:
        """Remove what killed processes left half done."""
        for path in self._home.glob("index.*.tmp*"):
            path.unlink(missing_ok=True)
        if self.folder.parent.is_dir():
            pattern = re.compile(rf"\.{re.escape(self.folder.name)}\.[0-9a-f]{{32}}\.tmp")
            for path in [path for path in self.folder.parent.iterdir() if pattern.fullmatch(path.name)]:
                remove_tree(path)


def checkout(store: Store, tree: str, folder: Path) -> None:
    """A clean copy of a tree. The folder appears complete or not at all."""
    refuse_unusable(folder)
    draft = _beside(folder)
    index = draft.with_suffix(".index")
    try:
        _checked_out(store, tree, draft, index).rename(folder)
    finally:
        index.unlink(missing_ok=True)


def _checked_out(store: Store, tree: str, draft: Path, index: Path) -> Path:
    draft.mkdir(parents=True)
    # Into an empty folder, with an index that is not there yet: nothing can be in the way.
    store.git(tree=draft, index=index).call("read-tree", "--reset", "-u", tree)
    return draft


def _beside(folder: Path) -> Path:
    """On the same file system, so that moving over is one rename."""
    return folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.tmp")


def _strange(folder: Path) -> UserError:
    return UserError(f"{folder} is no longer what andon put there", "move it away and try again")


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


def refuse_unusable(folder: Path) -> None:
    """A folder must be free, and its place one where folders can be made."""
    if os.path.lexists(folder) and not _is_empty_folder(folder):
        raise UserError(f"{folder} exists and is not an empty folder", "choose another path, or move it away")
    above = next(path for path in folder.absolute().parents if os.path.lexists(path))
    if not above.is_dir():
        raise UserError(f"{above} is not a folder", "choose another path (worktree_root), or move it away")
    if not os.access(above, os.W_OK | os.X_OK):
        raise EnvironmentProblem(f"Cannot write to {above}", "make it writable, or choose another path (worktree_root)")
