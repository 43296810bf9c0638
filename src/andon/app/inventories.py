"""What there is in each project for a team to be made of: the scan of `andon team`, made in the background and kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from andon.app.background import Kept
from andon.app.folders import Folders
from andon.app.plugin import plugin_folder
from andon.app.teams import Analysis, Asking, Look, analyse, asking, at_home, documents, look_around, propose, tables_of
from andon.domain.errors import EnvironmentProblem, NoSuch, UserError
from andon.domain.teams.composing import Proposal
from andon.domain.teams.resources import Document, Inventory
from andon.domain.teams.tables import BUILT_IN, Tables
from andon.teamify.documents import OUTSIDE, outside

FRESH_SECONDS = 300.0
WAITED_SECONDS = 15.0
"""For the first scan of a project."""
MOST_KEPT = 8
MOST_PROJECTS = 200


@dataclass(frozen=True, slots=True)
class Found:
    """Of one project, at one time."""

    inventory: Inventory
    documents: tuple[Document, ...]
    tables: Tables
    """What teams are made by there."""
    asking: Asking
    """What it would take to ask its servers, as it was then."""
    scanned_at: float
    asked_at: float | None = None
    """When its servers told their tools."""
    asked: str = ""
    """The mark of the servers that were asked."""

    def document(self, path: str, project: Path) -> Document:
        """One that the scan has listed, and nothing else."""
        listed = next((each for each in self.documents if each.path == path), None)
        if listed is None:
            raise NoSuch("There is no such workflow document here", "The office lists those that were found.")
        if listed.problem or (listed.source == "project" and outside(path, project)):
            raise UserError(f"{listed.name} cannot be read: {listed.problem or OUTSIDE}")
        return listed


class Inventories:
    """By project. Nothing that a repository names is started, except when somebody saw it and said so."""

    def __init__(self, environment: Mapping[str, str], folders: Folders) -> None:
        self._environment = environment
        self._folders = folders
        self._lock = threading.Lock()
        self._kept: dict[Path, Kept[Found]] = {}

    def projects(self) -> list[Path]:
        """The folder that the server was started in, and repositories that have had a run."""
        known = [_root(self._folders.here), *map(Path, sorted(self._folders.store.runs.repositories()))]
        return [each for each in dict.fromkeys(known) if each.is_dir()][:MOST_PROJECTS]

    def project(self, named: str) -> Path:
        """The one that is named, or the first."""
        known = self.projects()
        if not named and known:
            return known[0]
        found = next((each for each in known if str(each) == named), None)
        if found is None:
            raise NoSuch("There is no such project here", "The office lists those that andon knows.")
        return found

    def of(self, project: Path) -> Kept[Found]:
        with self._lock:
            kept = self._kept.pop(project, None) or Kept(lambda: self._look(project), FRESH_SECONDS)
            self._kept[project] = kept  # the one that was asked for last stands last
            while len(self._kept) > MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            return kept

    def found(self, project: Path) -> Found:
        """What is known; the first time, as soon as it is."""
        kept = self.of(project)
        if (known := kept.now()) is not None:
            return known
        try:
            return kept.again().result(WAITED_SECONDS)
        except TimeoutError:
            raise EnvironmentProblem("The scan is not done yet", "Try again in a moment.") from None

    def analysis(self, project: Path, path: str) -> Analysis:
        """Of a document that the scan has listed."""
        found = self.found(project)
        return analyse(Path(found.document(path, project).path), found.inventory, found.tables)

    def proposal(self, project: Path, path: str, request: str = "") -> Proposal:
        found = self.found(project)
        return propose(at_home(self.analysis(project, path), project), found.inventory, self._environment, request)

    @property
    def mark(self) -> tuple[object, ...]:
        """Another one whenever a look has begun or ended."""
        with self._lock:
            return tuple((project, kept.mark) for project, kept in self._kept.items())

    def asking(self, project: Path) -> Asking:
        return asking(self._where(project), self._environment)

    def ask(self, project: Path, seen: str, only: Sequence[int] = ()) -> Future[Found]:
        """Have the servers tell their tools, all or some, if they are those that were seen."""
        kind = " ".join(("ask", seen, *map(str, sorted(only))))
        return self.of(project).again(kind, lambda: self._ask(project, seen, only))

    def _ask(self, project: Path, seen: str, only: Sequence[int]) -> Found:
        found = self._found(replace(self._where(project), ask_servers=True, asked=only, seen=seen))
        before = self.of(project).known
        if before is not None and before.asked == seen:  # those that are not meant now keep what they told
            rows = zip(found.inventory.servers, before.inventory.servers, strict=True)
            told = tuple(new if new.tools is not None or new.problem else old for new, old in rows)
            found = replace(found, inventory=replace(found.inventory, servers=told))
        return replace(found, asked_at=found.scanned_at, asked=seen)

    def _look(self, project: Path) -> Found:
        found = self._found(self._where(project))
        before = self.of(project).known
        if before is None or before.asked_at is None or before.asked != found.asking.mark:
            return found
        told = replace(found.inventory, servers=before.inventory.servers)
        return replace(found, inventory=told, asked_at=before.asked_at, asked=before.asked)

    def _found(self, look: Look) -> Found:
        try:
            tables, notes = tables_of(None, look.project, self._environment)
        except UserError as problem:
            tables, notes = BUILT_IN, [f"team_tables: {problem.message}"]
        seen = look_around(replace(look, tables=tables), self._environment)
        inventory = replace(seen, notes=(*seen.notes, *notes))
        return Found(inventory, documents(inventory, look.project), tables, self.asking(look.project), time.time())

    def _where(self, project: Path) -> Look:
        """A project that is the home folder itself is looked at once."""
        home = self._environment.get("HOME")
        return Look(project, everywhere=home is None or Path(home) != project, more=(plugin_folder(),))


def _root(folder: Path) -> Path:
    """The whole repository, whichever of its folders the server was started in."""
    folder = folder.resolve()
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
