"""What a project's files say about its environment, rung by rung, for people. Builds nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from andon.checks.environment import given_by
from andon.checks.facts import Project
from andon.checks.languages.javascript.installers import installer_of
from andon.checks.languages.python.project import read_project
from andon.checks.languages.python.rungs import Rung, ladder
from andon.checks.reading import one_or_more

MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Found:
    language: str
    rungs: tuple[tuple[str, str], ...]
    """Where the project says it, and what; the first is tried first."""


def found_in(tree: Path, project: Project) -> Iterator[Found]:
    if project.python:
        told = read_project(tree)
        rungs = ladder(tree, told.declared, told.sessions, one_or_more(given_by(tree).get("install")))
        yield Found("python", tuple((rung.name, _lines(rung)) for rung in rungs))
    if project.node:
        installer = installer_of(tree)
        own = ((installer.lock, f"installed by {installer.name}"),) if project.node.lock else ()
        yield Found("node", (*own, ("package.json", "resolved afresh by npm")))
    if project.go:
        yield Found("go", (("go.mod", "go mod download"),))
    if project.rust:
        yield Found("rust", (("Cargo.lock" if project.rust.lock else "Cargo.toml", "cargo fetch"),))
    if project.java:
        yield Found("java", ((project.java.tool, "what its build files name"),))


def _lines(rung: Rung) -> str:
    if rung.export or rung.pinned or rung.name == "uv.lock":
        return "versions as locked"
    names = sorted(rung.names - {""})
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more or "nothing but pytest"
