"""`andon env`: what checks run with here."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from andon.cli.exits import DONE, NEEDS_PERSON
from andon.cli.help import Command, json_option, option
from andon.cli.text import one_line, wrap

if TYPE_CHECKING:
    from andon.app.environments import Shown

COLUMNS = 80
MOST_OUTPUT = 12
"""Lines of what a failing tool printed."""


@click.command(
    cls=Command,
    examples=(
        ("andon env", "What this repository says about its environment."),
        ("andon env --try", "Build it, and collect the tests."),
        ("andon env --write", "The same, and write what works into andon.toml."),
    ),
)
@option("--try", "tried", is_flag=True, help="Build the environment and collect the tests: the first rung that can.")
@option("--write", "written", is_flag=True, help="Try it, and write the answer that works into andon.toml.")
@option("--repo", type=click.Path(path_type=Path), metavar="FOLDER", help="The repository.  [default: here]")
@option("--trust-host", is_flag=True, help="Build without a sandbox where there is none.")
@json_option("A JSON object: what was found, how each rung came out, what would be written.")
def env(tried: bool, written: bool, repo: Path | None, trust_host: bool, as_json: bool) -> int:
    """Show what checks run with here: every way in which the project says what its tests need, the surest first.

    Uses the files as they lie in the checkout. Nothing in the repository changes but andon.toml, with --write. Exit
    code 0: fine. 2: no environment could be built.
    """
    from dataclasses import replace

    from andon.app.environments import show, write
    from andon.app.queries import open_store

    store = open_store(os.environ)
    shown = show(store, repo or Path.cwd(), os.environ, tried=tried or written, trust_host=trust_host)
    if written and not shown.problem:
        write(shown)
        shown = replace(shown, written=True)
    if as_json:
        click.echo(json.dumps(shown.as_json(), ensure_ascii=False, indent=2))
    else:
        _print(shown)
    return NEEDS_PERSON if shown.problem else DONE


def _print(shown: Shown) -> None:
    for found in shown.found:
        click.echo(found.language)
        for number, (name, what) in enumerate(found.rungs, start=1):
            _line(f"  {number}. {one_line(name)}: ", one_line(what), "     ")
    for goal, command in shown.commands.items():
        _line(f"{goal:<10} ", one_line(command), " " * 11)
    if not shown.tried:
        click.echo("`andon env --try` builds it and collects the tests.")
        return
    click.echo("Tried:")
    for note in shown.notes:
        _line("  ", one_line(note), "    ")
    for tool, why in (shown.lacks or {}).items():
        _line(f"  without {tool}: ", one_line(why), "    ")
    if shown.problem:
        _line("No environment: ", one_line(shown.problem), "  ")
        for line in shown.output.splitlines()[-MOST_OUTPUT:]:
            _line("  ", one_line(line), "    ")
        if shown.fix:
            _line("To put right: ", one_line(shown.fix), "  ")
        click.echo("What is to be installed can be said in andon.toml: environment.install = [...]")
    elif shown.written:
        _line("Written into andon.toml: ", "commit it, so that it counts for others.", "  ")
    elif shown.settings:
        click.echo("It works. `andon env --write` puts it into andon.toml.")


def _line(lead: str, text: str, indent: str) -> None:
    click.echo(wrap(lead + text, COLUMNS, indent))
