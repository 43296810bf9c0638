"""`andon team run`: a team, frozen as its file says, and executed like any other run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from andon.app.home import Home
from andon.app.hosting import host
from andon.app.outcome import Finished
from andon.app.panes import AgentPanes, Say
from andon.app.starting import Commission, Ground, Show, StartOptions, begin, make, recorded_of
from andon.app.team_servers import allowed
from andon.app.teams import team_path
from andon.domain.errors import UserError
from andon.domain.journal import Entry
from andon.domain.run import TEAM, RunRow
from andon.domain.teams.layers import Layer
from andon.domain.teams.ralph import Settings
from andon.domain.teams.team import Team
from andon.memory.markdown import artifacts_folder
from andon.teamify.team_file import LARGEST, read_team
from andon.workspace.files import read_contained
from andon.workspace.repository import Repository

MOST_PARALLEL = 32


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants of a team, beside what its file says."""

    file: Path
    parallel: int = 4
    ralph: bool | None = None
    """Whether results are reviewed. None: as the file says."""
    most: int | None = None
    """Rounds of reviews. None: as the file says."""
    servers: bool = False
    """Whether members may start every MCP server that the file names; else those that settings let them."""


def start_team(
    options: StartOptions, wish: Wish, environment: Mapping[str, str], show: Show, say: Say | None = None
) -> Finished:
    """Start a team, and execute it in this process. With `say` every member has a pane of tmux while it works, and what
    people have to know of that is said."""
    commission, beside = commissioned(options, wish), replace(options, beside=(wish.file,))
    recorded = recorded_of(options, TEAM)
    if say is None:
        return begin(beside, environment, show, commission, recorded)
    panes = _Panes(environment, show, say, commission.request["options"]["team"]["id"])
    try:
        return begin(beside, environment, panes, commission, recorded)
    finally:
        panes.close()


class _Panes:
    """Shows what happens, and gives whoever begins a pane."""

    def __init__(self, environment: Mapping[str, str], show: Show, say: Say, team: str) -> None:
        self._environment, self._show, self._say, self._team = environment, show, say, team
        self._panes: AgentPanes | None = None

    def __call__(self, entry: Entry) -> None:
        if self._panes is None:
            home = Home.of(self._environment)
            self._panes = AgentPanes(self._environment, home, entry.run, self._say, self._team)
        self._panes.saw(entry)
        self._show(entry)

    def close(self) -> None:
        if self._panes is not None:
            self._panes.close()


def host_team(options: StartOptions, wish: Wish, environment: Mapping[str, str]) -> RunRow:
    """Start a team that goes on in the background."""
    store, run = make(replace(options, beside=(wish.file,)), environment, commissioned(options, wish))
    host(store, run)
    return run


def host_team_inside(
    project: Path, relative: str, environment: Mapping[str, str], budget: Mapping[str, Any] | None = None
) -> RunRow:
    """The same for a file of a project, wherever whoever names it sits."""
    path = team_path(relative)
    with suppress(FileNotFoundError):  # which is told in better words below
        read_contained(project, path, limit=LARGEST)  # a link that leads out of the project is not followed
    options = StartOptions(("team", "run", path), project, settings={"budget": budget or None})
    return host_team(options, Wish(project / path), environment)


def commissioned(options: StartOptions, wish: Wish) -> Commission:
    if not 1 <= wish.parallel <= MOST_PARALLEL:
        raise UserError(f"--parallel is {wish.parallel}", f"From 1 to {MOST_PARALLEL} members at the same time.")
    team = _adapted(read_team(wish.file), wish)
    root = Repository.open(options.repository.absolute()).root
    folder = _usable(artifacts_folder(root), root)
    chosen: dict[str, Any] = {"team": team.as_json(), "folder": folder, "parallel": wish.parallel}
    chosen |= {"file": str(wish.file), "worktree": False, "dry_run": False}
    task = team.purpose or team.name
    more = partial(_frozen, team, wish.servers)
    return Commission(TEAM, task, team.name, {"task": task, "options": chosen}, more=more)


def _usable(folder: Path, root: Path) -> str:
    """Below the project. What members share is written there, and never through a link."""
    for each in (folder.parent, folder) if folder.parent != root else (folder,):
        if each.is_symlink() or (each.exists() and not each.is_dir()):
            what = "a link" if each.is_symlink() else "a file"
            text = f"{each} is {what}, but a team keeps what it shares in a folder of that name"
            raise UserError(text, "Rename it, or make it a folder.")
    return folder.relative_to(root).as_posix()


def _frozen(team: Team, servers: bool, ground: Ground) -> dict[str, Any]:
    """Servers are started only where a person says so: the file that lists them may be a repository's."""
    settings, who = ground.settings, ground.runtimes
    runtimes = dict.fromkeys((who["runtime"], *who["role_runtimes"].values()))
    usable = allowed(team, servers, settings.servers, runtimes, ground.repository.root, ground.environment)
    memory = settings.memory.server if Layer.MCP in team.layers else None
    return {"memory_server": memory or "", "servers": usable}


def _adapted(team: Team, wish: Wish) -> Team:
    ralph = team.ralph
    chosen = Settings(
        ralph.enabled if wish.ralph is None else wish.ralph,
        ralph.max_iterations if wish.most is None else wish.most,
        ralph.review_criteria,
        ralph.exit_on,
    )
    if chosen.problem:
        raise UserError(f"ralph: {chosen.problem}")
    return replace(team, ralph=chosen)
