"""Where work may be started by those who may not go anywhere: reviewers on the page and over HTTP, and other programs.

The setting `serve.folders` lists them. Unset: the folder that the server was started in, and repositories that have had
a run before. Links are followed before anything is compared, and what was compared is what is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.app.home import Home
from andon.app.settings import load_settings
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.workspace.repository import Repository

HINT = "`serve.folders` in the settings lists the folders for it; an admin may start work anywhere."


class FolderRefused(UserError):
    """Somebody else may work there."""


@dataclass(frozen=True, slots=True)
class Folders:
    store: Store
    environment: Mapping[str, str]
    here: Path
    """The folder that the server was started in."""

    def checked(self, path: str | Path) -> Path:
        """The folder itself, links followed, if work may be started in it. Nothing is told of one that is elsewhere."""
        found = resolved(path)
        allowed = listed(self.store.home, self.environment)
        if allowed is None:
            allowed = (_root(resolved(self.here)), *(resolved(each) for each in self.store.runs.repositories()))
        _refuse_outside(path, found, allowed)
        _refuse_outside(path, _root(found), allowed)
        return found


def refuse_unlisted(store: Store, environment: Mapping[str, str], path: Path) -> None:
    """For programs that work in a person's name: where folders are listed, they keep to them."""
    if (allowed := listed(store.home, environment)) is not None:
        found = resolved(path)
        _refuse_outside(path, found, allowed)
        _refuse_outside(path, _root(found), allowed)


def listed(home: Home, environment: Mapping[str, str]) -> tuple[Path, ...] | None:
    """The folders of the setting; None where it is unset."""
    settings, _ = load_settings(home, None, environment, {})
    return None if settings.serve.folders is None else tuple(resolved(each) for each in settings.serve.folders)


def resolved(path: str | Path) -> Path:
    try:
        return Path(path).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, an unknown ~name, a NUL
        raise FolderRefused("That is no folder", HINT) from error


def _root(folder: Path) -> Path:
    """The whole repository is worked on, whichever of its folders was named."""
    try:
        return Repository.open(folder).root.resolve()
    except UserError:
        return folder


def _refuse_outside(path: str | Path, found: Path, allowed: tuple[Path, ...]) -> None:
    if not any(found.is_relative_to(each) for each in allowed):
        raise FolderRefused(f"Work may not be started in {path}", HINT)
