"""`andon demo`: run the sample and show what came of it: branch, diff, checks, evidence."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from andon.cli.executing import Show, execute_and_show, tell_standing
from andon.cli.help import Command, json_option, option
from andon.cli.text import wrapped
from andon.domain.counting import counted
from andon.domain.journal import Entry
from andon.domain.run import Status

if TYPE_CHECKING:
    from andon.app.demo import Demo
    from andon.app.outcome import Finished

INTRODUCTION = (
    "A sample project, agents that play a script, and andon in charge of them. "
    "Four times an agent says that all is well when it is not. Watch who finds out."
)
UAM_INTRODUCTION = (
    "A sample project, agents that play a script, and andon in charge of them. Three TODOs, two of them at once. "
    "A worker says that its tests pass, and a gate has something to say about the rest. Watch who finds out."
)
TASK_INTRODUCTION = (
    "A sample project, agents that play a script, and andon in charge of them. A task in four phases: each is "
    "measured, judged by another agent, and then decided by you. Twice the agent says that it is ready when it is not."
)
INTRODUCTIONS = {"auto": INTRODUCTION, "uam": UAM_INTRODUCTION, "task": TASK_INTRODUCTION}


@click.command(
    cls=Command,
    examples=(
        ("andon demo", "Anywhere: it makes its own repository."),
        ("andon demo --uam", "The plan-driven pipeline, with workers side by side."),
        ("andon demo --task", "Work in phases; you approve each, or say what should be different."),
    ),
)
@option("--uam", "door", flag_value="uam", help="Show `andon uam` instead of `andon auto`.")
@option("--task", "door", flag_value="task", help="Show `andon task`.")
@option("--yes", is_flag=True, help="With --task: approve every phase that passed its verification.")
@json_option("One JSON object per event.")
def demo(door: str | None, yes: bool, as_json: bool) -> int:
    """See a whole run on a sample project, without keys or accounts. Takes a few seconds.

    It leaves one folder in the temporary folder, to look at, and says where.
    """
    from andon.app.demo import prepare_demo
    from andon.domain.errors import UserError

    if yes and door != "task":
        raise UserError("--yes approves the phases of a task", "andon demo --task --yes")
    prepared = prepare_demo(door or "auto")
    if not as_json:
        click.echo(wrapped(INTRODUCTIONS[prepared.door]))
        click.echo(f"\n{wrapped(f'$ {prepared.command}', '    ')}\n")
    return execute_and_show(
        as_json,
        lambda show: prepared.run(os.environ, _approving(show) if yes else show),
        lambda finished: _tell(prepared, finished),
    )


def _approving(show: Show) -> Show:
    """As somebody would who approves whatever andon has verified."""
    from andon.app.queries import open_store
    from andon.app.tasks import Verdict, decide, task_of

    store = open_store(os.environ)

    def shown(entry: Entry) -> None:
        show(entry)
        if entry.kind == "hold_opened" and entry.data.get("category") == "review":
            found = task_of(store, store.runs.get(entry.run))
            if found.pending and found.pending.verified:
                decide(store, found, Verdict(True, "demo --yes"))

    return shown


def _tell(demo: Demo, finished: Finished) -> None:
    from andon.app.queries import open_store

    run = finished.run
    if finished.ending.status is not Status.DONE:
        tell_standing(finished)
        click.echo(f"\nThe sample is in {shlex.quote(str(demo.repository))}")
        return
    _title(f"The branch: {run.branch}")
    for line in demo.diff(run).rstrip().splitlines():
        click.secho(line, fg={"+": "green", "-": "red", "@": "cyan"}.get(line[:1]))
    _title("The checks: run by andon, on a clean copy, in a sandbox")
    ledger = open_store(os.environ).ledger
    for record in ledger.records(run.id):
        told = record.predicate
        if told.get("command"):
            command = " ".join(told["command"])
            named = "" if told["goal"] == command else f"{told['goal']:<10} "
            click.echo(f"  {named}{told['verdict']:<8} {command}   [{told['sandbox']}]")
    _title(f"The evidence: andon evidence verify {run.id}")
    breaks = ledger.verify(run.id)
    click.echo(
        f"  {counted(len(ledger.records(run.id)), 'record')}: "
        + ("signatures and chain hold" if not breaks else "BROKEN")
    )
    _title("Have a look")
    click.echo(f"  cd {shlex.quote(str(demo.repository))}")
    click.echo(f"  git log --stat {run.branch}\n  andon status {run.id}\n  andon logs {run.id}")


def _title(text: str) -> None:
    click.secho(f"\n{text}", bold=True)
