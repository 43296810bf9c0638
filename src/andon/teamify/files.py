"""Skills, agents and commands in the folders where people keep them (B-02 to B-04, X-20). Nothing is executed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from andon.domain.teams.resources import Agent, Command, Skill, categories_of
from andon.teamify.heads import head_of_file

DEEPEST = 4
MOST = 20_000
SKILL = "SKILL.md"
FOR_PEOPLE = frozenset({"README.md", "AGENTS.md", "CLAUDE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE.md"})
"""Documents about a folder, which lie in it beside what it holds."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Root:
    """A folder with `skills`, `agents` and `commands` in it, and whose it is."""

    folder: Path
    source: str


@dataclass(frozen=True, slots=True)
class Found:
    skills: tuple[Skill, ...]
    agents: tuple[Agent, ...]
    commands: tuple[Command, ...]
    notes: tuple[str, ...]


def roots_of(folder: Path, source: str) -> list[Root]:
    """A project keeps them in `.claude`; a plugin or a package at its top."""
    inside = folder / ".claude"
    tops = [folder] if any((folder / name).is_dir() for name in ("skills", "agents", "commands")) else []
    return [Root(each, source) for each in (inside, *tops) if each.is_dir()]


def look(roots: list[Root]) -> Found:
    notes = list[str]()
    skills = [(root, stem, path) for root in roots for stem, path in _skills(root.folder / "skills", notes)]
    families = categories_of([stem for _, stem, _ in skills])
    return Found(
        tuple(_skill(root, stem, path, families[stem]) for root, stem, path in skills),
        tuple(_read(roots, "agents", _agent, notes)),
        tuple(_read(roots, "commands", _command, notes)),
        tuple(notes),
    )


def _read(roots: list[Root], kind: str, made: Callable[[Root, str, str], T], notes: list[str]) -> Iterator[T]:
    for root in roots:
        base = str(root.folder / kind)
        for path in markdown(base, notes):
            # commands/git/commit.md is called git:commit
            name = path[len(base) + 1 : -len(".md")].replace(os.sep, ":")
            yield made(root, name, path)


def _skills(folder: Path, notes: list[str]) -> Iterator[tuple[str, str]]:
    """Both layouts: `skills/NAME.md` and `skills/NAME/SKILL.md`, at any depth that people use."""
    base = str(folder)
    for path in markdown(base, notes):
        parent, name = os.path.split(path)
        if name == SKILL and parent != base:
            yield os.path.split(parent)[1], path
        elif parent == base:
            yield name.removesuffix(".md"), path


def _skill(root: Root, stem: str, path: str, family: str) -> Skill:
    head = head_of_file(path)
    return Skill(head.text("name") or stem, head.described, family, path, root.source, head.problem)


def _agent(root: Root, name: str, path: str) -> Agent:
    head = head_of_file(path)
    told = head.text("name") or name
    return Agent(told, head.described, head.text("model"), head.tools, path, root.source, head.problem)


def _command(root: Root, name: str, path: str) -> Command:
    head = head_of_file(path)
    return Command(name, head.described, head.tools, path, root.source, head.problem)


def markdown(folder: str, notes: list[str], depth: int = 0) -> Iterator[str]:
    """Markdown files, sorted. Links to folders are not followed, so a loop of them has no beginning here."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        notes.append(f"{folder}: {error.strerror}")
        return
    if len(found) > MOST:
        notes.append(f"{folder}: it has {len(found):,} entries, of which the first {MOST:,} are looked at")
        found = found[:MOST]
    for entry in found:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth < DEEPEST:
                yield from markdown(entry.path, notes, depth + 1)
        elif entry.name.endswith(".md") and entry.name not in FOR_PEOPLE:
            if entry.is_symlink() and not Path(entry.path).exists():
                notes.append(f"{entry.path}: it is a link to nothing")
            elif not entry.is_file():
                notes.append(f"{entry.path}: it is no file")
            else:
                yield entry.path
