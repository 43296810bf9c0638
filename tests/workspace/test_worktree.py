"""Worktrees: what is snapshotted is what is there, and what is restored is what was snapshotted."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.domain.errors import UserError
from andon.ports import Change
from andon.workspace.files import write_contained
from andon.workspace.worktree import Worktree

Content = Callable[[Path], dict[str, tuple[str, bytes]]]


def test_a_worktree_holds_the_base_and_is_listed(place: Any, content: Content) -> None:
    worktree = place.worktree()
    assert content(worktree.folder) == content(place.checkout)
    assert list((worktree.folder / ".git").iterdir()) == []
    assert [(record.run, record.folder, record.ready) for record in place.store.worktrees()] == [
        ("r1", str(worktree.folder), True)
    ]
    assert worktree.snapshot("same", at=1).tree == place.git("rev-parse", "HEAD^{tree}")


def test_at_no_moment_is_there_anything_below_refs_that_is_no_ref(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill may come just before a rename: what lies there then, lies there for good."""
    refs, worktree, seen = place.store.git_folder / "refs", place.worktree(), set[str]()
    rename = os.rename

    def looking(*given: Any, **more: Any) -> None:
        seen.update(path.name for path in refs.rglob("*") if path.is_file())
        rename(*given, **more)
        seen.update(path.name for path in refs.rglob("*") if path.is_file())

    monkeypatch.setattr(os, "rename", looking)
    worktree.snapshot("1.1", at=1)

    assert seen == {"1.1"}


def test_creating_again_leaves_the_work_alone(place: Any) -> None:
    (place.worktree().folder / "work.txt").write_text("half done")
    again = place.worktree()
    assert (again.folder / "work.txt").read_text() == "half done"
    assert Worktree.open(place.store, "r1") == again
    assert Worktree.open(place.store, "r2") is None


def test_a_folder_that_is_not_empty_is_refused(place: Any) -> None:
    precious = place.root / "r1-main" / "precious.txt"
    precious.parent.mkdir()
    precious.write_text("a person's")
    for _ in range(2):
        with pytest.raises(UserError, match="not an empty folder"):
            place.worktree()
    assert precious.read_text() == "a person's"
    assert place.store.worktrees() == []


def test_a_run_keeps_its_base(place: Any) -> None:
    place.worktree()
    place.commit("later")
    with pytest.raises(UserError, match="already has a worktree"):
        place.worktree()


def test_the_persons_checkout_is_left_alone(place: Any, content: Content) -> None:
    place.write("README.md", "being edited\n")
    before, index = content(place.checkout), (place.checkout / ".git/index").read_bytes()
    worktree = place.worktree()
    assert (worktree.folder / "README.md").read_text() == "hello\n"
    (worktree.folder / "README.md").write_text("by an agent\n")
    worktree.restore(worktree.snapshot("1.1", at=1).tree)
    assert content(place.checkout) == before
    assert (place.checkout / ".git/index").read_bytes() == index


def test_detached_head_is_a_base(place: Any) -> None:
    place.git("checkout", "-q", "--detach")
    worktree = place.worktree()
    assert worktree.base == place.git("rev-parse", "HEAD")


def every_kind(folder: Path) -> None:
    """Of each kind of change git can express, one."""
    (folder / "README.md").unlink()
    (folder / "src/app.py").rename(folder / "src/renamed.py")
    (folder / "새 파일 😀.md").write_text("유니코드")
    (folder / "line\nbreak\t.txt").write_text("odd")
    (folder / os.fsdecode(b"latin-\xe9.txt")).write_text("bytes")
    (folder / ":(top)magic*?[x].txt").write_text("pathspec")
    (folder / "-dash.txt").write_text("option")
    (folder / "crlf.txt").write_bytes(b"a\r\nb\n\r\n")
    (folder / "zeros.bin").write_bytes(bytes(range(256)))
    (folder / "empty").touch()
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "dangling").symlink_to("nowhere/at all")
    (folder / "loop").symlink_to(".")
    (folder / "deep/er/still").mkdir(parents=True)
    (folder / "deep/er/still/x.txt").write_text("x")
    (folder / "hollow/empty").mkdir(parents=True)
    (folder / ".gitattributes").write_text("* text=auto eol=lf ident working-tree-encoding=UTF-16\n*.md -diff\n")


