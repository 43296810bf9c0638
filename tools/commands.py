"""Writes docs/reference/commands.md from the help texts of the commands. With --check it only says whether it is true.

The page is never edited by hand; a test keeps it up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from andon.cli.main import andon

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "commands.md"
COLUMNS = 88
HEAD = """# Commands

What `--help` says, for reading in one place. Exit codes are in [exit-codes.md](exit-codes.md), settings in
[settings.md](settings.md). Standard output is data, standard error is talk; `--json` makes the output one JSON value,
or one object per line where a run is told. RUN is a run's id or the beginning of it; where it stands in brackets it may
be left out, and the newest run of the repository you stand in is meant.

<!-- Written by tools/commands.py; do not edit. -->
"""


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """(name, help) of a command and everything below it."""
    context.max_content_width = context.terminal_width = COLUMNS
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, click.Context(below, info_name=name, parent=context, **below.context_settings))


def page() -> str:
    parts = [HEAD]
    for name, text in commands(andon, click.Context(andon, info_name="andon", **andon.context_settings)):
        lines = "\n".join(line.rstrip() for line in text.rstrip().splitlines())
        parts.append(f"## {name}\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text(encoding="utf-8") == page():
            return 0
        print(f"{PAGE} is not what the commands say: run {Path(__file__).name}", file=sys.stderr)
        return 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
