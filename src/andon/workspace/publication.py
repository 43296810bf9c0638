"""Bringing a finished tree into the person's repository: one commit on top of the base, as a new branch.

Their checkout, index and HEAD stay as they are, and none of their hooks runs.
"""

from __future__ import annotations

from andon.domain.errors import EnvironmentProblem, UserError
from andon.workspace.repository import ANDON, Identity
from andon.workspace.store import Store


def publish(
    store: Store, base: str, branch: str, tree: str, message: str, at: int, author: Identity | None = None
) -> str:
    """The commit on refs/heads/<branch>. The same input gives the same commit, however often it is repeated."""
    repository = store.repository
    if not repository.takes_branch(branch):
        raise UserError(f"{branch!r} is not a name git takes for a branch")
    if not repository.has(base):
        raise UserError(f"the base {base} is no longer in {repository.root}", "fetch it again, then repeat")
    author = author or repository.identity() or ANDON
    commit = store.write_commit(tree, [base], message, author, at)
    if _published(store, base, branch, tree, commit) is None:
        repository.receive(_pack(store, base, tree, commit))
        try:
            repository.create_branch(branch, commit)
        except EnvironmentProblem:
            if _published(store, base, branch, tree, commit) is None:
                repository.refuse_obstructed(branch)
                raise
    published = _published(store, base, branch, tree, commit)
    assert published is not None
    return published


def _published(store: Store, base: str, branch: str, tree: str, commit: str) -> str | None:
    """The branch as it is, when it already says the same; None when there is no such branch."""
    existing = store.repository.ref(f"refs/heads/{branch}")
    if existing is None or existing == commit:
        return existing
    if store.repository.git.line("rev-parse", f"{existing}^{{tree}}", f"{existing}^@").split() == [tree, base]:
        return existing
    raise UserError(
        f"branch {branch!r} exists in {store.repository.root} with other content",
        f"rename or delete it (git branch -m {branch} {branch}-old), or choose another name",
    )


def _pack(store: Store, base: str, tree: str, commit: str) -> bytes:
    """The new commit and what its tree has that the base's tree has not; the base itself is already there."""
    git = store.git()
    objects = git.call("rev-list", "--objects", "--no-object-names", tree, f"^{store.tree_of(base)}")
    return git.call("pack-objects", "-q", "--stdout", stdin=objects + f"{commit}\n".encode())
