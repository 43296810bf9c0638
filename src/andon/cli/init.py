"""`andon init`: write a commented andon.toml."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from andon.cli.exits import DONE
from andon.cli.help import Command, json_option, option
from andon.cli.text import beside, plain, wrapped

NEXT = (
    ("andon doctor", "what this machine offers, and what helps where something is missing"),
    ("andon trust", "after a change of the file: let all of it count"),
    ('andon auto "…"', "a task, in this repository"),
)


@click.command(
    cls=Command,
    examples=(
        ("andon init", "Write andon.toml at the top of this repository."),
        ("andon init --print", "Only show it."),
    ),
)
@option("--force", is_flag=True, help="Write it anew although there is one.")
@option("--print", "only_shown", is_flag=True, help="Show the file and write nothing.")
@option("--repo", type=click.Path(path_type=Path), metavar="FOLDER", help="The repository.  [default: here]")
@json_option("A JSON object: the file, and what was found.")
def init(force: bool, only_shown: bool, repo: Path | None, as_json: bool) -> int:
    """Write an andon.toml with every setting, its meaning and its default, all commented out.

    It changes nothing until you take a # away. It also says which agents and which checks were found here.
    """
    from andon.app.first_file import first_file, write_first_file

    made = first_file(os.environ, repo or Path.cwd())
    if not only_shown:
        write_first_file(os.environ, made, force=force)
    if as_json:
        text = {"text": made.text} if only_shown else {}
        click.echo(json.dumps(made.as_json() | {"written": not only_shown} | text, ensure_ascii=False, indent=2))
        return DONE
    if only_shown:
        click.echo(plain(made.text), nl=False)
        return DONE
    click.echo(wrapped(f"Wrote {made.path}: every setting, commented out. Found here:"))
    for name, stands in made.agents.items():
        click.echo(beside(f"  agent {name:<11} ", stands))
    for name, command in made.commands.items():
        click.echo(beside(f"  check {name:<11} ", plain(command)))
    click.echo("Next:")
    for command, meaning in NEXT:
        click.echo(beside(f"  {command:<17} ", meaning))
    return DONE
