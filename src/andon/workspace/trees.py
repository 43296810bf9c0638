"""Trees of a store as data: what differs between two, the content of files, and new trees made of parts of others.

git reads and writes objects only; nothing is checked out and no attribute of a tree takes part.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from andon.domain.changeset import SUBMODULE, Changed, ChangeSet, Side
from andon.workspace import comparison
from andon.workspace.git import Git, split
from andon.workspace.store import Store

LARGEST_FILE = 2 * 1024 * 1024
"""Of which verification reads the content."""
NOTHING = "000000"


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    object: str


def change_set(store: Store, before: str, after: str) -> ChangeSet:
    git = store.git()
    fields = split(git.call("diff-tree", "-r", "-z", "--no-renames", "--raw", "--full-index", before, after))
    pairs = [(_heads(head), path) for head, path in zip(fields[::2], fields[1::2], strict=True)]
    wanted = {entry.object for (old, new), _ in pairs for entry in (old, new) if entry.mode not in (NOTHING, SUBMODULE)}
    contents = _contents(git, wanted)

    def side(entry: _Entry) -> Side | None:
        return None if entry.mode == NOTHING else Side(entry.mode, contents.get(entry.object))

    return ChangeSet(
        tuple(Changed(path, side(old), side(new)) for (old, new), path in pairs),
        frozenset(_entries(git, before)),
        frozenset(_entries(git, after)),
        comparison.diff(git, before, after),
    )


def contents(store: Store, tree: str, paths: Collection[str]) -> dict[str, bytes]:
    """Of those of the paths that are regular files there, and not too large to be read."""
    git = store.git()
    entries = {path: entry for path, entry in _entries(git, tree).items() if path in paths}
    regular = {path: entry.object for path, entry in entries.items() if entry.mode.startswith("100")}
    found = _contents(git, set(regular.values()))
    return {path: found[name] for path, name in regular.items() if name in found}


def with_paths_of(store: Store, tree: str, other: str, paths: Iterable[str]) -> str:
    """`tree`, with these paths as `other` has them: also gone, where it has none."""
    theirs = _entries(store.git(), other)
    lines: list[str] = []
    for path in paths:
        entry = theirs.get(path)
        # Mode 0 takes a path away; whatever stood in its place as a folder goes by the others' paths.
        lines.append(f"{entry.mode} {entry.object}\t{path}" if entry else f"0 {'0' * 40}\t{path}")
    with TemporaryDirectory(prefix="andon-") as scratch:
        git = store.git(index=Path(scratch) / "index")
        git.call("read-tree", tree)
        # Those that go first: a file may stand where the other tree has a folder.
        lines.sort(key=lambda line: not line.startswith("0 "))
        git.call("update-index", "-z", "--index-info", stdin=b"".join(os.fsencode(line) + b"\0" for line in lines))
        return git.line("write-tree", "--missing-ok")


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
