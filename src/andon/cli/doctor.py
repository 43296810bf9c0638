"""`andon doctor`: what this machine offers, and what to do about what is missing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from andon.cli.exits import ENVIRONMENT

MARKS = {"ok": ("✓", "green"), "degraded": ("!", "yellow"), "missing": ("✗", "red")}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
def doctor(as_json: bool) -> int:
    """Examine this machine: programs, sandbox tiers (each tried for real), runtimes, data folder."""
    from andon.app.doctor import examine, repository_finding

    findings = [*examine(os.environ), repository_finding(Path.cwd())]
    if as_json:
        click.echo(json.dumps([finding.as_json() for finding in findings], ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            mark, colour = MARKS[finding.state]
            click.secho(f"{mark} ", fg=colour, nl=False)
            click.echo(f"{finding.name:<22} {finding.detail}")
            if finding.state != "ok" and finding.fix:
                click.secho(f"  {'':<22} {finding.fix}", dim=True)
    return ENVIRONMENT if any(finding.state == "missing" for finding in findings) else 0
