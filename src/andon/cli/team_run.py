"""`andon team run`: let a team work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from andon.cli.auto import PLACE, WORK
from andon.cli.executing import execute_and_show
from andon.cli.help import Command, option
from andon.cli.starting import run_options, start_options


@click.command(
    cls=Command,
    examples=(
        ("andon team run", "The team of team.yaml, in this repository."),
        ("andon team run teams/research.yaml --ralph", "Every result is reviewed, and revised up to five times."),
        ("andon team run --tmux", "The same, with a pane of tmux for every member."),
        ("andon team run --background --budget-money 5", "In a process of its own, for five dollars at most."),
    ),
)
@click.argument("file", type=click.Path(path_type=Path), default=Path("team.yaml"))
@option("--parallel", group=WORK, type=int, default=4, show_default=True, metavar="N", help="Members at the same time.")
@option("--ralph/--no-ralph", group=WORK, default=None, help="Review every result.  [default: as the file says]")
@option("--rounds", group=WORK, type=int, metavar="N", help="Reviews of one result, 1 to 10.  [default: the file's]")
@option("--servers", group=WORK, is_flag=True, help="Members may start the MCP servers that the file names.")
@option("--tmux", "panes", group=PLACE, is_flag=True, help="Every member in a pane of tmux while it works.")
@run_options
def run(
    file: Path,
    parallel: int,
    ralph: bool | None,
    rounds: int | None,
    servers: bool,
    panes: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Let a team work.

    Every unit is carried out by its member, on files of its own. andon looks for what it should have left behind, runs
    its commands, and, with --ralph, another member reviews it: SHIP, or REVISE with what is to be mended. When all are
    done the whole is measured, and published as a branch. The team's files are in .team-artifacts.
    """
    from andon.app.team_runs import Wish, start_team

    there = Path(given["repo"] or ".") / file  # with --repo its team is meant, unless one of that name is here
    wish = Wish((file if file.exists() or not there.exists() else there).absolute(), parallel, ralph, rounds, servers)
    options = start_options(("team", "run", str(file)), given)
    say = _aside if panes else None
    return execute_and_show(as_json, lambda show: start_team(options, wish, os.environ, show, say))


def _aside(text: str) -> None:
    click.secho(text, dim=True, err=True)
