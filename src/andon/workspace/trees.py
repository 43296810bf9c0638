"""Trees of a store as data: what differs between two, the content of files, and new trees made of parts of others.

git reads and writes objects only; nothing is checked out and no attribute of a tree takes part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from andon.domain.changeset import SUBMODULE, Changed, ChangeSet, Side
from andon.workspace import comparison
from andon.workspace.disposable import disposable_git
from andon.workspace.files import write_contained
from andon.workspace.git import Git, joined, split
from andon.workspace.removal import remove_tree
from andon.workspace.store import Store
from andon.workspace.worktree import checkout

LARGEST_FILE = 2 * 1024 * 1024
"""Of which verification reads the content."""
NOTHING = "000000"


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    object: str


class StoredTrees:
    """Implements ports.Trees on a repository's store; `base` is what a disposable .git holds."""

    def __init__(self, store: Store, base: str) -> None:
        self._store = store
        self._base = base

    def change_set(self, before: str, after: str) -> ChangeSet:
        git = self._store.git()
        fields = split(git.call("diff-tree", "-r", "-z", "--no-renames", "--raw", "--full-index", before, after))
        pairs = [(_heads(head), path) for head, path in zip(fields[::2], fields[1::2], strict=True)]
        entries = (entry for sides, _ in pairs for entry in sides)
        contents = _contents(git, {entry.object for entry in entries if entry.mode not in (NOTHING, SUBMODULE)})

        def side(entry: _Entry) -> Side | None:
            return None if entry.mode == NOTHING else Side(entry.mode, contents.get(entry.object))

        return ChangeSet(
            tuple(Changed(path, side(old), side(new)) for (old, new), path in pairs),
            frozenset(_entries(git, before)),
            frozenset(_entries(git, after)),
            comparison.diff(git, before, after),
        )

    def contents(self, tree: str, paths: Collection[str]) -> dict[str, bytes]:
        """Of those of the paths that are regular files there, and not too large to be read."""
        git = self._store.git()
        entries = {path: entry for path, entry in _entries(git, tree).items() if path in paths}
        regular = {path: entry.object for path, entry in entries.items() if entry.mode.startswith("100")}
        found = _contents(git, set(regular.values()))
        return {path: found[name] for path, name in regular.items() if name in found}

    def with_paths_of(self, tree: str, other: str, paths: Iterable[str]) -> str:
        """`tree`, with these paths as `other` has them: also gone, where it has none."""
        theirs = _entries(self._store.git(), other)
        gone = [f"0 {'0' * len(other)}\t{path}" for path in paths if path not in theirs]
        kept = [f"{theirs[path].mode} {theirs[path].object}\t{path}" for path in paths if path in theirs]
        with TemporaryDirectory(prefix="andon-") as scratch:
            git = self._store.git(index=Path(scratch) / "index")
            git.call("read-tree", tree)
            # Those that go first: a file may stand where the other tree has a folder.
            git.call("update-index", "-z", "--index-info", stdin=joined([*gone, *kept]))
            return git.line("write-tree", "--missing-ok")

    def paths(self, tree: str) -> list[str]:
        return [*_entries(self._store.git(), tree)]

    def clean_copy(self, tree: str, folder: Path, edits: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """A copy of the tree, some of its files made otherwise: no link of the tree leads a writer out of it."""
        checkout(self._store, tree, folder)
        for path, content in edits.items():
            write_contained(folder, path, content, keep=False)

    def disposable_git(self, folder: Path) -> None:
        disposable_git(self._store, self._base, folder)

    def discard(self, folder: Path) -> None:
        remove_tree(folder)


def _heads(head: str) -> tuple[_Entry, _Entry]:
    old_mode, new_mode, old, new, _ = head.removeprefix(":").split(" ")
    return _Entry(old_mode, old), _Entry(new_mode, new)


def _entries(git: Git, tree: str) -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    for line in split(git.call("ls-tree", "-r", "-z", "--full-tree", tree)):
        head, _, path = line.partition("\t")
        mode, _, name = head.split(" ")
        found[path] = _Entry(mode, name)
    return found


def _contents(git: Git, names: Collection[str]) -> Mapping[str, bytes]:
    if not names:
        return {}
    sized = git.call("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=_lines(sorted(names)))
    pairs = [line.partition(" ") for line in sized.decode().splitlines()]
    small = [name for name, _, size in pairs if size.isdecimal() and int(size) <= LARGEST_FILE]
    output = git.call("cat-file", "--batch=%(objectname) %(objectsize)", stdin=_lines(small))
    found: dict[str, bytes] = {}
    position = 0
    for _ in small:
        end = output.index(b"\n", position)
        name, size = output[position:end].decode().split(" ")
        found[name] = output[end + 1 : end + 1 + int(size)]
        position = end + 2 + int(size)
    return found


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()
