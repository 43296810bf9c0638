"""`andon models`: which model serves which tier."""

from __future__ import annotations

import json
import os

import click

from andon.cli.exits import DONE
from andon.cli.help import Command, json_option
from andon.cli.runs import repository_here
from andon.cli.text import wrapped


@click.command(
    cls=Command,
    examples=(
        ("andon models", "Every runtime's models, with what settings choose here."),
        ("andon models --json", "The same for a program."),
    ),
)
@json_option("A JSON object.")
def models(as_json: bool) -> int:
    """Show which model each runtime takes for each tier.

    A role asks for a tier (haiku, sonnet, opus, or one of them with a context of a million tokens); the runtime has a
    model for it. Settings choose others: [runtimes.NAME.models]. Settings also give a role a runtime of its own:
    [roles.ROLE] runtime = "NAME".
    """
    from andon.app.models import models as told

    found = told(os.environ, repository_here())
    if as_json:
        shown = {"dated": found.dated, "models": [each.as_json() for each in found.models], "roles": dict(found.roles)}
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return DONE
    runtime = ""
    for each in found.models:
        lead = each.runtime if each.runtime != runtime else ""
        runtime = each.runtime
        click.echo(f"{lead:<10}{each.tier:<12}{each.model}{'  (settings)' if each.chosen else ''}")
    for role, name in found.roles.items():
        click.echo(f"the role {role} works with {name}")
    for note in found.notes:
        click.echo(wrapped(note), err=True)
    click.secho(f"Known models are as of {found.dated}; programs are updated more often.", dim=True, err=True)
    return DONE