def test_every_kind_of_file_survives_snapshot_and_restore(place: Any, content: Content) -> None:
    worktree = place.worktree()
    every_kind(worktree.folder)
    wanted = content(worktree.folder)
    snapshot = worktree.snapshot("1.1", at=1)
    worktree.restore(worktree.base_tree)
    assert content(worktree.folder) == content(place.checkout)
    assert not (worktree.folder / "hollow").exists()
    worktree.restore(snapshot.tree)
    assert content(worktree.folder) == wanted
    worktree.checkout(snapshot.tree, place.root / "copy")
    assert content(place.root / "copy") == wanted


def test_changes_diff_and_numbers(place: Any) -> None:
    worktree = place.worktree()
    (worktree.folder / "README.md").write_text("hello\nthere\n")
    (worktree.folder / "src/app.py").unlink()
    (worktree.folder / "src/app.py").symlink_to("../README.md")
    (worktree.folder / "새\n.md").write_text("x\n")
    (worktree.folder / ".gitignore").unlink()
    (worktree.folder / "zeros.bin").write_bytes(b"\0\1")
    after = worktree.snapshot("1.1", at=1).tree
    assert sorted(worktree.changes(worktree.base, after), key=lambda change: change.path) == [
        Change(".gitignore", "deleted"),
        Change("README.md", "modified"),
        Change("src/app.py", "type"),
        Change("zeros.bin", "added"),
        Change("새\n.md", "added"),
    ]
    assert "+there" in worktree.diff(worktree.base, after, paths=["README.md"])
    assert "app.py" not in worktree.diff(worktree.base, after, paths=["README.md"])
    counts = {count.path: (count.added, count.deleted) for count in worktree.numstat(worktree.base, after)}
    assert counts["README.md"] == (1, 0)
    assert counts["zeros.bin"] == (None, None)
    assert worktree.changes(after, after) == []


def test_a_diff_cannot_be_hidden_by_attributes(place: Any) -> None:
    worktree = place.worktree()
    (worktree.folder / ".gitattributes").write_text("*.py -diff binary linguist-generated\n")
    (worktree.folder / "src/app.py").write_text("print('sneaky')\n")
    after = worktree.snapshot("1.1", at=1).tree
    assert "+print('sneaky')" in worktree.diff(worktree.base, after)


