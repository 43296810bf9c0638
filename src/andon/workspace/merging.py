"""Bringing the work of parallel workers together: a real three-way merge, in andon's own store."""

from __future__ import annotations

from collections.abc import Sequence

from andon.domain.errors import EnvironmentProblem
from andon.ports import Branch, Merged
from andon.workspace.entries import Entry, changing, differences, entries
from andon.workspace.git import failed, split
from andon.workspace.listing import folders_of
from andon.workspace.repository import ANDON
from andon.workspace.store import Store

_MERGE = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")


def merge(store: Store, run: str, onto: str, branches: Sequence[Branch], at: int) -> Merged:
    """`onto` with the work of each branch since it began, one after the other; what does not fit is left out.

    Each branch is kept as a commit under a ref of its name. The same input gives the same tree, however often.
    """
    coming = _Coming(store, onto)
    parents = [store.write_commit(onto, [], "the run", ANDON, at)]
    left: list[str] = []
    conflicts: list[str] = []
    for branch in branches:
        theirs = store.write_commit(branch.tree, [], f"branch {branch.name}", ANDON, at)
        store.set_ref(run, f"branch-{branch.name}", theirs)
        if not coming.beside(branch):
            merged, paths = _merged(store, branch, coming.tree, at)
            if paths:
                left.append(branch.name)
                conflicts += paths
                continue
            coming = _Coming(store, merged)
        parents.append(theirs)
    tree = coming.tree
    store.set_ref(run, "merged", store.write_commit(tree, parents, "merge", ANDON, at))
    return Merged(tree, tuple(left), tuple(dict.fromkeys(conflicts)))


class _Coming:
    """What has come in so far. Work on paths that nobody else touched is laid beside it, all of it at once: most
    workers have files of their own, and need no merge of contents."""

    def __init__(self, store: Store, tree: str) -> None:
        self._store = store
        self._tree = tree
        self._changes: dict[str, Entry] = {}
        self._entries: dict[str, Entry] | None = None
        self._folders: set[str] = set()

    def beside(self, branch: Branch) -> bool:
        """Take it, if every path it changed is still as it was when it began."""
        if branch.began == self._tree and not self._changes:
            self._tree, self._entries = branch.tree, None
            return True
        if self._entries is None:
            self._entries = entries(self._store.git(), self._tree)
            self._folders = folders_of(self._entries)
        changes = differences(self._store.git(), branch.began, branch.tree)
        if not all(self._as_it_was(path, old) for path, (old, _) in changes.items()):
            return False
        for path, (_, new) in changes.items():
            self._changes[path] = new
            if new.is_there:
                self._entries[path] = new
                self._folders |= folders_of([path])
            else:
                del self._entries[path]
        return True

    def _as_it_was(self, path: str, old: Entry) -> bool:
        assert self._entries is not None
        if old.is_there:
            return self._entries.get(path) == old
        above = folders_of([path])
        return (
            path not in self._entries and path not in self._folders and not any(each in self._entries for each in above)
        )

    @property
    def tree(self) -> str:
        if self._changes:
            with changing(self._store, self._tree) as index:
                self._tree = index.changed(self._changes)
            self._changes = {}
        return self._tree


def _merged(store: Store, branch: Branch, onto: str, at: int) -> tuple[str, tuple[str, ...]]:
    """The tree of both, and the paths that conflict."""
    base = store.write_commit(branch.began, [], f"where {branch.name} began", ANDON, at)
    ours = store.write_commit(onto, [base], "the run", ANDON, at)
    theirs = store.write_commit(branch.tree, [base], f"branch {branch.name}", ANDON, at)
    finished = store.git().attempt(*_MERGE, ours, theirs)
    if finished.code not in (0, 1) or finished.timed_out:
        if b"usage: git merge-tree" in finished.stderr:
            raise EnvironmentProblem("this git cannot merge without a working folder", "Install git 2.38 or newer.")
        raise failed(_MERGE, finished)
    tree, *conflicts = split(finished.stdout)
    return tree, tuple(dict.fromkeys(conflicts))
