"""`andon team run`: a team, frozen as its file says, and executed like any other run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from andon.app.hosting import host
from andon.app.outcome import Finished
from andon.app.starting import Commission, Show, StartOptions, begin, make, recorded_of
from andon.domain.errors import UserError
from andon.domain.run import TEAM, RunRow
from andon.domain.teams.ralph import Settings
from andon.domain.teams.team import Team
from andon.memory.markdown import artifacts_folder
from andon.teamify.team_file import read_team
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


def start_team(options: StartOptions, wish: Wish, environment: Mapping[str, str], show: Show) -> Finished:
    """Start a team, and execute it in this process."""
    commission = commissioned(options, wish)
    return begin(replace(options, beside=(wish.file,)), environment, show, commission, recorded_of(options, TEAM))


def host_team(options: StartOptions, wish: Wish, environment: Mapping[str, str]) -> RunRow:
    """Start a team that goes on in the background."""
    store, run = make(replace(options, beside=(wish.file,)), environment, commissioned(options, wish))
    host(store, run)
    return run


def commissioned(options: StartOptions, wish: Wish) -> Commission:
    if not 1 <= wish.parallel <= MOST_PARALLEL:
        raise UserError(f"--parallel is {wish.parallel}", f"From 1 to {MOST_PARALLEL} members at the same time.")
    team = _adapted(read_team(wish.file), wish)
    root = Repository.open(options.repository.absolute()).root
    folder = artifacts_folder(root).relative_to(root).as_posix()
    chosen: dict[str, Any] = {"team": team.as_json(), "folder": folder, "parallel": wish.parallel}
    chosen |= {"file": str(wish.file), "worktree": False, "dry_run": False}
    task = team.purpose or team.name
    return Commission(TEAM, task, team.name, {"task": task, "options": chosen})


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
