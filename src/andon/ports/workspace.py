"""The files a run works on, and trees of its repository as data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from andon.domain.changeset import ChangeSet
from andon.domain.files import Branch, Change, Merged


class Trees(Protocol):
    """Trees of one repository: read, compared, put together and checked out. No file a person or agent sees changes."""

    def change_set(self, before: str, after: str) -> ChangeSet:
        """Every path that differs, with both contents."""
        ...

    def contents(self, tree: str, paths: Collection[str]) -> dict[str, bytes]:
        """Of those of the paths that are regular files there."""
        ...

    def with_paths_of(self, tree: str, other: str, paths: Iterable[str]) -> str:
        """`tree`, with these paths as `other` has them: also gone, where it has none."""
        ...

    def in_parts(self, tree: str, other: str, parts: Sequence[Iterable[str]]) -> list[str]:
        """The trees on the way from `tree` to `other`, when these paths are changed one part after the other."""
        ...

    def paths(self, tree: str) -> list[str]:
        """Every file of a tree."""
        ...

    def clean_copy(self, tree: str, folder: Path, edits: Mapping[str, bytes] = ...) -> None:
        """The tree in a new folder, some of its files made otherwise."""
        ...

    def disposable_git(self, folder: Path) -> None: ...

    def discard(self, folder: Path) -> None:
        """Remove a folder that strangers' code shaped: any depth, any mode."""
        ...


class Workspace(Trees, Protocol):
    """The files one run works on: a git tree whose gitdir, index and configuration andon owns."""

    @property
    def folder(self) -> Path: ...
    @property
    def base(self) -> str:
        """Tree id the run started from."""
        ...

    def ensure(self, tree: str) -> bool:
        """Make the folder exist; when it has to be made anew, with the content of `tree`. Whether it is exactly that,
        as nobody has had it yet."""
        ...

    def snapshot(self, label: str, at: float) -> str:
        """Keep the folder's present content under a ref andon owns; returns the tree id."""
        ...

    def restore(self, tree: str) -> None: ...

    def changes(self, before: str, after: str) -> list[Change]: ...

    def diff(self, before: str, after: str, whole: Sequence[str] = ()) -> str:
        """Of everything; or of the files named, from their first line to their last."""
        ...

    def beside(self, name: str) -> Workspace:
        """Another folder of the same run, for a parallel worker. Made when it is first used."""
        ...

    def merge(self, onto: str, branches: Sequence[Branch], at: float) -> Merged:
        """`onto` with the work of the branches that fit, one after the other."""
        ...

    def publish(self, tree: str, message: str, at: float) -> str:
        """One commit with this tree on the run's branch in the person's repository; returns its id."""
        ...

    def commit(self, parent: str, tree: str, message: str, at: float) -> str:
        """One commit of a series, on top of this one or of the base; kept by andon until the series is published."""
        ...

    def publish_series(self, commits: Sequence[str]) -> str:
        """All of these commits as the run's branch in the person's repository; returns the last one's id."""
        ...

    def read(self, path: str) -> str | None: ...

    def write(self, path: str, text: str) -> None: ...

    def append(self, path: str, text: str) -> None:
        """At the end of a file, whole and once."""
        ...

    def mirror_end(self, path: str, text: str) -> None:
        """The same in the person's checkout, where others may append too."""
        ...

    def drop(self, paths: Sequence[str]) -> None:
        """Remove these files; those that are gone already do not matter."""
        ...

    def mirror(self, path: str, text: str) -> None:
        """Write a state file into the person's checkout as well."""
        ...

    def remove(self) -> None: ...
