"""Publishing: one commit on a new branch, and nothing else of the person's repository changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from andon.domain.errors import UserError
from andon.workspace.repository import Identity
from andon.workspace.worktree import Worktree


def finished(place: Any) -> tuple[Worktree, str]:
    worktree = place.worktree()
    (worktree.folder / "새 파일\n.md").write_text("new\n")
    (worktree.folder / "src/deep").mkdir()
    (worktree.folder / "src/deep/x.py").write_text("x = 1\n")
    (worktree.folder / "README.md").unlink()
    return worktree, worktree.snapshot("1.1", at=1).tree


def state(place: Any) -> dict[str, bytes]:
    """Everything of the repository that publishing has no business with."""
    git = place.checkout / ".git"
    kept = [git / "index", git / "HEAD", git / "logs/HEAD", git / "logs/refs/heads/main", git / "refs/heads/main"]
    kept += [path for path in place.checkout.rglob("*") if ".git" not in path.parts]
    return {str(path): path.read_bytes() for path in kept if path.is_file()}


def test_publishes_one_commit_on_top_of_the_base(place: Any) -> None:
    place.git("config", "user.name", "이름")
    place.git("config", "user.email", "kim@example.org")
    worktree, tree = finished(place)
    place.write("src/app.py", "being edited")
    before = state(place)
    commit = worktree.publish("feat/로그인", tree, "feat: 로그인\n\nbody", at=1_700_000_000.5)
    assert place.git("rev-parse", "feat/로그인", "feat/로그인^", "feat/로그인^{tree}").split() == [
        commit,
        worktree.base,
        tree,
    ]
    shown = place.git("log", "-1", "--format=%an <%ae> %cn %at %B", commit)
    assert shown == "이름 <kim@example.org> 이름 1700000000 feat: 로그인\n\nbody"
    assert place.git("ls-tree", "-r", "--name-only", "-z", commit).split("\0")[:-1] == [
        ".gitignore",
        "src/app.py",
        "src/deep/x.py",
        "새 파일\n.md",
    ]
    assert state(place) == before
    worktree.remove()
    place.store.forget("r1")
    assert "dangling" not in place.git("fsck", "--strict", "--connectivity-only", commit)


def test_repeating_gives_the_same_commit(place: Any) -> None:
    worktree, tree = finished(place)
    first = worktree.publish("feat/x", tree, "message", at=1)
    assert worktree.publish("feat/x", tree, "message", at=1) == first
    assert worktree.publish("feat/x", tree, "message", at=2) == first
    assert place.git("log", "--format=%H", "feat/x").splitlines() == [first, worktree.base]


def test_without_an_identity_andon_signs_and_a_given_author_wins(place: Any) -> None:
    worktree, tree = finished(place)
    assert place.git("log", "-1", "--format=%an", worktree.publish("a", tree, "m", at=1)) == "andon"
    author = Identity("A <b>\n", "a@example.org")
    assert place.git("log", "-1", "--format=%an %ae", worktree.publish("b", tree, "m", at=1, author=author)) == (
        "A b a@example.org"
    )


def test_a_branch_with_other_content_is_left_alone(place: Any) -> None:
    worktree, tree = finished(place)
    place.git("branch", "feat/x")
    place.git("branch", "taken")
    with pytest.raises(UserError, match="exists") as raised:
        worktree.publish("feat/x", tree, "m", at=1)
    assert "git branch -m feat/x" in raised.value.hint
    with pytest.raises(UserError, match="while there is a branch 'taken'"):
        worktree.publish("taken/x", tree, "m", at=1)
    with pytest.raises(UserError, match="while there is a branch 'feat/x'"):
        worktree.publish("feat", tree, "m", at=1)
    for name in ("a..b", "-x", "x.lock", "@{-1}", "HEAD", ""):
        with pytest.raises(UserError, match="not a name git takes"):
            worktree.publish(name, tree, "m", at=1)
    assert place.git("rev-parse", "feat/x") == worktree.base
    assert place.repository.branches() == ["feat/x", "main", "taken"]


def test_the_persons_hooks_do_not_run(place: Any) -> None:
    worktree, tree = finished(place)
    canary = place.root / "canary"
    for name in ("reference-transaction", "post-commit", "pre-commit", "commit-msg", "post-update", "update"):
        hook: Path = place.checkout / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {canary}\n")
        hook.chmod(0o755)
    worktree.publish("feat/x", tree, "m", at=1)
    place.worktree("r2")
    assert not canary.exists()


def test_a_shallow_clone_can_publish(place: Any) -> None:
    place.commit("second")
    shallow = type(place)(place.root / "shallow")
    shallow.root.mkdir()
    place.git("clone", "-q", "--depth=1", f"file://{place.checkout}", str(shallow.checkout))
    worktree, tree = finished(shallow)
    commit = worktree.publish("feat/x", tree, "m", at=1)
    assert shallow.git("rev-parse", f"{commit}^{{tree}}") == tree


def test_a_lock_left_by_a_killed_git_does_not_block_for_ever(place: Any) -> None:
    worktree, tree = finished(place)
    lock = place.checkout / ".git/refs/heads/feat/x.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    os.utime(lock, (1, 1))
    assert worktree.publish("feat/x", tree, "m", at=1) == place.git("rev-parse", "feat/x")
