"""What becomes of reviews that wait: `andon task remind`, `reassign` and `auto-approval`."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import click

from andon.cli.help import Command, json_option, option
from andon.cli.runs import repository_here
from andon.cli.text import wrapped


@click.command(
    cls=Command,
    examples=(
        ("andon task remind", "Once; what is due now, and nothing twice."),
        ("0 * * * * andon task remind --json", "As a line of a crontab, where no `andon serve` is running."),
    ),
)
@json_option("A JSON object.")
def remind(as_json: bool) -> None:
    """Remind people of reviews that wait: after 24 and 48 hours, and after 72 those who can name another reviewer.

    `andon serve` does this by itself. Each stage is acted on once, however many processes look. Notices go where
    [notify] says; without it the journal and `andon task list` have them.
    """
    from datetime import UTC, datetime

    from andon.app.queries import open_store
    from andon.app.reminding import Reminding, overview

    store = open_store(os.environ)
    reminding, now = Reminding(store), datetime.now(UTC)
    fired, sent = reminding.fire_due(now), reminding.deliver_due()
    found = overview(store, now)
    if as_json:
        acted = [asdict(each) | {"at": each.at.isoformat()} for each in fired]
        failed = [{"to": each.delivery.target.name, "problem": each.problem} for each in sent if each.problem]
        told = {"acted": acted, "delivered": len(sent) - len(failed), "failed": failed}
        click.echo(json.dumps(told | found.as_json(), ensure_ascii=False, indent=2))
        return
    for each in fired:
        click.echo(wrapped(f"{each.run}  {each.stage.value.replace('_', ' ')}: {each.outcome}"))
    for each in sent:
        if each.problem:
            click.echo(wrapped(f"{each.delivery.target.name} was not told: {each.problem}"), err=True)
    statistics = found.statistics
    click.echo(
        f"{statistics.pending_over_24h} waiting for more than a day, {statistics.auto_approved} approved by time."
    )
    if found.auto_approval.on:
        click.echo(_on(found.auto_approval.by))


@click.command(
    cls=Command,
    examples=(("andon task reassign 7b2x --to ada", "Ada is to decide the phase that waits."),),
)
@click.argument("task_id", metavar="[TASK]", default="")
@option("--to", "reviewer", required=True, metavar="NAME", help="Who is to decide.")
@json_option("A JSON object.")
def reassign(task_id: str, reviewer: str, as_json: bool) -> None:
    """Name another reviewer for the phase of TASK that waits.

    It is a new version of the review then: whoever has it open looks at it again before deciding.
    """
    from andon.app.notifying import book_of
    from andon.app.queries import find_run, open_store
    from andon.app.reminding import reassign as name_another
    from andon.app.starting import user_name
    from andon.app.tasks import task_of
    from andon.domain.errors import UserError

    store = open_store(os.environ)
    task = task_of(store, find_run(store, task_id, repository_here()))
    if task.pending is None:
        raise UserError(f"Task {task.run.id} waits for no review", f"`andon task show {task.run.id}` tells how it is.")
    book = book_of(store, os.environ)
    review = name_another(store, task.run, task.pending, reviewer, user_name(os.environ), book)
    if as_json:
        told = {"review": review.id, "phase": review.phase, "reviewer": review.reviewer, "version": review.version}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    click.echo(f"Phase {review.phase}: {review.reviewer} is to decide. Version {review.version}.")


@click.command(
    "auto-approval",
    cls=Command,
    examples=(
        ("andon task auto-approval", "Whether it is on, and who switched it."),
        ("andon task auto-approval on", "Phases that passed all their checks are approved after seven days."),
    ),
)
@click.argument("state", metavar="[on|off]", type=click.Choice(["on", "off"]), required=False)
@json_option("A JSON object.")
def auto_approval(state: str | None, as_json: bool) -> None:
    """Whether time alone approves a phase that nobody decided for seven days. Off unless somebody switched it on.

    It never approves a phase of which anything failed or was not measured. It holds for everybody who shares the
    database.
    """
    from datetime import UTC, datetime

    from andon.app.queries import open_store
    from andon.app.reminding import auto_approval as present
    from andon.app.reminding import overdue, switch_auto_approval
    from andon.app.starting import user_name

    store = open_store(os.environ)
    found = switch_auto_approval(store, state == "on", user_name(os.environ)) if state else present(store)
    waiting = overdue(store, datetime.now(UTC)) if found.on else []
    if as_json:
        told = asdict(found) | {"on": found.on, "overdue": [each.id for each in waiting]}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    click.echo(_on(found.by) if found.on else "Off: a phase waits until somebody decides it.")
    if waiting:
        click.echo(wrapped(f"Approved at the next look: {', '.join(each.task for each in waiting)}"))


def _on(by: str) -> str:
    return f"Automatic approval after 7 days is ON, switched on by {by}."
