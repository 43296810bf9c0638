"""The ladder of a Python project: every way in which it says what its tests run with, the surest first.

Reads files of the clean tree; runs nothing. Which rung holds is found out by `choosing.py`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from andon.checks.building import Site
from andon.checks.languages.python.declared import Declared, file_lines, requirement_name
from andon.checks.languages.python.pylock import requirements_of
from andon.checks.languages.python.sessions import Session
from andon.checks.reading import LOCK_BYTES, read_table, read_text, source_files, table

# Groups and extras that hold what checks need; any other (docs, gpu, server …) costs time and may conflict.
FOR_TESTS = frozenset({"test", "tests", "testing", "tests_require", "pytest", "unittest", "ci"})
FOR_CHECKS = FOR_TESTS | frozenset(
    {"dev", "develop", "development", "dev-packages", "lint", "linting", "typing", "typecheck", "types"}
    | {"mypy", "qa", "check", "checks", "all"}
)
FOREIGN_LOCKS = ("poetry.lock", "pdm.lock", "Pipfile.lock")
LOCKS = ("uv.lock", "pylock.toml", *FOREIGN_LOCKS)
FOLDERS = {"requirements", "requirement", "reqs", "tests", "test"}
MEMBERS = 200
MOST_SESSIONS = 3


@dataclass(frozen=True, slots=True)
class Rung:
    name: str
    """Where it stands, as people know it."""
    lines: tuple[str, ...] = ()
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What may be left out when it cannot be had."""
    bounds: tuple[str, ...] = ()
    """Versions that a lock file chose."""
    export: tuple[str, ...] = ()
    """What `uv export` is told, where uv itself reads the lock file."""
    pinned: str = ""
    """Requirements with versions and hashes that need no resolving."""
    short: tuple[str, ...] = ()
    """The same lines as andon.toml would have them."""

    def written(self, parts: Collection[str]) -> tuple[str, ...]:
        """What andon.toml would say for it with just these parts; nothing for a lock file."""
        if self.bounds or self.export or self.pinned or self.name == "uv.lock":
            return ()
        return (*self.short, *map(_short, parts))

    @property
    def content(self) -> tuple[object, ...]:
        """What makes it another rung than the next: its name does not."""
        lines = {*self.lines, *(each for part in self.parts.values() for each in part)}
        return (tuple(sorted(lines)), self.bounds, self.export, self.pinned)

    @property
    def names(self) -> set[str]:
        return {
            requirement_name(line) for line in (*self.lines, *(each for part in self.parts.values() for each in part))
        }


def ladder(tree: Path, declared: Declared, sessions: tuple[Session, ...], given: tuple[str, ...]) -> tuple[Rung, ...]:
    """`given`: what andon.toml says."""
    base = declared.base or ()
    files = {path: declared.lines(tuple(file_lines(tree, path))) for path in requirement_files(tree)}
    tests = _parts(declared, FOR_TESTS) | {path: lines for path, lines in files.items() if _words(path) & FOR_TESTS}
    everything = _parts(declared, FOR_CHECKS) | files
    whole = (".",) if base else ()
    found: list[Rung] = []
    if given:
        found.append(Rung("andon.toml", _expanded(tree, declared, given), short=given))
    found += _locked(tree, declared, base, everything)
    for session in [each for each in sessions if each.tests][:MOST_SESSIONS]:
        if lines := _expanded(tree, declared, session.lines):
            found.append(Rung(session.place, lines, short=session.lines))
    if tests:
        found.append(Rung(", ".join(tests), base, tests, short=whole))
    if everything and everything != tests:
        found.append(Rung(", ".join(everything), base, everything, short=whole))
    found.append(Rung("the package itself", base, short=whole))
    different: dict[tuple[object, ...], Rung] = {}
    for rung in found:
        different.setdefault(rung.content, rung)
    return tuple(different.values())


def _short(part: str) -> str:
    kind, _, name = part.partition(" ")
    return f"group:{name}" if kind == "group" else f".[{name}]" if kind == "extra" else f"-r {part}"


def _parts(declared: Declared, wanted: frozenset[str]) -> dict[str, tuple[str, ...]]:
    groups = {f"group {name}": declared.group(name) for name in declared.groups if name.lower() in wanted}
    extras = {f"extra {name}": declared.extra(name) for name in declared.extras if name.lower() in wanted}
    return {name: declared.lines(lines) for name, lines in {**groups, **extras}.items() if lines}


