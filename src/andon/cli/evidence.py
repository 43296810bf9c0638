"""`andon evidence list|show|verify|export`: what was measured, and whether the record of it still holds."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

import click

from andon.cli.exits import DONE, FAILED, NEEDS_PERSON
from andon.cli.help import Command, Group, json_option, option
from andon.cli.lines import MARKS
from andon.cli.runs import repository_here
from andon.cli.text import beside, columns, cut, one_line, plain, wrapped
from andon.domain.counting import counted

LABEL = 13
ACCEPTED = "="
"""The mark of what a person accepted: neither measured nor passed."""
REPLAYED = {"same": "✓", "different": "✗", "not replayed": "-"}


@click.group(cls=Group)
def evidence() -> None:
    """What andon measured in a run, signed and chained."""


@evidence.command("list", cls=Command, examples=(("andon evidence list", "Of the newest run here."),))
@click.argument("run", default="")
@json_option("A JSON array of the statements.")
def list_(run: str, as_json: bool) -> None:
    """List the evidence of RUN (default: the newest here): what was measured, and what a person accepted."""
    store, row = _run(run)
    records = store.ledger.records(row.id)
    if as_json:
        click.echo(json.dumps([record.statement for record in records], ensure_ascii=False, indent=2))
        return
    if not records:
        click.echo(f"Run {row.id} has no evidence yet.")
    for record in records:
        told = record.predicate
        if record.measurement:
            mark, words = MARKS[told["verdict"]], told["verdict"].replace("_", " ")
            place = "on the base: " if record.at_base else ""
            what, how = told["goal"], place + one_line(" ".join(told["command"]) or told["reason"])
        else:
            mark, words, what = ACCEPTED, "accepted", told["finding"]
            how = one_line(f"{told['by']}: {told['reason']}")
        line = f"{record.seq:>3} {mark} {what:<14} {words:<13} {record.digest[:12]}  "
        click.echo(line + cut(how, max(20, columns() - len(line))))


@evidence.command(
    cls=Command,
    examples=(
        ("andon evidence show 7b2x 3", "Command, exit code, sandbox, output of the third."),
        ("andon evidence show 7b2x 3 --output", "What it printed, byte by byte."),
    ),
)
@click.argument("run")
@click.argument("number", type=int)
@option("--output", "output_only", is_flag=True, help="Only what the check printed, as it printed it.")
@json_option("The signed envelope.")
def show(run: str, number: int, output_only: bool, as_json: bool) -> None:
    """Everything kept of one measurement: NUMBER as `list` shows it."""
    from andon.domain.errors import UserError

    store, row = _run(run)
    record = next((r for r in store.ledger.records(row.id) if r.seq == number), None)
    if record is None:
        raise UserError(f"Run {row.id} has no evidence {number}", f"`andon evidence list {row.id}` lists it.")
    told = record.predicate
    output = store.ledger.store.read(told["output"]) if told.get("output") else None
    if output_only:
        sys.stdout.buffer.write(output or b"")
        return
    if as_json:
        click.echo(record.envelope)
        return
    kept = told | {"tree": record.statement["subject"][0]["digest"]["gitTree"], "digest": record.digest}
    for key, value in kept.items():
        click.echo(beside(f"{key:<{LABEL - 1}} ", one_line(_in_words(value)) or "-"))
    if output:
        click.echo("\n" + plain(output.decode("utf-8", "replace")))


@evidence.command(
    cls=Command,
    examples=(
        ("andon evidence verify 7b2x", "Exit code 1 when something was changed."),
        ("andon evidence verify 7b2x --replay", "Measure everything again. Exit code 1 when something differs."),
        ("andon evidence verify 7b2x --replay 3 5", "Only records 3 and 5, as `list` shows them."),
    ),
)
@click.argument("run", default="")
@click.argument("numbers", type=int, nargs=-1, metavar="[NUMBER]...")
@option("--replay", is_flag=True, help="Run the recorded commands again, on the recorded trees, and compare.")
@json_option("A JSON object.")
def verify(run: str, numbers: tuple[int, ...], replay: bool, as_json: bool) -> int:
    """Check every record of RUN (default: the newest here): signature, chain, anchor, trees and kept outputs.

    The anchor is the newest record, kept in git besides the database: it tells when records were taken away.

    With --replay the measurements, or those with a NUMBER, are made again in the sandbox. Verdict, exit code and
    failures are compared, not times and wording. Exit code 2 when nothing could be replayed.
    """
    from andon.app.evidence import verify as verify_run

    if numbers and not replay:
        raise click.UsageError("NUMBER says what to replay: add --replay.")
    store, row = _run(run)
    found = verify_run(store, row)
    if not as_json:
        _show_verified(row.id, found)
    # Commands that somebody may have put there are not run.
    again = _replayed(store, row, numbers, as_json) if replay and found.holds else []
    if as_json:
        click.echo(json.dumps(_verified(row.id, found) | ({"replayed": again} if replay else {}), ensure_ascii=False))
    if not found.holds:
        return NEEDS_PERSON if found.signed_by and not found.breaks else FAILED
    outcomes = {each["outcome"] for each in again}
    if "different" in outcomes:
        return FAILED
    return NEEDS_PERSON if replay and "same" not in outcomes else DONE


@evidence.command(
    cls=Command,
    examples=(
        ("andon evidence export 7b2x", "Into ./andon-evidence-7b2x…"),
        ("andon evidence export 7b2x out/evidence", "Into a folder of your choice."),
    ),
)
@click.argument("run", default="")
@click.argument("folder", default="")
@json_option("A JSON object: folder, key, files.")
def export(run: str, folder: str, as_json: bool) -> None:
    """Write the evidence of RUN (default: the newest here) as files that in-toto and DSSE tools read.

    The signed envelopes, one file each and all in one bundle; what the checks printed; the public key (PEM). Evidence
    that does not hold any more is not exported.
    """
    from pathlib import Path

    from andon.app.exporting import BUNDLE, KEY
    from andon.app.exporting import export as export_run

    store, row = _run(run)
    done = export_run(store, row, Path(folder or f"andon-evidence-{row.id}").absolute())
    if as_json:
        click.echo(json.dumps({"folder": str(done.folder), "key": done.key_id, "files": done.files}))
        return
    click.echo(wrapped(f"{counted(len(done.files), 'file')} in {done.folder}", "  "))
    click.echo(wrapped(f"  {BUNDLE}: the envelopes, signed; {KEY}: the public key {done.key_id}", "  "))


def _in_words(value: Any) -> str:
    """Word a value of a record: the words of a command side by side, several commands one after the other."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(part)}" for name, part in cast("dict[str, Any]", value).items())
    if isinstance(value, list):
        parts = cast("list[Any]", value)
        words = all(isinstance(part, str) for part in parts)
        return (" " if words else "; ").join(map(_in_words, parts))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _show_verified(run: str, found: Any) -> None:
    count = len(found.records)
    for each in found.breaks:
        click.echo(wrapped(f"✗ record {each.seq}: {each.reason}" if each.seq else f"✗ {each.reason}", "  "))
    if count and found.signed_by and not found.breaks:
        told = (
            f"? {counted(count, 'record')} of run {run} signed by a key of {found.signed_by}, unknown to this machine."
        )
        click.echo(wrapped(f"{told} The order holds. Verify it there: `andon evidence verify {run}`.", "  "))
    elif count and not found.breaks:
        told = f"✓ {counted(count, 'record')} of run {run}: signatures, chain, anchor, trees and outputs hold."
        click.echo(wrapped(told + _accepted(found.records), "  "))
    elif not found.breaks:
        click.echo(f"Run {run} has no evidence: nothing was measured.")
    for note in found.notes:
        click.echo(wrapped(f"  {note}", "  "))


