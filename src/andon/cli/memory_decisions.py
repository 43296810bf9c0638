"""`andon memory decisions` and `andon memory decide`: what a team's members propose, and a person's last word."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from andon.cli.exits import DONE
from andon.cli.help import Command, json_option, option
from andon.cli.memory_lines import ID, folder_option, project_folder, room, show_entry
from andon.cli.text import cut, one_line, wrap

STANDS = click.Choice(["approved", "rejected", "proposed"])


@click.command(
    cls=Command,
    examples=(
        ("andon memory decisions", "The oldest first, with votes, and the ids that `decide` takes."),
        ("andon memory decisions --open", "What nobody has settled yet."),
    ),
)
@option("--open", "only_open", is_flag=True, help="Only what is proposed.")
@option("--most", type=click.IntRange(1, 1000), default=50, show_default=True, help="Decisions to show.")
@folder_option
@json_option("A JSON object.")
def decisions(only_open: bool, most: int, folder: Path | None, as_json: bool) -> int:
    """List what members of a team proposed, who voted how, and what became of it.

    A message of a member to its lead is a proposal. Members vote in what they hand in: more than half of those who
    have a unit approve it, and it is rejected when that cannot be reached any more.
    """
    from andon.app.team_decisions import decisions_of

    found = [each for each in decisions_of(project_folder(folder)).all(most) if each.open or not only_open]
    if as_json:
        click.echo(json.dumps({"decisions": [each.as_json() for each in found]}, ensure_ascii=False, indent=2))
        return DONE
    for each in found:
        votes = ", ".join(f"{name} {vote}" for name, vote in each.votes.items())
        told = f"{each.count}: {votes}" if votes else "no votes"
        show_entry(str(each.id), each.text, f"{each.stand} · from {each.by} · {told}")
    if any(each.open for each in found):
        text = "`andon memory decide ID approved`, or rejected, settles what is proposed."
        click.secho(wrap(text, room()), dim=True, err=True)
    if not found:
        click.echo("Nothing is open." if only_open else "Nothing was proposed yet.", err=True)
    return DONE


@click.command(
    cls=Command,
    examples=(
        (
            "andon memory decide 3 approved",
            "The members of the next run, and of this one when it is resumed, keep to it.",
        ),
        ("andon memory decide 3 proposed", "Take that back: it is open again."),
    ),
)
@click.argument("id", type=ID)
@click.argument("stand", type=STANDS)
@folder_option
@json_option("A JSON object.")
def decide(id: int, stand: str, folder: Path | None, as_json: bool) -> int:
    """Settle the proposal ID of a team, whatever its members voted; `proposed` opens it again."""
    from andon.app.starting import user_name
    from andon.app.team_decisions import decisions_of
    from andon.domain.teams.deciding import Stand

    made = decisions_of(project_folder(folder)).decide(id, Stand(stand), user_name(os.environ))
    if as_json:
        click.echo(json.dumps(made.as_json(), ensure_ascii=False, indent=2))
    else:
        click.echo(cut(f"{made.stand.value.capitalize()}: {made.id}  {one_line(made.text)}", room()))
    return DONE
