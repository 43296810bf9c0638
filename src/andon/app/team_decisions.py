"""Decisions of a team: what its members proposed and voted on, and what a person settles (B-46)."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from andon.domain.errors import NoSuch, UserError
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
        try:
            yield Database(self._file)
        except (sqlite3.Error, OSError) as error:
            hint = "It is no database of a team, or a broken one; move it away."
            raise UserError(f"{self._file} cannot be used: {error}", hint) from error


def known_decisions(folder: Path, most: int) -> list[Decision]:
    """The newest of the project in that folder; none where no team of it has a database."""
    file = artifacts_folder(folder.resolve()) / FILE
    return Decisions(file).all(most) if file.is_file() else []


def decided_in(folder: Path) -> list[Decision]:
    """The same for a screen about something else: a broken database is not its business."""
    try:
        return known_decisions(folder, MOST_SHOWN)
    except UserError:
        return []


def decisions_of(folder: Path) -> Decisions:
    """Of the project in that folder."""
    file = artifacts_folder(folder.resolve()) / FILE
    if not file.is_file():
        hint = "Teams of more than three members have one; `andon team run` makes it."
        raise NoSuch(f"No team of {folder.name} has a database yet", hint)
    return Decisions(file)
