"""A change as verification looks at it: every path that differs between two trees, with both contents and modes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
"""The modes git knows."""


@dataclass(frozen=True, slots=True)
class Side:
    """A path in one of the two trees."""

    mode: str
    content: bytes | None
    """Of a link, where it points. None: a submodule, or larger than what is read."""

    @property
    def regular(self) -> bool:
        return self.mode in (FILE, PROGRAM)

    @property
    def text(self) -> str | None:
        """None for what is not a regular file of UTF-8 text."""
        if not self.regular or self.content is None or b"\0" in self.content:
            return None
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True, slots=True)
class Changed:
    path: str
    before: Side | None
    after: Side | None

    @property
    def added(self) -> bool:
        return self.before is None

    @property
    def deleted(self) -> bool:
        return self.after is None

    @property
    def old(self) -> str | None:
        """The text before; None where there is none."""
        return self.before.text if self.before else None

    @property
    def new(self) -> str | None:
        return self.after.text if self.after else None


@dataclass(frozen=True)
class ChangeSet:
    files: tuple[Changed, ...]
    before: frozenset[str] = frozenset()
    """Every path of the base."""
    after: frozenset[str] = frozenset()
    """Every path of the new tree."""
    diff: str = ""
    """The same as a unified diff, cut where it is very large."""

    @cached_property
    def by_path(self) -> dict[str, Changed]:
        return {each.path: each for each in self.files}

    def __iter__(self) -> Iterator[Changed]:
        return iter(self.files)

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Old path → new path, of files that moved with nothing or little changed in them."""
        gone = {each.path: each.old for each in self.files if each.deleted and each.before and each.before.regular}
        fresh = {each.path: each.new for each in self.files if each.added and each.after and each.after.regular}
        found = _equal(gone, fresh)
        taken = {*found.values()}
        rest = {path: _told_lines(text) for path, text in fresh.items() if text and path not in taken}
        where: dict[str, list[str]] = {}
        for path, lines in rest.items():
            for line in lines:
                where.setdefault(line, []).append(path)
        for path, text in gone.items():
            if path not in found and text:
                new = _most_alike(_told_lines(text), rest, where)
                if new:
                    found[path] = new
                    del rest[new]
        return found


ALIKE = 0.6
"""The share of lines two files have in common when one is taken for the other, moved."""
MOST_WITH_A_LINE = 200
"""Files with the same line, beyond which that line says nothing of where one went."""


def _equal(gone: dict[str, str | None], fresh: dict[str, str | None]) -> dict[str, str]:
    """Those that moved as they are; of several, to the one whose path is most alike."""
    places: dict[str, list[str]] = {}
    for path, text in fresh.items():
        if text:
            places.setdefault(text, []).append(path)
    found: dict[str, str] = {}
    for path, text in gone.items():
        free = places.get(text or "", [])
        if free:
            found[path] = max(free, key=lambda new: (_common_end(path, new), new))
            free.remove(found[path])
    return found


def _most_alike(lines: frozenset[str], rest: dict[str, frozenset[str]], where: dict[str, list[str]]) -> str:
    telling = [where[line] for line in lines if line in where]
    near = {path for paths in telling if len(paths) <= MOST_WITH_A_LINE for path in paths if path in rest}
    pairs = [(len(lines & rest[path]) / max(len(lines), len(rest[path]), 1), path) for path in near]
    share, path = max(pairs, default=(0.0, ""))
    return path if share >= ALIKE else ""


def _told_lines(text: str) -> frozenset[str]:
    return frozenset(line for line in text.splitlines() if line.strip())


def _common_end(first: str, second: str) -> int:
    """How many names two paths end with alike."""
    pairs = zip(reversed(first.split("/")), reversed(second.split("/")), strict=False)
    return next(
        (count for count, (one, other) in enumerate(pairs) if one != other),
        min(first.count("/"), second.count("/")) + 1,
    )
