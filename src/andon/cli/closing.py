"""`andon close` and `andon reopen`: ending a run for good, and taking that back."""

from __future__ import annotations

import json
import os
import sys

import click

from andon.cli.help import Command, json_option, option
from andon.cli.runs import repository_here
from andon.cli.text import wrapped


@click.command(
    cls=Command,
    examples=(
        ("andon close 7b2x", "Asks, then removes its worktree and scratch folders."),
        ("andon close 7b2x --yes", "Does not ask."),
    ),
)
@click.argument("run")
@option("--yes", is_flag=True, help="Remove without asking.")
@json_option("A JSON object.")
def close(run: str, yes: bool, as_json: bool) -> None:
    """End RUN for good: its worktree and scratch folders go, and nothing offers to resume it any more.

    Journal, evidence, snapshots and branch stay. `andon reopen` takes it back.
    """
    from andon.app.accepting import system_user
    from andon.app.closing import close as close_run
    from andon.app.closing import in_the_way
    from andon.app.legs import refuse_unless_at_rest
    from andon.app.queries import find_run, open_store
    from andon.domain.run import Status

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    before = row.status is Status.CLOSED
    if not before:
        refuse_unless_at_rest(store, row)
    if not before and not yes:
        _ask(row.id, [str(path) for path in in_the_way(store, row)])
    removed = close_run(store, row, system_user(os.environ))
    if as_json:
        told = {"run": row.id, "status": "closed", "removed": [str(path) for path in removed]}
        click.echo(json.dumps(told, ensure_ascii=False))
    elif before:
        click.echo(f"Run {row.id} was closed already.")
    else:
        click.echo(wrapped(f"Run {row.id} is closed. Its story: `andon logs {row.id}`. Undo: `andon reopen {row.id}`."))


def _ask(run: str, paths: list[str]) -> None:
    from andon.domain.errors import UserError

    if not (sys.stdin and sys.stdin.isatty()):
        raise UserError("Closing removes folders, and there is no terminal to ask at", "Use --yes.")
    click.echo(f"Closing run {run} removes:", err=True)
    for path in paths or ["nothing: its folders are gone"]:
        click.echo(f"  {path}", err=True)
    click.echo("Journal, evidence, snapshots and branch stay.", err=True)
    click.confirm("Close it?", abort=True, err=True)


@click.command(cls=Command, examples=(("andon reopen 7b2x", "Then `andon resume 7b2x` can go on with it."),))
@click.argument("run")
@json_option("A JSON object.")
def reopen(run: str, as_json: bool) -> None:
    """Open RUN again that was closed. It stands as it did before; its folder is made again when it goes on."""
    from andon.app.accepting import system_user
    from andon.app.closing import reopen as reopen_run
    from andon.app.queries import find_run, open_store
    from andon.domain.run import Status

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    status = reopen_run(store, row, system_user(os.environ))
    told = str(status).replace("_", " ").replace("needs user", "needs you")
    if as_json:
        click.echo(json.dumps({"run": row.id, "status": str(status)}))
    elif row.status is not Status.CLOSED:
        click.echo(f"Run {row.id} is not closed: {told}.")
    else:
        click.echo(wrapped(f"Run {row.id} is open again: {told}. `andon resume {row.id}` goes on with it."))
