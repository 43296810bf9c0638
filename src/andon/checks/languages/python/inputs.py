"""Gathers what a Python project declares about its dependencies, and hands just that to where it is resolved.

The clean tree itself is only read. Lines that point at the tree's own folders are left out and noted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andon.checks.building import Site, digest_of
from andon.checks.facts import Project, Python
from andon.checks.languages.python.pylock import requirements_of
from andon.checks.prepared import NotPrepared
from andon.checks.reading import LOCK_BYTES, Unreadable, is_folder, read_table, read_text, source_files, table

_LOCAL = re.compile(r"\s*(?:(?:-e|--editable)[ =]\s*\S|\.{1,2}(?:[/\[\s]|$)|file:|/)")
MEMBERS = 200


@dataclass(frozen=True, slots=True)
class Inputs:
    digest: str
    """Of everything that has a say in which versions are chosen."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    sources: tuple[str, ...] = ()
    """Which of the files are resolved."""
    settings: str = ""
    """[tool.uv] of the project: it may name the package index."""
    locked: str | None = None
    """Requirements read from a lock file that needs no resolving."""
    members: tuple[str, ...] = ()
    """Further folders of the repository that hold importable code."""
    fix: str = "uv lock"
    notes: tuple[str, ...] = ()

    def give_to(self, site: Site) -> None:
        for path, text in self.files.items():
            site.give(path, text)

    def give_settings_to(self, site: Site) -> None:
        if self.settings:
            site.give("pyproject.toml", self.files["pyproject.toml"])


def gather(tree: Path, project: Project) -> Inputs | NotPrepared:
    python = project.python or Python()
    problem = next((found for found in project.unreadable if found.path in python.manifests), None)
    if problem:
        return NotPrepared(f"{problem.path} cannot be read: {problem.reason}", f"mend {problem.path}")
    if python.lock and python.lock.problem:
        return NotPrepared(python.lock.problem, python.lock.fix, environment_error=True)
    if not python.has_dependencies:
        return Inputs(digest_of("no dependencies"))
    pyproject = read_table(tree, "pyproject.toml")
    manifest = table(pyproject)
    locked = _locked(tree, python)
    if isinstance(locked, NotPrepared):
        return locked
    files, left_out = _files(tree, python, manifest)
    return Inputs(
        digest=digest_of(
            _declared(manifest), locked, {path: text for path, text in files.items() if _counts(path, python)}
        ),
        files=files,
        sources=() if locked is not None else tuple(_sources(python)),
        settings=json.dumps(table(manifest.get("tool"))["uv"], sort_keys=True, default=str)
        if _has_uv(manifest)
        else "",
        locked=locked,
        members=_members(tree, manifest, files),
        fix=_fix(python),
        notes=tuple(f"left out of the environment: {line}" for line in left_out),
    )


def _has_uv(manifest: Mapping[str, Any]) -> bool:
    return "uv" in table(manifest.get("tool"))


def _declared(manifest: Mapping[str, Any]) -> str:
    """The parts of pyproject.toml that choose versions; a new ruff rule must not lead to a new environment."""
    project, tool = table(manifest.get("project")), table(manifest.get("tool"))
    parts = (
        {key: project.get(key) for key in ("dependencies", "optional-dependencies", "requires-python", "dynamic")},
        {key: manifest.get(key) for key in ("dependency-groups", "build-system")},
        {key: tool.get(key) for key in ("uv", "poetry")},
    )
    return json.dumps(parts, sort_keys=True, default=str)


def _counts(path: str, python: Python) -> bool:
    """pyproject.toml counts by its declarations, unless its own build code decides."""
    return not path.endswith("pyproject.toml") or python.dynamic_dependencies


def _sources(python: Python) -> Iterator[str]:
    static = python.static_dependencies or python.extras
    if "pyproject.toml" in python.manifests and (static or python.dynamic_dependencies):
        yield "pyproject.toml"
    elif python.dynamic_dependencies:
        yield "setup.py" if "setup.py" in python.manifests else "setup.cfg"
    yield from python.requirement_files


def _files(tree: Path, python: Python, manifest: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Copies of every file uv may want to read, local lines left out."""
    wanted = [path for path in source_files(tree) if _may_be_read(path, workspace=_has_uv(manifest))]
    files: dict[str, str] = {}
    left_out: list[str] = []
    for path in (*wanted[:MEMBERS], "uv.lock"):
        text = read_text(tree, path, limit=LOCK_BYTES)
        if not isinstance(text, str):
            continue
        if path.endswith(".txt"):
            lines = text.splitlines()
            left_out += [line.strip() for line in lines if _LOCAL.match(line) and path in python.requirement_files]
            text = "".join(f"{line}\n" for line in lines if not _LOCAL.match(line))
        files[path] = text
    return files, left_out


def _may_be_read(path: str, *, workspace: bool) -> bool:
    if path.endswith(".txt"):
        return path.count("/") == 0 or (path.startswith("requirements/") and path.count("/") == 1)
    return path in ("pyproject.toml", "setup.py", "setup.cfg") or (workspace and path.endswith("/pyproject.toml"))


def _members(tree: Path, manifest: Mapping[str, Any], files: Mapping[str, str]) -> tuple[str, ...]:
    if "workspace" not in table(table(manifest.get("tool")).get("uv")):
        return ()
    folders = sorted(path.removesuffix("/pyproject.toml") for path in files if path.endswith("/pyproject.toml"))
    return tuple(f"{folder}/src" if is_folder(tree, f"{folder}/src") else folder for folder in folders)


def _locked(tree: Path, python: Python) -> str | NotPrepared | None:
    if not python.lock or python.lock.path != "pylock.toml":
        return None
    lock = read_table(tree, "pylock.toml", limit=LOCK_BYTES)
    if lock is None or isinstance(lock, Unreadable):
        return NotPrepared(
            f"pylock.toml cannot be read: {lock.reason if lock else 'missing'}", "uv export -o pylock.toml"
        )
    requirements = requirements_of(lock)
    if requirements is None:
        return NotPrepared("pylock.toml names a package by archive or without a version", "uv lock")
    return requirements


def _fix(python: Python) -> str:
    if python.lock and python.lock.path == "uv.lock":
        return "uv lock && uv sync"
    names = " ".join(f"-r {path}" for path in python.requirement_files)
    return f"uv pip install {names}" if names and not python.static_dependencies else "uv lock"
