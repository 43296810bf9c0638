"""Which files of a project a team could be proposed for: skills, agents and commands with steps, and documents of the
repository whose headings are numbered. What they are is read; nothing is executed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from andon.domain.teams.graph import number_of
from andon.domain.teams.resources import Document, Inventory
from andon.teamify.files import markdown
from andon.teamify.reading import headings

FOLDERS = ("docs", "examples", "workflows")
LARGEST = 1_000_000
FEWEST = 2
"""Headings that make a workflow; one is a text with a title."""
MOST = 2_000
"""Documents of a repository that are looked into."""
OUTSIDE = "it is a link out of the project"


def documents(inventory: Inventory, project: Path) -> tuple[Document, ...]:
    found = [*_kept(inventory, project), *_written(project)]
    return tuple({each.path: each for each in found}.values())


def outside(path: str, project: Path) -> bool:
    """Whether a file of the project is really somewhere else."""
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(project))


def _kept(inventory: Inventory, project: Path) -> Iterator[Document]:
    kinds = (("skill", inventory.skills), ("agent", inventory.agents), ("command", inventory.commands))
    for kind, each in ((kind, each) for kind, all in kinds for each in all):
        if each.source == "project" and outside(each.path, project):
            yield Document(each.name, kind, each.path, each.source, 0, OUTSIDE)
        elif (units := len(_titles(each.path))) >= FEWEST:
            yield Document(each.name, kind, each.path, each.source, units)


def _written(project: Path) -> Iterator[Document]:
    """At its top, and in the folders where people keep such things."""
    notes = list[str]()
    tops = (str(each) for each in sorted(project.glob("*.md"))[:MOST] if each.is_file())
    below = (path for name in FOLDERS for path in markdown(str(project / name), notes))
    for count, path in enumerate((*tops, *below)):
        if count == MOST:
            return
        if outside(path, project):
            continue
        titles = _titles(path)
        if sum(number_of(title) is not None for title in titles) >= FEWEST:
            yield Document(os.path.relpath(path, project), "document", path, "project", len(titles))


def _titles(path: str) -> list[str]:
    """Of a file that may be anything; of one that cannot be read, none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as opened:
            raw = opened.read(LARGEST + 1)
    except OSError:
        return []
    if len(raw) > LARGEST or b"\0" in raw[:1024] or b"\n##" not in b"\n" + raw:
        return []
    return [title for _, title, _, _ in headings(raw.decode("utf-8", "replace"))]
