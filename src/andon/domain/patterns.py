"""Which paths, folders and globs a list of files has something for, what git's patterns ignore, and which scopes meet.

Names alone.
"""

from __future__ import annotations

import re
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


def overlap(one: str, other: str) -> bool:
    """Whether two scopes have a file in common: the same, or one in the other's folder."""
    first, second = (f"{path.strip('/').removesuffix('/**').removeprefix('./')}/" for path in (one, other))
    return first.startswith(second) or second.startswith(first) or "./" in (first, second)


def ignored(file: str, pattern: str, folder: str = "") -> bool:
    """Whether a line of a .gitignore in the folder, taken alone, leaves out the file or a folder it is in."""
    pattern = re.sub(r"(?<!\\) +$", "", pattern.rstrip("\r\n"))
    if not pattern.strip("/") or pattern.startswith("#") or not file.startswith(f"{folder}/" if folder else ""):
        return False
    parts = [_as_glob(part) for part in pattern.strip("/").split("/")]
    wanted = parts if "/" in pattern.rstrip("/") else ["**", *parts]
    names = file.removeprefix(f"{folder}/" if folder else "").split("/")
    reached = _past_stars({0}, wanted)
    for index, name in enumerate(names):
        stay = {at for at in reached if at < len(wanted) and wanted[at] == "**"}
        step = {at + 1 for at in reached if at < len(wanted) and fnmatchcase(name, wanted[at])}
        reached = _past_stars(stay | step, wanted)
        if len(wanted) in reached and (index + 1 < len(names) or not pattern.endswith("/")):
            return True
    return False


def _as_glob(part: str) -> str:
    part = re.sub(r"\\([*?\[])", r"[\1]", part.replace("[^", "[!"))
    return re.sub(r"\\(.)", r"\1", part)


def _past_stars(reached: set[int], wanted: list[str]) -> set[int]:
    """Two stars stand for no folder, too; at the end of a pattern they stand for something."""
    found = set(reached)
    for at, part in enumerate(wanted[:-1]):
        if at in found and part == "**":
            found.add(at + 1)
    return found
