"""`andon demo`: run the sample and show what came of it: branch, diff, checks, evidence."""

from __future__ import annotations

import os

import click

from andon.cli.exits import exit_code
from andon.cli.screen import choose_screen

INTRODUCTION = """A sample project, four kinds of agents that play a script, and andon in charge of them.
Watch for the executor's claim that everything works, and for who finds out that it does not.
"""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per event.")
def demo(as_json: bool) -> int:
    """See a whole run on a sample project, without keys or accounts. Takes a few seconds."""
    from andon.app.demo import TASK, run_demo
    from andon.app.queries import open_store

    if not as_json:
        click.echo(f'{INTRODUCTION}\n$ andon auto "{TASK}"\n')
    screen = choose_screen(as_json)
    try:
        shown = run_demo(os.environ, screen.show)
    finally:
        screen.close()
    if as_json:
        return exit_code(shown.finished.ending)
    run = shown.finished.run
    _title(f"The branch: {run.branch}")
    click.echo(shown.diff.rstrip())
    _title("The checks: run by andon, on a clean copy, in a sandbox")
    ledger = open_store(os.environ).ledger
    for record in ledger.records(run.id):
        told = record.predicate
        if told["command"]:
            click.echo(f"  {told['goal']:<10} {told['verdict']:<8} {' '.join(told['command'])}   [{told['sandbox']}]")
    _title(f"The evidence: andon evidence verify {run.id}")
    breaks = ledger.verify(run.id)
    click.echo(f"  {len(ledger.records(run.id))} records: " + ("signatures and chain hold" if not breaks else "BROKEN"))
    _title("Have a look")
    click.echo(
        f"  cd {shown.repository}\n  git log --stat {run.branch}\n  andon status {run.id}\n  andon logs {run.id}"
    )
    return exit_code(shown.finished.ending)


def _title(text: str) -> None:
    click.secho(f"\n{text}", bold=True)
