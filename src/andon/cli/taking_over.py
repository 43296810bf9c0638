"""`andon take-over`: a person works on a run's files, in a shell of their own."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from andon.cli.help import Command, json_option, option
from andon.cli.runs import repository_here
from andon.cli.text import one_line, wrapped
from andon.domain.counting import counted

SIGNS = {"added": "A", "modified": "M", "deleted": "D", "type": "T"}


@click.command(
    "take-over",
    cls=Command,
    examples=(
        ("andon take-over", "A shell in the worktree of the newest run here; `exit` leaves it."),
        ('cd "$(andon take-over 7b2x --print)"', "Only the folder, made again if it is gone."),
        ("andon take-over 7b2x --area api", "The folder of one of several parallel implementers."),
    ),
)
@click.argument("run", default="")
@option("--print", "only_print", is_flag=True, help="Print the folder; open no shell.")
@option("--area", default="", metavar="NAME", help="A parallel implementer's folder, while its work is not merged.")
@json_option("A JSON object.")
def take_over(run: str, only_print: bool, area: str, as_json: bool) -> None:
    """Work on the files of RUN (default: the newest here) yourself, in your $SHELL.

    For a run that nobody executes. What you change goes on with the run: `andon resume` measures it like an agent's
    work.
    """
    from andon.app.accepting import system_user
    from andon.app.legs import areas_of
    from andon.app.queries import find_run, open_store
    from andon.app.taking_over import folder_of
    from andon.app.taking_over import take_over as take_over_run

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    if only_print:
        folder = folder_of(store, row, area)
        told = {"run": row.id, "worktree": str(folder), "areas": sorted(areas_of(row))}
        click.echo(json.dumps(told, ensure_ascii=False) if as_json else folder)
        return
    _need_terminal(row.id)

    def welcome(folder: Path) -> None:
        _welcome(row.id, folder, [] if area else sorted(areas_of(row)))

    touched = take_over_run(store, row, os.environ, system_user(os.environ), welcome, area)
    if as_json:
        click.echo(json.dumps({"run": row.id, "changed": [asdict(each) for each in touched]}, ensure_ascii=False))
        return
    _tell(row.id, touched)


def _need_terminal(run: str) -> None:
    from andon.domain.errors import UserError

    if not (sys.stdin and sys.stdin.isatty()):
        hint = f"`andon take-over {run} --print` only prints the folder."
        raise UserError("A shell needs a terminal, and standard input is none", hint)


def _welcome(run: str, folder: Path, areas: list[str]) -> None:
    told = [
        f"These are the files of run {run}, as its agents left them: {folder}",
        "`git status` and `git diff` compare with what the run began with. Edit the files; commits made here are not "
        "kept. `exit` (or Ctrl+D) goes back.",
    ]
    if areas:
        names = ", ".join(areas)
        told.append(
            f"Not in here, because it is not merged yet: the work of {names}. `--area NAME` opens their folders."
        )
    for line in told:
        click.echo(wrapped(line), err=True)
    click.echo(err=True)


def _tell(run: str, touched: tuple[Any, ...]) -> None:
    if not touched:
        click.echo("Nothing was changed.")
    for each in touched:
        lines = "binary" if each.added is None else f"+{each.added} -{each.deleted}"
        click.echo(f"  {SIGNS[each.kind]} {lines:<10} {one_line(each.path)}")
    if touched:
        many = f"{counted(len(touched), 'file')} changed"
        click.echo(wrapped(f"{many}. `andon resume {run}` goes on and measures it like an agent's work."))
