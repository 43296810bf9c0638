"""Learnings of repositories that are not there any more: which they are, and their removal, for good."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon.app.home import Home
from andon.app.learned import FILE, place_of
from andon.app.store import Store
from andon.domain.errors import EnvironmentProblem, UserError
from andon.memory.learnings import Learnings


@dataclass(frozen=True, slots=True)
class Gone:
    """A repository, or a folder, that was there once, and what was learned about it."""

    repository: str
    folder: Path
    """Where its learnings lie."""
    learnings: int

    def as_json(self) -> dict[str, Any]:
        return {"repository": self.repository, "folder": str(self.folder), "learnings": self.learnings}


@dataclass(frozen=True, slots=True)
class Leftover:
    gone: tuple[Gone, ...]
    unknown: tuple[Path, ...]
    """Learnings of which nobody can say what they are of: they stay."""


def leftover(environment: Mapping[str, str]) -> Leftover:
    """Looks, and removes nothing."""
    home = Home.of(environment)
    folders = sorted(each.parent for each in home.memory.glob(f"*/{FILE}"))
    gone, unknown = list[Gone](), list[Path]()
    named = dict[Path, Path]()
    for folder in folders:
        kept = Learnings(folder / FILE)
        try:
            place, count = kept.about(), len(kept.all()) + len(kept.all(forgotten=True))
        except UserError:  # a newer andon's, or broken: not ours to judge
            unknown.append(folder)
            continue
        if not place:
            named = named or _of_runs(home, environment)
            place = str(named.get(folder, ""))
        if not place:
            unknown.append(folder)
        elif not _there(Path(place)):
            gone.append(Gone(_shown(place), folder, count))
    return Leftover(tuple(gone), tuple(unknown))


def remove(gone: Gone) -> None:
    """For good. What came back meanwhile is left alone by whoever looked again before."""
    try:
        shutil.rmtree(gone.folder)
    except OSError as error:
        raise EnvironmentProblem(f"{gone.folder} cannot be removed: {error.strerror}", "See who owns it.") from error


def _of_runs(home: Home, environment: Mapping[str, str]) -> dict[Path, Path]:
    """Of repositories that have had a run: where their learnings lie."""
    roots = [Path(each) for each in Store.open(home, environment).runs.repositories()]
    return {place_of(home, root, identity): identity for root in roots for identity in (root / ".git", root)}


def _there(place: Path) -> bool:
    """What cannot be looked at may be there: only a place that is surely not is gone."""
    try:
        place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _shown(place: str) -> str:
    """As people call it."""
    return place.removesuffix("/.git")
