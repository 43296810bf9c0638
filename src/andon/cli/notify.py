"""`andon notify`: try whether people can be told, see what they were told, and send what is due."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from andon.cli.help import Command, Group, json_option, option
from andon.cli.runs import repository_here
from andon.cli.text import cut, one_line, wrapped

if TYPE_CHECKING:
    from andon.app.notifying import Tried


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def notify() -> None:
    """Whom andon tells about reviews, questions and how runs end, at the addresses of [notify] in the settings.

    Runs tell by themselves, and wait for nobody: what cannot be delivered is tried again for five hours.
    """


@notify.command(
    cls=Command,
    examples=(
        ("andon notify test", "One notice to every address, and what came of each."),
        ("ANDON_NOTIFY_URLS=json://127.0.0.1:8080 andon notify test", "An address to try, without settings."),
    ),
)
@option("--language", type=click.Choice(["en", "ko"]), default="en", show_default=True, help="Of the notice.")
@json_option("A JSON array.")
def test(language: str, as_json: bool) -> int:
    """Send one notice to every address, now. Exits with 1 when one of them was not reached."""
    from andon.app.notifying import send_trial
    from andon.app.queries import open_store
    from andon.domain.language import Language

    tried = send_trial(open_store(os.environ), os.environ, repository_here(), Language(language))
    return _told(tried, as_json)


@notify.command(
    cls=Command,
    examples=(("andon notify send", "What could not be delivered before and is due again."),),
)
@json_option("A JSON array.")
def send(as_json: bool) -> int:
    """Send what is due: notices that could not be delivered before. Exits with 1 when one still cannot."""
    from andon.app.notifying import Courier, book_of
    from andon.app.queries import open_store

    store = open_store(os.environ)
    return _told(Courier(store, book_of(store, os.environ, repository_here()), os.environ).deliver_due(), as_json)


def _told(tried: list[Tried], as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps([_as_json(each) for each in tried], ensure_ascii=False, indent=2))
    elif not tried:
        click.echo("Nothing is due.")
    for each in () if as_json else tried:
        name = each.delivery.target.name
        if not each.problem:
            click.echo(wrapped(f"{name}: delivered  {one_line(each.delivery.notice.title)}"))
            continue
        click.echo(wrapped(f"{name}: not delivered: {each.problem}"))
        if each.hint:
            click.echo(wrapped(f"  {each.hint}"))
    return int(any(each.problem for each in tried))


def _as_json(tried: Tried) -> dict[str, Any]:
    told = {"to": tried.delivery.target.name, "delivered": not tried.problem, "problem": tried.problem}
    return told | {"given_up": tried.given_up, "key": tried.delivery.notice.key, "title": tried.delivery.notice.title}


@notify.command(
    "list",
    cls=Command,
    examples=(("andon notify list", "The newest: delivered, waiting, tried again, or given up."),),
)
@option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@json_option("A JSON array.")
def list_notices(limit: int, as_json: bool) -> None:
    """What people were told, newest first, and what became of it."""
    from andon.app.notifying import kept
    from andon.app.queries import open_store

    found = kept(open_store(os.environ), limit)
    if as_json:
        rows = [
            {
                "key": each.notice.key,
                "run": each.notice.run,
                "event": each.notice.event.value,
                "title": each.notice.title,
                "to": each.target.name,
                "state": each.state,
                "attempts": each.attempts,
                "problem": each.problem,
                "at": each.at,
                "next_at": each.next_at,
            }
            for each in found
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not found:
        click.echo(wrapped("Nobody was told anything yet. `andon notify test` tries the addresses of [notify]."))
    for each in found:
        why = f"  {one_line(each.problem)}" if each.problem else ""
        click.echo(cut(f"{each.state:<11}{each.target.name:<26}{one_line(each.notice.title)}{why}", 119))
