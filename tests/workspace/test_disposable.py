"""The .git that agents and checks see: enough for status, diff and log, and no history to mine."""

from __future__ import annotations

import os
import shutil
from typing import Any


def test_status_diff_and_log_work_on_the_base(place: Any) -> None:
    place.write("secret-fix.py", "the answer\n")
    place.commit("the fix")
    (place.checkout / "secret-fix.py").unlink()
    place.commit("taken out again")
    worktree = place.worktree()
    sandbox = place.root / "sandbox"
    shutil.copytree(worktree.folder, sandbox)
    (sandbox / ".git").rmdir()
    worktree.disposable_git(sandbox / ".git")
    assert place.git("status", "--porcelain", at=sandbox) == ""
    assert place.git("log", "--all", "--format=%s", at=sandbox) == "base"
    (sandbox / "README.md").write_text("changed\n")
    assert "+changed" in place.git("diff", at=sandbox)
    assert place.git("fsck", "--strict", at=sandbox) == ""
    place.git("commit", "-qam", "inside", at=sandbox)
    names = place.git("cat-file", "--batch-all-objects", "--batch-check", at=sandbox)
    blobs = [line.split()[0] for line in names.splitlines() if " blob " in line]
    assert not any("the answer" in place.git("cat-file", "-p", blob, at=sandbox) for blob in blobs)
    assert not (sandbox / ".git/objects/info/alternates").exists()


def test_every_copy_is_its_own(place: Any) -> None:
    worktree = place.worktree()
    first, second = place.root / "one", place.root / "two"
    worktree.disposable_git(first)
    for path in [path for path in first.rglob("*") if path.is_file()]:
        assert path.stat().st_nlink == 1
        path.write_text("spoilt")
    worktree.disposable_git(second)
    worktree.disposable_git(first)
    for copy in (first, second):
        assert place.git("--git-dir", str(copy), "--work-tree", str(worktree.folder), "status", "--porcelain") == ""
    assert not [name for name in os.scandir(place.root) if name.name.endswith(".tmp")]


def test_drafts_of_killed_makers_and_templates_nobody_uses_go(place: Any) -> None:
    templates = place.store.folder / "disposable"
    (templates / f"{'1' * 40}.{'0a' * 16}.tmp" / "objects").mkdir(parents=True)
    (templates / ("2" * 40)).mkdir()
    os.utime(templates / ("2" * 40), (1, 1))
    (templates / ("3" * 40)).mkdir()
    worktree = place.worktree()
    worktree.disposable_git(place.root / "one")
    assert {path.name for path in templates.iterdir()} == {"3" * 40, worktree.base_tree}
