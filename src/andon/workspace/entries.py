"""What a tree holds by path, how two differ, and trees made by changing some paths of another: objects only."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from andon.workspace.git import Git, joined, split
from andon.workspace.store import Store

NOTHING = "000000"
"""The mode of a path that is not there."""


@dataclass(frozen=True, slots=True)
class Entry:
    mode: str
    object: str

    @property
    def is_there(self) -> bool:
        return self.mode != NOTHING


def entries(git: Git, tree: str) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for line in split(git.call("ls-tree", "-r", "-z", "--full-tree", tree)):
        head, _, path = line.partition("\t")
        mode, _, name = head.split(" ")
        found[path] = Entry(mode, name)
    return found


def differences(git: Git, before: str, after: str) -> dict[str, tuple[Entry, Entry]]:
    """Every path that differs, in git's order, with what it was and what it is."""
    fields = split(git.call("diff-tree", "-r", "-z", "--no-renames", "--raw", "--full-index", before, after))
    return {path: _sides(head) for head, path in zip(fields[::2], fields[1::2], strict=True)}


def _sides(head: str) -> tuple[Entry, Entry]:
    old_mode, new_mode, old, new, _ = head.removeprefix(":").split(" ")
    return Entry(old_mode, old), Entry(new_mode, new)


class Changing:
    """A tree on the way to another, in an index of its own."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def changed(self, paths: Mapping[str, Entry]) -> str:
        """The tree with these paths as given as well."""
        # Those that go first: a file may stand where the other tree has a folder.
        ordered = sorted(paths.items(), key=lambda each: each[1].is_there)
        lines = [f"{entry.mode if entry.is_there else '0'} {entry.object}\t{path}" for path, entry in ordered]
        self._git.call("update-index", "-z", "--index-info", stdin=joined(lines))
        return self._git.line("write-tree", "--missing-ok")


@contextmanager
def changing(store: Store, tree: str) -> Generator[Changing]:
    with TemporaryDirectory(prefix="andon-") as scratch:
        index = Path(scratch) / "index"
        store.git(index=index).call("read-tree", tree)
        yield Changing(store.git(index=index, borrow=False))