def _replayed(store: Any, row: Any, numbers: tuple[int, ...], as_json: bool) -> list[dict[str, Any]]:
    from andon.app.replaying import replay

    done: list[dict[str, Any]] = []
    for each in replay(store, row, numbers, lambda text: click.echo(f"{plain(text)} …", err=True)):
        done.append(asdict(each))
        if not as_json:
            why = "; ".join(filter(None, (each.reason, *each.notes)))
            line = f"{each.seq:>3} {REPLAYED[each.outcome]} {one_line(each.what):<14} {each.outcome}"
            click.echo(wrapped(f"{line}: {one_line(why)}" if why else line, "      "))
    return done


def _verified(run: str, found: Any) -> dict[str, Any]:
    breaks = [{"seq": each.seq, "reason": each.reason} for each in found.breaks]
    told = {"run": run, "records": len(found.records), "intact": not breaks and not found.signed_by, "breaks": breaks}
    told |= {"signed_by": found.signed_by} if found.signed_by else {}
    return told | {"anchored": found.anchored, "notes": list(found.notes)}


def _accepted(records: Sequence[Any]) -> str:
    people = [record.predicate["by"] for record in records if not record.measurement]
    return f" {len(people)} of them accepted by {', '.join(dict.fromkeys(people))}, not measured." if people else ""


def _run(prefix: str):
    from andon.app.queries import find_evidence, open_store

    store = open_store(os.environ)
    return store, find_evidence(store, prefix, repository_here())
