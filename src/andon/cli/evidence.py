"""`andon evidence list|show|verify`: what was measured, and whether the record of it still holds."""

from __future__ import annotations

import json
import os

import click

from andon.cli.exits import FAILED
from andon.cli.lines import MARKS
from andon.cli.runs import repository_here


@click.group()
def evidence() -> None:
    """What andon measured in a run, signed and chained."""


@evidence.command("list")
@click.argument("run", default="")
@click.option("--json", "as_json", is_flag=True, help="A JSON array of the statements.")
def list_(run: str, as_json: bool) -> None:
    """List the evidence of RUN (default: the newest here)."""
    store, row = _run(run)
    records = store.ledger.records(row.id)
    if as_json:
        click.echo(json.dumps([record.statement for record in records], ensure_ascii=False, indent=2))
        return
    if not records:
        click.echo(f"Run {row.id} has no evidence yet.")
    for record in records:
        told = record.predicate
        mark, words = MARKS[told["verdict"]], told["verdict"].replace("_", " ")
        command = " ".join(told["command"]) or told["reason"]
        click.echo(f"{record.seq:>3} {mark} {told['goal']:<11} {words:<13} {record.digest[:12]}  {command[:60]}")


@evidence.command()
@click.argument("run")
@click.argument("number", type=int)
@click.option("--json", "as_json", is_flag=True, help="The signed envelope.")
def show(run: str, number: int, as_json: bool) -> None:
    """Everything kept of one measurement: NUMBER as `list` shows it."""
    from andon.domain.errors import UserError

    store, row = _run(run)
    record = next((r for r in store.ledger.records(row.id) if r.seq == number), None)
    if record is None:
        raise UserError(f"Run {row.id} has no evidence {number}", f"`andon evidence list {row.id}` lists it.")
    if as_json:
        click.echo(record.envelope)
        return
    for key, value in record.predicate.items():
        shown = " ".join(value) if isinstance(value, list) else value
        click.echo(f"{key:<12} {shown if shown not in (None, '') else '-'}")
    click.echo(f"{'tree':<12} {record.statement['subject'][0]['digest']['gitTree']}")
    click.echo(f"{'digest':<12} {record.digest}")
    output = store.ledger.store.read(record.predicate["output"]) if record.predicate["output"] else None
    if output:
        click.echo("\n" + output.decode("utf-8", "replace"))


@evidence.command()
@click.argument("run", default="")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def verify(run: str, as_json: bool) -> int:
    """Check signature, chain and kept outputs of every record of RUN (default: the newest here)."""
    store, row = _run(run)
    breaks = store.ledger.verify(row.id)
    count = len(store.ledger.records(row.id))
    if as_json:
        found = [{"seq": each.seq, "reason": each.reason} for each in breaks]
        click.echo(json.dumps({"run": row.id, "records": count, "intact": not breaks, "breaks": found}))
    elif breaks:
        for each in breaks:
            click.echo(f"✗ record {each.seq}: {each.reason}")
    elif count:
        click.echo(f"✓ {count} records of run {row.id}: signatures, chain and outputs hold.")
    else:
        click.echo(f"Run {row.id} has no evidence: nothing was measured.")
    return FAILED if breaks or not count else 0


def _run(prefix: str):
    from andon.app.queries import find_run, open_store

    store = open_store(os.environ)
    return store, find_run(store, prefix, repository_here())
