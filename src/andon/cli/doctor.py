"""`andon doctor`: what this machine offers, and what to do about what is missing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from andon.cli.exits import DONE, ENVIRONMENT
from andon.cli.help import Command, json_option
from andon.cli.text import wrapped

MARKS = {"ok": ("✓", "green"), "degraded": ("!", "yellow"), "missing": ("✗", "red")}
NAME_COLUMNS = 22


@click.command(cls=Command, examples=(("andon doctor", "Exit code 4 when something that runs need is missing."),))
@json_option("A JSON array.")
def doctor(as_json: bool) -> int:
    """Examine this machine: programs, data folder, database, sandbox tiers (each tried for real), port, agents.

    What is not as it should be has a line that says what helps.
    """
    from andon.app.doctor import examine

    findings = examine(os.environ, Path.cwd())
    if as_json:
        click.echo(json.dumps([finding.as_json() for finding in findings], ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            mark, colour = MARKS[finding.state]
            indent = " " * (NAME_COLUMNS + 2)
            detail = wrapped(f"{indent}{finding.detail}", indent).removeprefix(indent)
            click.secho(f"{mark} ", fg=colour, nl=False)
            click.echo(f"{finding.name:<{NAME_COLUMNS}}{detail}")
            if finding.state != "ok" and finding.fix:
                click.secho(wrapped(f"{indent}{finding.fix}", indent), dim=True)
    return ENVIRONMENT if any(finding.state == "missing" for finding in findings) else DONE
