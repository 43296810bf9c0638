"""Bringing finished work into the person's repository: commits on top of the base, as a new branch.

Their checkout, index and HEAD stay as they are, and none of their hooks runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from andon.domain.errors import EnvironmentProblem, UserError
from andon.workspace.repository import ANDON, Identity
from andon.workspace.store import Store


def publish(
    store: Store, base: str, branch: str, tree: str, message: str, at: int, author: Identity | None = None
) -> str:
    """The commit on refs/heads/<branch>. The same input gives the same commit, however often it is repeated."""
    _refuse_impossible(store, base, branch)
    commit = store.write_commit(tree, [base], message, author or author_of(store), at)
    return _brought(store, base, branch, [commit])


def publish_series(store: Store, base: str, branch: str, commits: Sequence[str]) -> str:
    """The last of these commits, each of which has the one before as its parent, and the first one the base."""
    _refuse_impossible(store, base, branch)
    return _brought(store, base, branch, commits)


def author_of(store: Store) -> Identity:
    """Asked once: who somebody is does not change while a run goes on."""
    if not store.author:
        store.author.append(store.repository.identity() or ANDON)
    return store.author[0]


def _brought(store: Store, base: str, branch: str, commits: Sequence[str]) -> str:
    repository, tip = store.repository, commits[-1]
    if _published(store, base, branch, tip) is None:
        repository.receive(_pack(store, base, commits))
        try:
            repository.create_branch(branch, tip)
        except EnvironmentProblem:
            if _published(store, base, branch, tip) is None:
                repository.refuse_obstructed(branch)
                raise
    published = _published(store, base, branch, tip)
    assert published is not None
    return published


def _refuse_impossible(store: Store, base: str, branch: str) -> None:
    repository = store.repository
    if not repository.takes_branch(branch):
        raise UserError(f"{branch!r} is not a name git takes for a branch")
    if not repository.has(base):
        raise UserError(f"the base {base} is no longer in {repository.root}", "fetch it again, then repeat")


def _published(store: Store, base: str, branch: str, commit: str) -> str | None:
    """The branch as it is, when it already says the same; None when there is no such branch."""
    existing = store.repository.ref(f"refs/heads/{branch}")
    if existing is None or existing == commit:
        return existing
    tree = store.tree_of(commit)
    if store.repository.git.line("rev-parse", f"{existing}^{{tree}}", f"{existing}^@").split() == [tree, base]:
        return existing
    raise UserError(
        f"branch {branch!r} exists in {store.repository.root} with other content",
        f"rename or delete it (git branch -m {branch} {branch}-old), or choose another name",
    )


def _pack(store: Store, base: str, commits: Sequence[str]) -> bytes:
    """The new commits and what their trees have that the base's tree has not; the base itself is already there."""
    git, trees = store.git(), [store.tree_of(commit) for commit in commits]
    objects = git.call("rev-list", "--objects", "--no-object-names", *trees, f"^{store.tree_of(base)}")
    return git.call("pack-objects", "-q", "--stdout", stdin=objects + "".join(f"{c}\n" for c in commits).encode())