def test_an_excluded_folder_stays_and_a_folder_in_place_of_an_excluded_file_goes(place: Any) -> None:
    worktree = place.worktree(excluded=("docs/.status.json", ".omc/notes/"))
    before = worktree.snapshot("1", at=1).tree
    for path in ("docs/.status.json/x", ".omc/notes/deep/a.md", ".omc/other.md"):
        (worktree.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (worktree.folder / path).write_text("x")

    changed = [change.path for change in worktree.changes(before, worktree.snapshot("2", at=2).tree)]
    worktree.restore(before)

    assert changed == [".omc/other.md"]
    assert (worktree.folder / ".omc/notes/deep/a.md").read_text() == "x"
    assert not (worktree.folder / ".omc/other.md").exists() and not (worktree.folder / "docs/.status.json").exists()


def test_ignored_and_excluded_files_are_left_out(place: Any) -> None:
    place.write("tracked.log", "tracked though ignored\n")
    place.git("add", "-f", "tracked.log")
    place.commit("force")
    worktree = place.worktree(excluded=("docs/.pdca-status.json",))
    folder = worktree.folder
    for path in (
        "noise.log",
        "build/out/x.o",
        "docs/.pdca-status.json",
        "docs/plan.md",
        "sub/.gitignore",
        "sub/secret",
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x")
    (folder / "sub/.gitignore").write_text("secret\n")
    (folder / "tracked.log").write_text("changed\n")
    after = worktree.snapshot("1.1", at=1).tree
    assert [change.path for change in worktree.changes(worktree.base, after)] == [
        "docs/plan.md",
        "sub/.gitignore",
        "tracked.log",
    ]
    worktree.restore(after)
    assert not (folder / "noise.log").exists()
    assert not (folder / "build").exists()
    assert not (folder / "sub/secret").exists()
    assert (folder / "docs/.pdca-status.json").read_text() == "x"


def test_files_of_a_nested_repository_are_files(place: Any, content: Content) -> None:
    worktree = place.worktree()
    nested = worktree.folder / "vendor/lib"
    nested.mkdir(parents=True)
    place.git("init", "-q", at=nested)
    (nested / "lib.py").write_text("x = 1\n")
    place.git("add", "-A", at=nested)
    place.git("commit", "-q", "-m", "nested", at=nested)
    after = worktree.snapshot("1.1", at=1).tree
    assert worktree.changes(worktree.base, after) == [Change("vendor/lib/lib.py", "added")]
    worktree.restore(after)
    assert not (nested / ".git").exists()
    assert (nested / "lib.py").read_text() == "x = 1\n"


def test_a_submodule_of_the_base_stays_until_it_is_touched(place: Any) -> None:
    other = place.root / "other"
    shutil.copytree(place.checkout, other)
    place.git("submodule", "add", "-q", str(other), "sub")
    place.commit("submodule")
    worktree = place.worktree()
    assert worktree.snapshot("1.1", at=1).tree == worktree.base_tree
    (worktree.folder / "sub/file.txt").write_text("x")
    after = worktree.snapshot("1.2", at=1).tree
    assert {(change.path, change.kind) for change in worktree.changes(worktree.base, after)} == {
        ("sub", "deleted"),
        ("sub/file.txt", "added"),
    }
    worktree.restore(worktree.base_tree)
    assert list((worktree.folder / "sub").iterdir()) == []
    assert worktree.snapshot("1.3", at=1).tree == worktree.base_tree
    (worktree.folder / "sub").rmdir()
    gone = worktree.snapshot("1.4", at=1).tree
    assert worktree.changes(worktree.base, gone) == [Change("sub", "deleted")]


def within_one_second(attack: Callable[[], None]) -> None:
    """Do it from the beginning of a second on, again until it is done before that second ends."""
    for _ in range(20):
        while time.time() % 1 > 0.1:
            time.sleep(0.01)
        second = int(time.time())
        attack()
        if int(time.time()) == second:
            return
    pytest.skip("this machine is too slow to change a file twice within a second")


def forge(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, (1e9, 1e9))


def test_a_snapshot_sees_a_change_that_keeps_size_and_time(place: Any) -> None:
    worktree = place.worktree()
    app = worktree.folder / "src/app.py"

    def attack() -> None:
        forge(app, "print('aaa')\n")
        worktree.snapshot("1.1", at=1)
        forge(app, "print('bbb')\n")

    within_one_second(attack)
    assert "+print('bbb')" in worktree.diff(worktree.base, worktree.snapshot("1.2", at=1).tree)


def test_restoring_sees_a_change_that_keeps_size_and_time(place: Any) -> None:
    worktree = place.worktree()
    app = worktree.folder / "src/app.py"
    trees: list[str] = []

    def attack() -> None:
        forge(app, "print('aaa')\n")
        trees.append(worktree.snapshot("1.1", at=1).tree)
        forge(app, "print('bbb')\n")

    within_one_second(attack)
    worktree.restore(trees[-1])
    assert app.read_text() == "print('aaa')\n"


def test_modes_that_lock_out_are_no_hiding_place(place: Any, content: Content) -> None:
    worktree = place.worktree()
    secret = worktree.folder / "locked/secret.txt"
    secret.parent.mkdir()
    secret.write_text("found")
    secret.chmod(0)
    secret.parent.chmod(0)
    os.mkfifo(worktree.folder / "pipe")
    after = worktree.snapshot("1.1", at=1).tree
    assert worktree.changes(worktree.base, after) == [Change("locked/secret.txt", "added")]
    (worktree.folder / "src").chmod(0o500)
    worktree.restore(worktree.base_tree)
    assert content(worktree.folder) == content(place.checkout)
    assert not (worktree.folder / "pipe").exists()


def test_things_of_another_kind_are_put_right(place: Any, content: Content) -> None:
    worktree = place.worktree()
    outside = place.root / "outside"
    outside.mkdir()
    (outside / "app.py").write_text("not the workspace's")
    (worktree.folder / "README.md").unlink()
    (worktree.folder / "README.md").mkdir()
    (worktree.folder / "README.md/x").write_text("x")
    shutil.rmtree(worktree.folder / "src")
    (worktree.folder / "src").symlink_to(outside)
    (worktree.folder / ".git").rmdir()
    (worktree.folder / ".git").write_text("gitdir: /elsewhere")
    worktree.restore(worktree.base_tree)
    assert content(worktree.folder) == content(place.checkout)
    assert (outside / "app.py").read_text() == "not the workspace's"
    assert list((worktree.folder / ".git").iterdir()) == []


def test_a_tree_deeper_than_a_path_may_be_long_harms_nothing_and_can_be_removed(place: Any, content: Content) -> None:
    worktree = place.worktree()
    here = os.open(worktree.folder, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=here)
        deeper = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    worktree.snapshot("deep", at=1)
    worktree.restore(worktree.base_tree)
    assert content(worktree.folder) == content(place.checkout)


def test_restoring_what_is_there_touches_nothing(place: Any) -> None:
    worktree = place.worktree()
    files = [worktree.folder / name for name in ("README.md", "src/app.py")]
    before = [(path.stat().st_ino, path.stat().st_mtime_ns) for path in files]
    worktree.restore(worktree.base_tree)
    assert [(path.stat().st_ino, path.stat().st_mtime_ns) for path in files] == before


def test_many_files(place: Any) -> None:
    worktree = place.worktree()
    for number in range(1500):
        path = worktree.folder / f"many/{number % 40}/{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(number))
    after = worktree.snapshot("1.1", at=1).tree
    assert len(worktree.changes(worktree.base, after)) == 1500
    worktree.restore(worktree.base_tree)
    assert not (worktree.folder / "many").exists()
    worktree.restore(after)
    assert (worktree.folder / "many/39/1479.txt").read_text() == "1479"


def test_snapshots_are_chained_deterministic_and_repeatable(place: Any) -> None:
    worktree, other = place.worktree("r1"), place.worktree("r2")
    for each in (worktree, other):
        (each.folder / "a.txt").write_text("a")
    first = worktree.snapshot("1.1", at=100.7)
    assert worktree.snapshot("1.1", at=999) == first
    assert other.snapshot("1.1", at=100) == first
    (worktree.folder / "b.txt").write_text("b")
    second = worktree.snapshot("1.2", at=200)
    git = place.store.git()
    assert git.line("rev-list", "--parents", second.commit).splitlines()[:2] == [
        f"{second.commit} {first.commit}",
        f"{first.commit} {worktree.base}",
    ]
    assert git.line("rev-parse", "refs/andon/r1/1.2") == second.commit
    assert place.store.labels("r1") == ["1.1", "1.2"]
    (worktree.folder / "b.txt").write_text("again")
    redone = worktree.snapshot("1.2", at=200)
    assert redone.tree != second.tree
    assert place.store.ref("r1", "1.2") == redone.commit


def test_labels_that_are_no_part_of_a_ref_are_refused(place: Any) -> None:
    worktree = place.worktree()
    for label in ("", "../x", "a/b", ".x", "x.lock", "a..b", "x.", "a b"):
        with pytest.raises(ValueError, match="cannot be part of a ref"):
            worktree.snapshot(label, at=1)


def test_the_base_survives_garbage_collection(place: Any, content: Content) -> None:
    base = place.write("only-here.txt", "x" * 1000)
    place.commit("to be thrown away")
    kept = content(place.checkout)
    worktree = place.worktree()
    place.write("other-branch.txt", "known to the person's repository only\n")
    place.commit("also thrown away")
    # The agent happens to write what the person's repository knows already.
    shutil.copy(place.checkout / "other-branch.txt", worktree.folder)
    after = worktree.snapshot("1.1", at=1).tree
    place.git("reset", "-q", "--hard", "HEAD~2")
    place.git("reflog", "expire", "--expire=now", "--all")
    place.git("gc", "-q", "--prune=now")
    assert not base.exists()
    shutil.rmtree(worktree.folder)
    worktree.ensure(after)
    assert set(content(worktree.folder)) == {*kept, "other-branch.txt"}
    worktree.remove()
    place.store.forget("r1")
    assert place.git("for-each-ref", "refs/andon") == ""


def test_X_10_two_worktrees_of_one_run_do_not_see_each_other(place: Any) -> None:
    main = place.worktree()
    (main.folder / "plan.md").write_text("plan")
    start = main.snapshot("1.1", at=1)
    sides = [
        Worktree.create(place.store, run="r1", name=name, folder=place.root / name, base=start.commit)
        for name in ("impl", "test")
    ]
    for side in sides:
        assert (side.folder / "plan.md").read_text() == "plan"
        (side.folder / f"{side.record.name}.py").write_text("x")
    trees = [side.snapshot(f"2.{side.record.name}", at=2).tree for side in sides]
    assert [sides[0].changes(start.tree, tree) for tree in trees] == [
        [Change("impl.py", "added")],
        [Change("test.py", "added")],
    ]
    assert not (main.folder / "impl.py").exists()
    for side in sides:
        side.remove()
    assert [record.name for record in place.store.worktrees()] == ["main"]


def test_removing_is_complete_and_repeatable(place: Any) -> None:
    worktree = place.worktree()
    snapshot = worktree.snapshot("1.1", at=1)
    (worktree.folder / "link").symlink_to(place.checkout)
    worktree.remove()
    worktree.remove()
    assert not worktree.folder.exists()
    assert (place.checkout / "README.md").exists()
    assert place.store.worktrees() == []
    assert place.store.ref("r1", "1.1") == snapshot.commit
    assert place.worktree().folder.is_dir()


def test_a_folder_that_vanished_comes_back_with_the_wanted_tree(place: Any, content: Content) -> None:
    worktree = place.worktree()
    (worktree.folder / "a.txt").write_text("a")
    wanted, tree = content(worktree.folder), worktree.snapshot("1.1", at=1).tree
    shutil.rmtree(worktree.folder)
    worktree.ensure(tree)
    assert content(worktree.folder) == wanted
    (worktree.folder / "a.txt").write_text("b")
    worktree.ensure(tree)
    assert (worktree.folder / "a.txt").read_text() == "b"


def test_E_13_a_folder_that_vanished_between_processes_comes_back_with_the_work(place: Any, content: Content) -> None:
    worktree = place.worktree()
    (worktree.folder / "a.txt").write_text("a")
    wanted, tree = content(worktree.folder), worktree.snapshot("1.1", at=1).tree
    shutil.rmtree(worktree.folder)
    again = place.worktree()
    again.ensure(tree)
    assert content(again.folder) == wanted


def test_E_13_the_draft_of_a_killed_writer_is_in_no_snapshot_and_goes_with_the_next_write(place: Any) -> None:
    worktree = place.worktree()
    for name in ("notes.md", "other.md"):
        (worktree.folder / f"{name}.{'0a' * 16}.tmp").write_text("half")
    assert worktree.snapshot("1.1", at=1).tree == worktree.base_tree
    write_contained(worktree.folder, "notes.md", "whole")
    assert [path.name for path in worktree.folder.glob("*.tmp")] == [f"other.md.{'0a' * 16}.tmp"]


def test_odd_places(place: Any, tmp_path: Path) -> None:
    odd = tmp_path / 'o:d "d\\ 폴더'
    odd.mkdir()
    shutil.copytree(place.checkout, odd / "checkout")
    moved = type(place)(odd)
    worktree = moved.worktree()
    (worktree.folder / "a.txt").write_text("a")
    after = worktree.snapshot("1.1", at=1).tree
    assert worktree.changes(worktree.base, after) == [Change("a.txt", "added")]


def test_repositories_with_sha256_names(place: Any, tmp_path: Path) -> None:
    modern = type(place)(tmp_path / "modern")
    modern.checkout.mkdir(parents=True)
    modern.git("init", "-q", "-b", "main", "--object-format=sha256")
    modern.write("a.txt", "a")
    modern.commit()
    worktree = modern.worktree()
    (worktree.folder / "b.txt").write_text("b")
    tree = worktree.snapshot("1.1", at=1).tree
    assert len(tree) == 64
    assert modern.git("rev-parse", f"{worktree.publish('feat/b', tree, 'b', at=1)}^{{tree}}") == tree
