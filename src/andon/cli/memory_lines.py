"""What the commands of `andon memory` have in common: which project, and how an entry looks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from andon.cli.help import option
from andon.cli.runs import repository_here
from andon.cli.text import columns, cut, one_line, wrap

LINES = 6
"""Of one entry; --json has all of it."""
_WIDEST = 80
ID = click.IntRange(1, 2**63 - 1)
"""Of a row."""
_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


def folder_option(command: Any) -> Any:
    return option("--repo", "folder", type=_FOLDER, metavar="FOLDER", help="The project.  [default: here]")(command)


def project_folder(folder: Path | None) -> Path:
    return (folder or repository_here() or Path.cwd()).absolute()


def room() -> int:
    return min(_WIDEST, columns())


def show_entry(id: str, text: str, origin: str) -> None:
    wide = room() - 6
    lines = wrap(one_line(text), wide).split("\n")
    shown = [*lines[: LINES - 1], cut(" ".join(lines[LINES - 1 :]), wide)] if len(lines) > LINES else lines
    for number, line in enumerate(shown):
        click.echo(f"{(id or '·') if number == 0 else '':>4}  {cut(line, wide)}")
    for line in wrap(one_line(origin), wide).split("\n"):
        click.secho(f"      {cut(line, wide)}", dim=True)
