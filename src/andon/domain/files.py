"""What happens to the files of a run: changes between two trees, branches, and how those come together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    path: str
    kind: str
    """added, modified, deleted, or type (a file became a link, or the reverse)."""


@dataclass(frozen=True, slots=True)
class Part:
    """One commit of a series."""

    message: str
    paths: tuple[str, ...] = ()
    """Of what changed since the commit before; nothing for all of it."""


@dataclass(frozen=True, slots=True)
class Branch:
    name: str
    began: str
    """The tree it began with."""
    tree: str


@dataclass(frozen=True, slots=True)
class Merged:
    tree: str
    """With the work of every branch that fits."""
    left: tuple[str, ...] = ()
    """Branches that do not: the tree is without their work."""
    conflicts: tuple[str, ...] = ()
    """The paths they changed otherwise than the tree has them."""
