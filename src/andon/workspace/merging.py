"""Bringing the work of parallel workers together: a real three-way merge, in andon's own store."""

from __future__ import annotations

from collections.abc import Sequence

from andon.domain.errors import EnvironmentProblem
from andon.ports import Branch, Merged
from andon.workspace.git import failed, split
from andon.workspace.repository import ANDON
from andon.workspace.store import Store

_MERGE = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")


def merge(store: Store, run: str, onto: str, branches: Sequence[Branch], at: int) -> Merged:
    """`onto` with the work of each branch since it began, one after the other; what does not fit is left out.

    Each branch is kept as a commit under a ref of its name. The same input gives the same tree, however often.
    """
    tree = onto
    left: list[str] = []
    conflicts: list[str] = []
    for branch in branches:
        base = store.write_commit(branch.began, [], f"where {branch.name} began", ANDON, at)
        ours = store.write_commit(tree, [base], "the run", ANDON, at)
        theirs = store.write_commit(branch.tree, [base], f"branch {branch.name}", ANDON, at)
        store.set_ref(run, f"branch-{branch.name}", theirs)
        # Where nothing came in since it began, the branch is the merge.
        merged, paths = (branch.tree, ()) if branch.began == tree else _merged(store, ours, theirs)
        if paths:
            left.append(branch.name)
            conflicts += paths
            continue
        tree = merged
        store.set_ref(run, "merged", store.write_commit(tree, [ours, theirs], f"merge {branch.name}", ANDON, at))
    return Merged(tree, tuple(left), tuple(dict.fromkeys(conflicts)))


def _merged(store: Store, ours: str, theirs: str) -> tuple[str, tuple[str, ...]]:
    finished = store.git().attempt(*_MERGE, ours, theirs)
    if finished.code not in (0, 1) or finished.timed_out:
        if b"usage: git merge-tree" in finished.stderr:
            raise EnvironmentProblem("this git cannot merge without a working folder", "Install git 2.38 or newer.")
        raise failed(_MERGE, finished)
    tree, *conflicts = split(finished.stdout)
    return tree, tuple(dict.fromkeys(conflicts))
