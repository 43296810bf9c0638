"""`andon memory`: what this project remembers: its team's files, what runs learned, and a server a person asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from andon.app.configured_servers import SERVERS_FILE, every_server
from andon.app.given_secrets import all_values
from andon.app.home import Home
from andon.app.learned import clean, learnings_of
from andon.app.memory_settings import MemorySettings
from andon.app.settings import load_settings
from andon.domain.errors import UserError
from andon.domain.learning import Learning, Lesson
from andon.domain.teams.layers import Layer
from andon.domain.teams.memory_servers import Dialect, described
from andon.domain.teams.recalling import Query, Recalled
from andon.domain.teams.resources import MEMORY
from andon.engine.redaction import Redaction
from andon.memory.learnings import Learnings
from andon.memory.markdown import TeamFiles, artifacts_folder
from andon.memory.mcp import ServerMemory
from andon.memory.shared import FilesLayer, LearningsLayer, MemoryLayer, SharedMemory, TeamTablesLayer
from andon.memory.sqlite import FILE as TEAM_DATABASE
from andon.teamify.servers import Configured
from andon.workspace.files import read_contained


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """All that a project remembers, as far as a person lets andon look."""

    learnings: Learnings
    shared: SharedMemory
    server: ServerMemory | None
    notes: tuple[str, ...] = ()
    """What settings of the repository were left out."""
    offered: str = ""
    """A memory server that could be asked, and is not."""

    def search(self, query: Query, only: Layer | None = None) -> Recalled:
        return self.shared.search(query, only)

    def add(self, text: str, tags: Sequence[str], by: str) -> Learning:
        """In the learnings; and with the server, where it is asked for."""
        added = self.learnings.add(Lesson(text, tuple(dict.fromkeys(tags)), by))
        if self.server is not None:
            try:
                self.server.write(added.text, added.tags, added.origin)
            except UserError as problem:
                kept = f"Kept as {added.id}, but not with the server: {problem.message}"
                raise UserError(kept, problem.hint) from problem
        return added

    def forget(self, id: int, *, undo: bool = False) -> Learning:
        return self.learnings.forget(id, undo=undo)


def memory_of(folder: Path, environment: Mapping[str, str], server: bool | None = None) -> ProjectMemory:
    """Of the project in that folder. `server`: whether an MCP server may be started; None: as settings say."""
    home, folder = Home.of(environment), folder.resolve()
    settings, notes = load_settings(home, folder, environment, {})
    redaction = Redaction(environment, all_values(home))
    learnings = learnings_of(home, folder, redaction)
    layers: list[MemoryLayer] = [LearningsLayer(learnings)]
    artifacts = artifacts_folder(folder)
    if artifacts.is_dir():
        layers.append(FilesLayer(TeamFiles(artifacts, partial(_below, folder)), folder))
    if (artifacts / TEAM_DATABASE).is_file():
        layers.append(TeamTablesLayer(artifacts / TEAM_DATABASE))
    asked = None
    if server or (server is None and settings.memory.server):
        asked = _server(folder, environment, settings.memory, mine_first=not server)
        layers.append(asked)
    offered = "" if asked else ", ".join(each.server.name for each in _made_for_it(every_server(folder, environment)))
    shared = SharedMemory(layers, partial(clean, redaction))
    return ProjectMemory(learnings, shared, asked, tuple(notes), offered)


def _below(project: Path, file: Path) -> bytes:
    """A link of the repository is not followed."""
    return read_contained(project, file.relative_to(project).as_posix())


# --- the server -----------------------------------------------------------------------------------------------------


def server_of_run(folder: Path, environment: Mapping[str, str], name: str) -> ServerMemory:
    """The one that settings named when the run was started."""
    settings, _ = load_settings(Home.of(environment), folder, environment, {})
    return _server(folder, environment, settings.memory.model_copy(update={"server": name}), mine_first=True)


def _server(
    folder: Path, environment: Mapping[str, str], settings: MemorySettings, *, mine_first: bool
) -> ServerMemory:
    chosen = _chosen(every_server(folder, environment, mine_first=mine_first), settings.server)
    if chosen.server.problem:
        raise UserError(f"{chosen.server.name} cannot be asked: {chosen.server.problem}", f"See {SERVERS_FILE}.")
    return ServerMemory(chosen.server.name, chosen.endpoint, environment, folder, _dialect(settings))


def _chosen(every: Sequence[Configured], name: str | None) -> Configured:
    """The one that a setting names, else the only one that is made for remembering."""
    if name:
        found = [each for each in every if each.server.name == name]
        if not found:
            there = ", ".join(each.server.name for each in every) or "none"
            raise UserError(f"{SERVERS_FILE} has no server {name}", f"memory.server names it; there: {there}.")
        return found[0]
    found = _made_for_it(every)
    if not found:
        hint = (
            'Put one there, such as {"mcpServers": {"memory": {"command": "npx", "args": ["-y", '
            '"@modelcontextprotocol/server-memory"]}}}, or name yours: `memory.server`.'
        )
        raise UserError(f"{SERVERS_FILE} has no server that andon knows as a memory", hint)
    if len(found) > 1:
        names = ", ".join(each.server.name for each in found)
        raise UserError(f"{SERVERS_FILE} has several: {names}", "Say which: `memory.server` in settings.")
    return found[0]


def _made_for_it(every: Sequence[Configured]) -> list[Configured]:
    return [each for each in every if each.server.category == MEMORY and not each.server.problem]


def _dialect(settings: MemorySettings) -> Dialect | None:
    """As settings describe it; None where they do not."""
    if not settings.search_tool:
        if settings.write_tool:
            raise UserError("memory.write_tool needs memory.search_tool beside it", "docs/how-to/share-memory.md.")
        return None
    told = (settings.search_arguments or "", settings.write_tool or "", settings.write_arguments or "")
    try:
        return described(settings.search_tool, *told)
    except ValueError as error:
        hint = 'Such as {"query": "{words}"}, and {"text": "{text}"}.'
        raise UserError(f"memory.search_arguments or write_arguments is no JSON object: {error}", hint) from error
