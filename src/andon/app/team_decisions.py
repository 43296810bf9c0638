"""Decisions of a team: what its members proposed and voted on, and what a person settles (B-46)."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from andon.domain.errors import UserError
from andon.domain.teams.deciding import Decision, Stand
from andon.memory.markdown import artifacts_folder
from andon.memory.sqlite import FILE, Database

MOST_SHOWN = 50


class Decisions:
    """Of a team, in the database in its folder."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self, most: int) -> list[Decision]:
        with self._whole() as database:
            return database.decisions(most)

    def decide(self, id: int, stand: Stand, by: str) -> Decision:
        with self._whole() as database:
            return database.decide(id, stand, by)

    @contextmanager
    def _whole(self) -> Generator[Database]:
        refuse_links(self._file)
        try:
            yield Database(self._file)
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            hint = "It is no database of a team, or a broken one; move it away."
            raise UserError(f"{self._file} cannot be used: {error}", hint) from error


def decided_in(folder: Path) -> list[Decision]:
    """All that there is, for a screen: nothing where the project has no team with a database, or a broken one."""
    try:
        return decisions_of(folder).all(MOST_SHOWN)
    except UserError:
        return []


def refuse_links(file: Path) -> None:
    """A repository may hold anything below that name."""
    if any(each.is_symlink() for each in (file, file.parent, file.parent.parent)):
        raise UserError(f"{file} is, or lies below, a link")


def decisions_of(folder: Path) -> Decisions:
    """Of the project in that folder."""
    file = artifacts_folder(folder) / FILE
    if not file.is_file():
        hint = "Teams of more than three members have one; `andon team run` makes it."
        raise UserError(f"No team of {folder.name} has a database yet", hint)
    return Decisions(file)
