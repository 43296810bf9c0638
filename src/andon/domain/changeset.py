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
        gone = [each for each in self.files if each.deleted and each.before and each.before.regular]
        fresh = [each for each in self.files if each.added and each.after and each.after.regular]
        found: dict[str, str] = {}
        for old in gone:
            pairs = [(_alike(old.old, new.new), new.path) for new in fresh if new.path not in found.values()]
            best = max(pairs, default=(0.0, ""))
            if best[0] >= ALIKE:
                found[old.path] = best[1]
        return found


ALIKE = 0.6
"""The share of lines two files have in common when one is taken for the other, moved."""


def _alike(old: str | None, new: str | None) -> float:
    if not old or not new:
        return 0.0
    if old == new:
        return 1.0
    first, second = ({line for line in text.splitlines() if line.strip()} for text in (old, new))
    return len(first & second) / max(len(first), len(second), 1)