def _expanded(tree: Path, declared: Declared, lines: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for line in lines:
        if file := re.match(r"-([rc])\s*(\S+)", line):
            bound = "-c " if file[1] == "c" else ""
            found += [each if each.startswith("-c ") else f"{bound}{each}" for each in file_lines(tree, file[2])]
        else:
            found.append(line)
    return declared.lines(tuple(found))


def requirement_files(tree: Path) -> tuple[str, ...]:
    """requirements.txt and the ones for tests and development; never docs, gpu or production variants."""
    paths = [path for path in source_files(tree) if path.endswith((".txt", ".in")) and _at_home(path)]
    chosen = [path for path in paths if not (rest := _words(path) - FOLDERS) or rest & FOR_CHECKS or rest == {"base"}]
    return tuple(path for path in chosen if path.endswith(".txt") or f"{path[:-3]}.txt" not in chosen)


def _at_home(path: str) -> bool:
    folders = path.split("/")[:-1]
    return "requirements" in _words(path) and len(folders) < 3 and {*folders} <= FOLDERS


def _words(path: str) -> set[str]:
    return set(re.split(r"[-_./]", path.rpartition(".")[0].lower()))


# --- lock files -----------------------------------------------------------------------------------------------------


def lock_of(tree: Path) -> str:
    return next((name for name in LOCKS if isinstance(read_text(tree, name, limit=LOCK_BYTES), str)), "")


def _locked(
    tree: Path, declared: Declared, base: tuple[str, ...], parts: Mapping[str, tuple[str, ...]]
) -> Iterator[Rung]:
    name = lock_of(tree)
    if name == "uv.lock":
        groups = [flag for group in declared.groups if group.lower() in FOR_CHECKS for flag in ("--group", group)]
        extras = [flag for extra in declared.extras if extra.lower() in FOR_CHECKS for flag in ("--extra", extra)]
        yield Rung(name, export=(*groups, *extras))
    elif name == "pylock.toml":
        lock = read_table(tree, name, limit=LOCK_BYTES)
        if isinstance(lock, Mapping) and (pinned := requirements_of(lock)) is not None:
            yield Rung(name, pinned=pinned)
    elif name and (bounds := _versions(tree, name)):
        yield Rung(name, base, parts, bounds)


def _versions(tree: Path, name: str) -> tuple[str, ...]:
    """What a lock file of poetry, pdm or pipenv chose. Of packages in several versions, resolving chooses."""
    found: list[tuple[str, str]] = []
    if name == "Pipfile.lock":
        text = read_text(tree, name, limit=LOCK_BYTES)
        try:
            lock = table(json.loads(text) if isinstance(text, str) else None)
        except ValueError:
            lock = table(None)
        for part in ("default", "develop"):
            found += [(key, str(table(told).get("version", ""))) for key, told in table(lock.get(part)).items()]
    else:
        read = read_table(tree, name, limit=LOCK_BYTES)
        packages: object = table(read).get("package")
        for item in cast("list[object]", packages) if isinstance(packages, list) else []:
            told = table(item)
            if not {"git", "path", "url"} & set(told) and table(told.get("source")).get("type", "legacy") == "legacy":
                found.append((str(told.get("name")), f"=={told.get('version')}"))
    pairs = {(key, version) for key, version in found if version.startswith("==")}
    once = Counter(key for key, _ in pairs)
    return tuple(sorted(f"{key}{version}" for key, version in pairs if once[key] == 1))


# --- what uv itself reads -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UvFiles:
    """Files that uv reads: its settings, which may name the index, and a lock with the manifests it is about."""

    files: Mapping[str, str]
    settings: str = ""
    members: tuple[str, ...] = ()
    """Folders of a workspace's packages."""

    def give_to(self, site: Site, *, whole: bool) -> None:
        for path, text in self.files.items():
            if whole or (path == "pyproject.toml" and self.settings):
                site.give(path, text)


def uv_files(tree: Path, pyproject: Mapping[str, Any]) -> UvFiles:
    uv = table(table(pyproject.get("tool")).get("uv"))
    workspace = "workspace" in uv
    wanted = [path for path in source_files(tree) if path.endswith("/pyproject.toml") and uv][:MEMBERS]
    texts = {path: read_text(tree, path, limit=LOCK_BYTES) for path in ("pyproject.toml", "uv.lock", *wanted)}
    files = {path: text for path, text in texts.items() if isinstance(text, str)}
    folders = tuple(sorted(path.removesuffix("/pyproject.toml") for path in wanted)) if workspace else ()
    return UvFiles(files, json.dumps(uv, sort_keys=True, default=str) if uv else "", folders)
