"""Trees of a store as data: what differs between two, the content of files, and new trees made of parts of others.

git reads and writes objects only; nothing is checked out and no attribute of a tree takes part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from andon.domain.changeset import SUBMODULE, Changed, ChangeSet, Side
from andon.workspace import comparison
from andon.workspace.disposable import disposable_git
from andon.workspace.entries import NOTHING, Entry, changing, differences, entries
from andon.workspace.files import write_contained
from andon.workspace.git import Git
from andon.workspace.removal import remove_tree
from andon.workspace.store import Store
from andon.workspace.worktree import checkout

LARGEST_FILE = 2 * 1024 * 1024
"""Of which verification reads the content."""


class StoredTrees:
    """Implements ports.Trees on a repository's store; `base` is what a disposable .git holds."""

    def __init__(self, store: Store, base: str) -> None:
        self._store = store
        self._base = base

    def change_set(self, before: str, after: str) -> ChangeSet:
        git = self._store.git()
        found = differences(git, before, after)
        readable = (entry for sides in found.values() for entry in sides if entry.is_there and entry.mode != SUBMODULE)
        contents = _contents(git, {entry.object for entry in readable})

        def side(entry: Entry) -> Side | None:
            return Side(entry.mode, contents.get(entry.object)) if entry.is_there else None

        return ChangeSet(
            tuple(Changed(path, side(old), side(new)) for path, (old, new) in found.items()),
            frozenset(entries(git, before)),
            frozenset(entries(git, after)),
            comparison.diff(git, before, after),
        )

    def contents(self, tree: str, paths: Collection[str]) -> dict[str, bytes]:
        """Of those of the paths that are regular files there, and not too large to be read."""
        git = self._store.git()
        wanted = {path: entry for path, entry in entries(git, tree).items() if path in paths}
        regular = {path: entry.object for path, entry in wanted.items() if entry.mode.startswith("100")}
        found = _contents(git, set(regular.values()))
        return {path: found[name] for path, name in regular.items() if name in found}

    def with_paths_of(self, tree: str, other: str, paths: Iterable[str]) -> str:
        """`tree`, with these paths as `other` has them: also gone, where it has none."""
        [mixed] = self.in_parts(tree, other, [paths])
        return mixed

    def in_parts(self, tree: str, other: str, parts: Sequence[Iterable[str]]) -> list[str]:
        """The trees on the way from `tree` to `other`, when these paths are changed one part after the other."""
        theirs, gone = entries(self._store.git(), other), Entry(NOTHING, "0" * len(other))
        with changing(self._store, tree) as index:
            return [index.changed({path: theirs.get(path, gone) for path in paths}) for paths in parts]

    def paths(self, tree: str) -> list[str]:
        return [*entries(self._store.git(), tree)]

    def clean_copy(self, tree: str, folder: Path, edits: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """A copy of the tree, some of its files made otherwise: no link of the tree leads a writer out of it."""
        checkout(self._store, tree, folder)
        for path, content in edits.items():
            write_contained(folder, path, content, keep=False)

    def disposable_git(self, folder: Path) -> None:
        disposable_git(self._store, self._base, folder)

    def discard(self, folder: Path) -> None:
        remove_tree(folder)


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
