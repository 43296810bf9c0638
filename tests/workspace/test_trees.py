"""Trees as data: what differs, contents, and trees made of parts of others; and a checkout taken as it really is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from andon.workspace.checkout import tree_of_checkout
from andon.workspace.files import OutsideWorkspace
from andon.workspace.repository import Repository
from andon.workspace.store import Store
from andon.workspace.trees import StoredTrees


class Place:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.write("a.txt", "one\n")
        self.write("tests/test_a.py", "old\n")
        self.commit()
        self.store = Store.open(folder / "data", Repository.open(self.root))
        self.trees = StoredTrees(self.store, self.git("rev-parse", "HEAD"))

    def git(self, *words: str) -> str:
        identity = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")
        return subprocess.run(
            ["git", *identity, *words], cwd=self.root, check=True, capture_output=True, text=True
        ).stdout.strip()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD^{tree}")

    def seen(self) -> str:
        """The tree of the checkout."""
        return tree_of_checkout(self.store, self.root, self.git("rev-parse", "HEAD"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_change_has_both_contents_and_modes(place: Place) -> None:
    before = place.git("rev-parse", "HEAD^{tree}")
    place.write("a.txt", "two\n")
    place.write("파일.txt", "new\n")
    (place.root / "link").symlink_to("a.txt")
    (place.root / "tests/test_a.py").unlink()
    after = place.commit()

    change = place.trees.change_set(before, after)

    told = {each.path: (each.old, each.new, each.after and each.after.mode) for each in change}
    assert told == {
        "a.txt": ("one\n", "two\n", "100644"),
        "link": (None, None, "120000"),
        "tests/test_a.py": ("old\n", None, None),
        "파일.txt": (None, "new\n", "100644"),
    }
    assert change.before == {"a.txt", "tests/test_a.py"} and "+two" in change.diff


def test_paths_of_one_tree_are_put_into_another(place: Place) -> None:
    before = place.git("rev-parse", "HEAD^{tree}")
    place.write("a.txt", "two\n")
    place.write("tests/test_a.py", "weaker\n")
    place.write("tests/test_b.py", "added\n")
    after = place.commit()

    mixed = place.trees.with_paths_of(after, before, ["tests/test_a.py", "tests/test_b.py"])

    assert place.trees.contents(mixed, place.trees.paths(mixed)) == {"a.txt": b"two\n", "tests/test_a.py": b"old\n"}


def test_a_file_gives_way_to_a_folder(place: Place, tmp_path: Path) -> None:
    before = place.git("rev-parse", "HEAD^{tree}")
    (place.root / "tests/test_a.py").unlink()
    (place.root / "tests").rmdir()
    (place.root / "tests").symlink_to("/etc")
    after = place.commit()

    mixed = place.trees.with_paths_of(after, before, ["tests", "tests/test_a.py"])
    place.trees.clean_copy(mixed, tmp_path / "copy", {"tests/test_a.py": b"edited\n"})

    assert (tmp_path / "copy/tests/test_a.py").read_text() == "edited\n"
    assert not (tmp_path / "copy/tests").is_symlink()


def test_an_edit_never_leaves_the_copy(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (place.root / "way").symlink_to(outside)
    tree = place.commit()

    with pytest.raises(OutsideWorkspace):
        place.trees.clean_copy(tree, tmp_path / "copy", {"way/out.txt": b"!"})

    assert not any(outside.iterdir())


@pytest.mark.parametrize("bit", ["--assume-unchanged", "--skip-worktree"])
def test_what_the_checkouts_index_hides_is_seen(place: Place, bit: str) -> None:
    place.git("update-index", bit, "a.txt")
    place.write("a.txt", "hidden\n")

    tree = place.seen()

    assert place.git("status", "--porcelain") == ""
    assert place.trees.contents(tree, ["a.txt"]) == {"a.txt": b"hidden\n"}


def test_a_checkout_is_taken_with_untracked_files_and_without_ignored_ones(place: Place) -> None:
    place.write(".gitignore", "*.log\n")
    place.write("new.txt", "n\n")
    place.write("noise.log", "l\n")
    (place.root / "a.txt").unlink()

    index = (place.root / ".git/index").read_bytes()
    paths = place.trees.paths(place.seen())

    assert paths == [".gitignore", "new.txt", "tests/test_a.py"]
    assert (place.root / ".git/index").read_bytes() == index
