"""Which paths, folders and globs a list of files has something for. Names alone; nothing is read."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import PurePosixPath


def matching(files: Iterable[str], patterns: Iterable[str]) -> frozenset[str]:
    """Those of the patterns, as they were given, that a file or a folder answers to. A star matches slashes too."""
    names = set(files)
    folders = {str(above) for name in names for above in PurePosixPath(name).parents}
    return frozenset(each for each in patterns if _answered(each.rstrip("/"), names, folders))


def _answered(pattern: str, names: set[str], folders: set[str]) -> bool:
    if pattern in names or pattern in folders:
        return True
    return any(letter in pattern for letter in "*?[") and any(fnmatchcase(name, pattern) for name in names)
