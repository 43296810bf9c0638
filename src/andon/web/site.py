"""What every page and endpoint of one server shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from andon.app.access import Access, Role
from andon.app.folders import Folders
from andon.app.inventories import Inventories
from andon.app.office import Offices
from andon.app.overview import Overview, Overviews
from andon.app.queries import find_run
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.domain.line import Lamp
from andon.domain.run import ANY, VERIFY, RunRow, Wanted
from andon.web.feed import Feed
from andon.web.security import Visitor

SHOWN = 500
"""Runs that the board looks at, besides all that have not ended. Older ones are under Runs, page by page."""


class NotFound(UserError):
    """There is no such thing."""


class NotAllowed(UserError):
    """Somebody else may do this."""


@dataclass(frozen=True, slots=True)
class Site:
    store: Store
    access: Access
    feed: Feed
    overviews: Overviews
    environment: Mapping[str, str]
    offices: Offices
    folders: Folders
    inventories: Inventories
    secure: bool = False
    """Served over TLS."""
    more: dict[str, object] = field(default_factory=dict[str, object])

    @classmethod
    def of(cls, store: Store, environment: Mapping[str, str], secure: bool = False, here: Path | None = None) -> Site:
        """`here`: the folder that the server was started in."""
        folders = Folders(store, environment, here or Path.cwd())
        access, offices, inventories = Access(store.home), Offices(environment), Inventories(environment, folders)
        feed = Feed(store, lambda: (offices.kept.mark, inventories.mark))
        return cls(store, access, feed, Overviews(store), environment, offices, folders, inventories, secure)

    def run(self, id: str) -> RunRow:
        if "\0" in id:
            raise NotFound("There is no such run")
        try:
            return find_run(self.store, id)
        except UserError as error:
            raise NotFound(error.message, error.hint) from error

    def exact(self, id: str, *, measured: bool = False) -> RunRow:
        """By its whole id, as programs name it. With `measured` a verification will do as well."""
        try:
            found = self.store.runs.get(id) if "\0" not in id else None
        except UserError:
            found = None
        if found is None or (found.pipeline == VERIFY and not measured):
            raise NotFound("There is no such run", "GET /api/runs lists them.")
        return found

    def overview(self, id: str) -> Overview:
        return self.overviews.of(self.run(id))

    def all(self, pipeline: str = "") -> list[Overview]:
        """The newest (of the pipeline), and all that have not ended however old they are. Newest first."""
        return self.overviews.many(self.store.runs.index(SHOWN, pipeline))

    def matching(self, words: str, pipeline: str = "") -> list[Overview]:
        """The same of those whose task has these words, however old they are."""
        found = self.store.runs.page(SHOWN, words=words, wanted=Wanted(pipeline=pipeline))
        there = {row.id for row in found}
        old = [row for row in self.store.runs.unfinished() if row.id not in there and words.lower() in row.task.lower()]
        old = [row for row in old if pipeline in ("", row.pipeline)]
        return self.overviews.of_rows([*found, *old])

    def page(self, limit: int, before: str = "", words: str = "", wanted: Wanted = ANY) -> list[Overview]:
        """So many of all runs there are, newest first; `before` is the id of the last one of the page before."""
        if before:
            before = self.exact(before).id
        return self.overviews.of_rows(self.store.runs.page(limit, before, words, wanted))


def place(site: Site, visitor: Visitor, path: str) -> Path:
    """The folder that somebody names, if they may start work in it. Admins may anywhere."""
    if not visitor.role.includes(Role.ADMIN):
        return site.folders.checked(path)
    try:
        if "\0" in path:
            raise ValueError
        return Path(path).expanduser()
    except (RuntimeError, ValueError):
        raise UserError("That is no folder", "The path of a folder on this machine.") from None


def needs(visitor: Visitor, role: Role) -> None:
    if not visitor.role.includes(role):
        raise NotAllowed(
            f"This needs the role {role}; you are {visitor.role}", "Ask an admin for another token or link."
        )


def tower(overviews: list[Overview]) -> dict[Lamp, int]:
    """How many need a person, run, and have stopped: the lamp that everybody sees."""
    counts = {Lamp.WAITING: 0, Lamp.RUNNING: 0, Lamp.FAILED: 0}
    for each in overviews:
        if each.lamp in counts:
            counts[each.lamp] += 1
    return counts
