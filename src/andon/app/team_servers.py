"""MCP servers for the members of a team: which a person lets them use, and how each is reached when an order begins.

A server is a program that a file of the repository may name. So it is used only when a person said so, and only as it
was when they did: a run keeps a mark of each entry, and no secret of any.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from andon.app.configured_servers import SERVERS_FILE, every_server, servers_of_person, servers_of_project
from andon.app.server_settings import ServerSettings
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.domain.secrets import without_tokens
from andon.domain.teams.resources import names_alike
from andon.domain.teams.team import Team
from andon.engine.redaction import Redaction
from andon.runtimes.servers import CANNOT, Server, Servers, found_program, no_server
from andon.teamify.servers import Configured, mark, starts


def allowed(
    team: Team,
    every: bool,
    settings: Mapping[str, ServerSettings],
    runtimes: Collection[str],
    folder: Path,
    environment: Mapping[str, str],
) -> dict[str, Any]:
    """What a run keeps of the servers that its members may use, by the names that members have for them."""
    wanted = [name for name in team.servers if every or _settings(name, settings).use]
    if wanted and (unable := [f"{name} {CANNOT[name]}" for name in runtimes if name in CANNOT]):
        raise UserError(f"Members cannot use {', '.join(wanted)}: {unable[0]}", "Choose another runtime for them.")
    # A setting was made once: it means the person's own server, also where a repository has one of that name.
    mine = [] if every else servers_of_person(environment)
    places = (mine, every_server(folder, environment))
    return {name: _kept(name, places, _settings(name, settings), environment) for name in wanted}


def _settings(name: str, settings: Mapping[str, ServerSettings]) -> ServerSettings:
    return settings.get(name) or ServerSettings.model_validate({})


def _kept(
    name: str, places: Sequence[Sequence[Configured]], settings: ServerSettings, environment: Mapping[str, str]
) -> dict[str, Any]:
    found = next((found for there in places if (found := _called(name, there))), list[Configured]())
    if not found:
        known = ", ".join(each.server.name for each in places[-1]) or "none"
        raise UserError(f"No {SERVERS_FILE} has a server {name}, which the team names", f"There: {known}.")
    chosen = found[0]
    if chosen.server.problem:
        raise UserError(f"The server {name} cannot be used: {chosen.server.problem}", f"See {SERVERS_FILE}.")
    if chosen.endpoint.command:
        found_program(name, chosen.endpoint.filled(environment), environment)
    paths = {"readable": _paths(name, settings.readable), "writable": _paths(name, settings.writable)}
    [start] = starts([chosen])
    line = without_tokens(start.line)
    return {"entry": chosen.server.name, "mark": mark([chosen]), "line": line, **paths}


def _called(name: str, there: Sequence[Configured]) -> list[Configured]:
    exact = [each for each in there if each.server.name == name]
    return exact or [each for each in there if names_alike(each.server.name, name)]


def _paths(name: str, given: Sequence[str]) -> list[str]:
    found = [str(Path(each).expanduser()) for each in given]
    for path in found:
        if not Path(path).is_absolute() or not Path(path).exists():
            hint = "Name it as a whole path; ~ is your home folder."
            raise UserError(f"servers.{name}: there is no {path}", hint)
    return found


def servers_of_run(run: RunRow, environment: Mapping[str, str], redaction: Redaction) -> Servers:
    kept: Mapping[str, Any] = run.spec.get("more", {}).get("servers") or {}

    def known(name: str) -> Server:
        if name not in kept:
            return no_server(name)
        told = kept[name]
        there = [*servers_of_project(Path(run.repository)), *servers_of_person(environment)]
        found = [each for each in there if each.server.name == told["entry"] and mark([each]) == told["mark"]]
        if not found:
            hint = f"Put its entry in {SERVERS_FILE} back, or start a new run."
            raise UserError(f"The server {name} is not what it was when the run was started", hint)
        reached = found[0].endpoint.filled(environment)
        redaction.add_named({**reached.environment, **reached.headers})
        return Server(reached, tuple(told["readable"]), tuple(told["writable"]))

    return known
