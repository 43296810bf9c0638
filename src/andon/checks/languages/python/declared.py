"""Whether a Python project installs a certain package for its checks, read from what it declares and locks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from andon.checks.reading import LOCK_BYTES, read_text, strings, table

_NAME = re.compile(r"[A-Za-z0-9][\w.\-]*")
_LOCKED_NAME = re.compile(r'^name = "([^"]+)"$', re.MULTILINE)


def installs(
    folder: Path, pyproject: Mapping[str, Any], requirements: tuple[str, ...], chosen: Collection[str], package: str
) -> bool:
    """`chosen`: the groups and extras that are installed. Others may name it, and a lock file lists those as well."""
    declared = set(_declared(pyproject, chosen)) | set(_required(folder, requirements))
    if package in declared:
        return True
    elsewhere = {name for _, names in _groups(pyproject) for name in names}
    return package not in elsewhere and package in _locked(folder)


def _declared(pyproject: Mapping[str, Any], chosen: Collection[str]) -> Iterator[str]:
    yield from _names(strings(table(pyproject.get("project")).get("dependencies")))
    for group, names in _groups(pyproject):
        if group.lower() in chosen:
            yield from names


def _groups(pyproject: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Extras and dependency groups, and what they name; a group may include another one."""
    groups = table(pyproject.get("dependency-groups"))
    for group in groups:
        yield group, _names(_included(groups, group, frozenset()))
    for extra, lines in table(table(pyproject.get("project")).get("optional-dependencies")).items():
        yield extra, _names(strings(lines))


def _included(groups: Mapping[str, Any], group: str, seen: frozenset[str]) -> tuple[str, ...]:
    value: object = groups.get(group)
    if group in seen or not isinstance(value, list):
        return ()
    others = [table(item).get("include-group") for item in cast("list[object]", value)]
    further = (line for other in others if isinstance(other, str) for line in _included(groups, other, seen | {group}))
    return (*strings(groups[group]), *further)


def _required(folder: Path, requirements: tuple[str, ...]) -> Iterator[str]:
    for path in requirements:
        text = read_text(folder, path)
        if isinstance(text, str):
            yield from _names(tuple(line.strip() for line in text.splitlines()))


def _locked(folder: Path) -> set[str]:
    found: set[str] = set()
    for path in ("uv.lock", "pylock.toml"):
        text = read_text(folder, path, limit=LOCK_BYTES)
        if isinstance(text, str):
            found.update(_plain(name) for name in _LOCKED_NAME.findall(text))
    return found


def _names(lines: tuple[str, ...]) -> list[str]:
    return [_plain(match[0]) for line in lines if (match := _NAME.match(line))]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
