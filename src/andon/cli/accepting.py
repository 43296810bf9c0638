"""`andon accept`: a person lists what a run left open, and takes a finding upon themselves."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from andon.cli.help import Command, json_option, option
from andon.cli.runs import repository_here
from andon.cli.text import one_line, wrapped

if TYPE_CHECKING:
    from andon.domain.auto.findings import Listed

INDENT = "    "
IN_FINDINGS = "-"
"""What the id of every finding has, and that of no run."""


@click.command(
    cls=Command,
    examples=(
        ("andon accept", "What did the newest run of this repository leave open?"),
        ('andon accept check-3fa2c1 --reason "Flaky on this machine"', "Accept one of it, with your name."),
        ('andon accept 7b2x check-3fa2c1 --reason "Flaky on this machine"', "The same, of another run."),
    ),
)
@click.argument("run", default="")
@click.argument("finding", default="")
@option("--reason", default="", metavar="TEXT", help="Why it may stand. Needed, and recorded.")
@json_option("JSON: the findings, or the one that was accepted.")
def accept(run: str, finding: str, reason: str, as_json: bool) -> None:
    """List what RUN (default: the newest here) left open; or accept FINDING, with a reason.

    Who accepted what, and why, is signed into the evidence. It does not make a run done: `andon resume` goes on, and
    leaves alone what was accepted.
    """
    from andon.app.accepting import accept as accept_finding
    from andon.app.accepting import findings_of, system_user
    from andon.app.queries import find_run, open_store

    if IN_FINDINGS in run and not finding:
        run, finding = "", run
    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    if not finding:
        _list(row.id, findings_of(store, row), as_json)
        return
    by = system_user(os.environ)
    accepted = accept_finding(store, row, finding, reason, by)
    if as_json:
        click.echo(json.dumps(asdict(accepted), ensure_ascii=False))
        return
    click.echo(wrapped(f"{accepted.id} is accepted by {accepted.accepted_by}: {one_line(accepted.accepted_because)}"))
    left = sum(not each.accepted for each in findings_of(store, row))
    more = f"{left} still open. " if left else "Nothing else is open. "
    click.echo(wrapped(f"{more}`andon resume {row.id}` goes on."))


def _list(run: str, findings: tuple[Listed, ...], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([asdict(each) for each in findings], ensure_ascii=False, indent=2))
        return
    if not findings:
        click.echo(f"Run {run} left nothing open.")
    for each in findings:
        click.echo(wrapped(f"{'✓' if each.accepted else '✗'} {each.id}  {one_line(each.text)}", INDENT))
        if each.accepted:
            click.echo(wrapped(f"{INDENT}accepted by {each.accepted_by}: {one_line(each.accepted_because)}", INDENT))
    if any(not each.accepted for each in findings):
        click.echo(f'andon accept {run} FINDING --reason "…"')
