"""What a team of `andon team run` shares above its files: a database in its folder (B-45)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from andon.domain.errors import UserError
from andon.domain.run import TEAM, RunRow
from andon.domain.teams.layers import Layer
from andon.domain.teams.shared import Shared
from andon.memory.sqlite import FILE, Database


class LayeredMemory:
    """Implements ports.TeamMemory."""

    def __init__(self, file: Path, clean: Callable[[str], str]) -> None:
        self._file = file
        self._clean = clean

    def share(self, left: Sequence[Shared], at: float) -> list[str]:
        rows = [replace(each, text=self._clean(each.text)) for each in left]
        try:
            _refuse_links(self._file)
            Database(self._file).share(rows, at)
        except (sqlite3.Error, OSError, UserError) as problem:
            return [f"{self._file.name}: {problem}"]
        return []


def _refuse_links(file: Path) -> None:
    """A repository may hold anything below that name."""
    if any(each.is_symlink() for each in (file, file.parent, file.parent.parent)):
        raise UserError(f"{file} is, or lies below, a link")


def team_memory_of(run: RunRow, clean: Callable[[str], str]) -> LayeredMemory | None:
    options = run.spec["request"]["options"]
    if run.pipeline != TEAM or Layer.SQLITE not in options["team"]["layers"]:
        return None
    return LayeredMemory(Path(run.repository) / options["folder"] / FILE, clean)
