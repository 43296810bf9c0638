"""Bringing parallel work together: a three-way merge of trees, in andon's own store, touching nobody's files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from andon.ports import Branch
from andon.workspace.merging import merge


def branch(place: Any, name: str, work: Callable[[Path], object]) -> Branch:
    """The work of one that began at the base."""
    worktree = place.worktree(name=name)
    work(worktree.folder)
    return Branch(name, base(place), worktree.snapshot(f"{name}.1", at=1).tree)


def base(place: Any) -> str:
    return place.git("rev-parse", "HEAD^{tree}")


def files(place: Any, tree: str) -> dict[str, str]:
    """Path → content of a tree of the store."""
    git = place.store.git()
    names = git.call("ls-tree", "-r", "--name-only", "-z", tree).decode().split("\0")[:-1]
    return {name: git.call("cat-file", "blob", f"{tree}:{name}").decode() for name in names}


def refs(place: Any) -> dict[str, str]:
    lines = place.store.git().call("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    return {name.rpartition("/")[2]: commit for name, commit in (line.split() for line in lines)}


def test_A_35_work_on_different_files_comes_together(place: Any) -> None:
    branches = [
        branch(place, "api", lambda folder: (folder / "src/api.py").write_text("api = 1\n")),
        branch(place, "ui", lambda folder: (folder / "src/ui.py").write_text("ui = 1\n")),
    ]

    merged = merge(place.store, "r1", base(place), branches, at=1)

    assert merged.conflicts == ()
    assert files(place, merged.tree) == {
        ".gitignore": "*.log\nbuild/\n",
        "README.md": "hello\n",
        "src/app.py": "print('one')\n",
        "src/api.py": "api = 1\n",
        "src/ui.py": "ui = 1\n",
    }


def test_A_35_different_lines_of_one_file_come_together(place: Any) -> None:
    place.write("notes.md", "".join(f"line {n}\n" for n in range(20)))
    place.commit("longer")
    branches = [
        branch(place, "top", lambda folder: edit(folder / "notes.md", "line 1\n", "first\n")),
        branch(place, "end", lambda folder: edit(folder / "notes.md", "line 18\n", "last\n")),
    ]

    merged = merge(place.store, "r1", base(place), branches, at=1)

    text = files(place, merged.tree)["notes.md"]
    assert merged.conflicts == () and "first\n" in text and "last\n" in text


def test_G_27_the_same_line_changed_twice_is_a_conflict_and_names_the_file(place: Any) -> None:
    branches = [
        branch(place, "a", lambda folder: (folder / "README.md").write_text("from a\n")),
        branch(place, "b", lambda folder: (folder / "README.md").write_text("from b\n")),
    ]

    assert merge(place.store, "r1", base(place), branches, at=1).conflicts == ("README.md",)


def test_G_27_one_that_does_not_fit_keeps_no_other_out(place: Any) -> None:
    branches = [
        branch(place, "a", lambda folder: (folder / "README.md").write_text("from a\n")),
        branch(place, "b", lambda folder: (folder / "README.md").write_text("from b\n")),
        branch(place, "c", lambda folder: (folder / "c.py").write_text("c = 1\n")),
    ]

    merged = merge(place.store, "r1", base(place), branches, at=1)

    found = files(place, merged.tree)
    assert (merged.left, merged.conflicts) == (("b",), ("README.md",))
    assert (found["README.md"], found["c.py"]) == ("from a\n", "c = 1\n")


def test_G_27_a_file_that_one_deletes_and_another_changes_is_a_conflict(place: Any) -> None:
    branches = [
        branch(place, "a", lambda folder: (folder / "src/app.py").unlink()),
        branch(place, "b", lambda folder: (folder / "src/app.py").write_text("print('two')\n")),
    ]

    assert merge(place.store, "r1", base(place), branches, at=1).conflicts == ("src/app.py",)


def test_A_35_a_deletion_and_a_rename_are_kept(place: Any) -> None:
    branches = [
        branch(place, "a", lambda folder: (folder / "README.md").unlink()),
        branch(place, "b", lambda folder: (folder / "src/app.py").rename(folder / "src/main.py")),
    ]

    merged = merge(place.store, "r1", base(place), branches, at=1)

    assert merged.conflicts == () and set(files(place, merged.tree)) == {".gitignore", "src/main.py"}


def test_A_35_a_change_follows_a_file_that_another_renamed(place: Any) -> None:
    place.write("src/long.py", "".join(f"x{n} = {n}\n" for n in range(30)))
    place.commit("longer")
    branches = [
        branch(place, "a", lambda folder: (folder / "src/long.py").rename(folder / "src/moved.py")),
        branch(place, "b", lambda folder: edit(folder / "src/long.py", "x3 = 3\n", "x3 = 33\n")),
    ]

    merged = merge(place.store, "r1", base(place), branches, at=1)

    assert merged.conflicts == () and "x3 = 33\n" in files(place, merged.tree)["src/moved.py"]


def test_A_143_work_that_began_earlier_comes_together_with_what_a_person_did_since(place: Any) -> None:
    work = branch(place, "api", lambda folder: (folder / "src/api.py").write_text("api = 1\n"))
    person = branch(place, "person", lambda folder: (folder / "README.md").write_text("by a person\n"))

    merged = merge(place.store, "r1", person.tree, [work], at=1)

    found = files(place, merged.tree)
    assert merged.conflicts == () and found["README.md"] == "by a person\n" and found["src/api.py"] == "api = 1\n"


def test_A_143_a_persons_edit_of_the_same_file_is_a_conflict(place: Any) -> None:
    work = branch(place, "api", lambda folder: (folder / "README.md").write_text("by an agent\n"))
    person = branch(place, "person", lambda folder: (folder / "README.md").write_text("by a person\n"))

    assert merge(place.store, "r1", person.tree, [work], at=1).conflicts == ("README.md",)


def test_E_13_the_same_branches_give_the_same_tree_and_refs_however_often(place: Any) -> None:
    branches = [
        branch(place, "api", lambda folder: (folder / "api.py").write_text("api = 1\n")),
        branch(place, "ui", lambda folder: (folder / "ui.py").write_text("ui = 1\n")),
    ]

    first = merge(place.store, "r1", base(place), branches, at=1)
    kept = refs(place)
    second = merge(place.store, "r1", base(place), branches, at=1)

    assert first == second and refs(place) == kept


def test_E_13_every_branch_stays_reachable_by_its_name_also_after_a_conflict(place: Any) -> None:
    branches = [
        branch(place, "a", lambda folder: (folder / "README.md").write_text("from a\n")),
        branch(place, "b", lambda folder: (folder / "README.md").write_text("from b\n")),
    ]

    merge(place.store, "r1", base(place), branches, at=1)

    kept = refs(place)
    for each in branches:
        assert place.store.git().line("rev-parse", f"{kept[f'branch-{each.name}']}^{{tree}}") == each.tree


def test_the_persons_repository_is_left_alone(place: Any) -> None:
    branches = [
        branch(place, "a", lambda folder: (folder / "a.py").write_text("a\n")),
        branch(place, "b", lambda folder: (folder / "b.py").write_text("b\n")),
    ]
    before = place.git("for-each-ref"), place.git("status", "--porcelain")

    merge(place.store, "r1", base(place), branches, at=1)

    assert (place.git("for-each-ref"), place.git("status", "--porcelain")) == before


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_G_27_a_file_where_another_made_a_folder_is_a_conflict(place: Any) -> None:
    def folder(root: Path) -> None:
        (root / "notes").mkdir()
        (root / "notes/one.md").write_text("one\n")

    branches = [branch(place, "a", folder), branch(place, "b", lambda root: (root / "notes").write_text("file\n"))]

    for order in (branches, branches[::-1]):
        merged = merge(place.store, "r1", base(place), order, at=1)
        assert merged.left == (order[1].name,) and merged.conflicts


def test_A_35_the_same_file_made_twice_alike_comes_together(place: Any) -> None:
    branches = [branch(place, name, lambda root: (root / "same.md").write_text("same\n")) for name in ("a", "b")]

    merged = merge(place.store, "r1", base(place), branches, at=1)

    assert merged.conflicts == () and files(place, merged.tree)["same.md"] == "same\n"


def test_A_35_what_one_deletes_and_another_moves_aside_comes_together(place: Any) -> None:
    branches = [
        branch(place, "a", lambda root: (root / "README.md").unlink()),
        branch(place, "b", lambda root: (root / "src/app.py").rename(root / "src/main.py")),
        branch(place, "c", lambda root: (root / "src/ui.py").write_text("ui = 1\n")),
    ]

    merged = merge(place.store, "r1", base(place), branches, at=1)

    assert sorted(files(place, merged.tree)) == [".gitignore", "src/main.py", "src/ui.py"]


def test_G_27_what_one_deletes_and_another_changes_is_a_conflict(place: Any) -> None:
    branches = [
        branch(place, "a", lambda root: (root / "README.md").unlink()),
        branch(place, "b", lambda root: (root / "README.md").write_text("changed\n")),
    ]

    merged = merge(place.store, "r1", base(place), branches, at=1)

    assert merged.left == ("b",) and merged.conflicts == ("README.md",)
