"""`andon help`: the help of a command, and tables that belong to none."""

from __future__ import annotations

import difflib
import json

import click

from andon.cli.help import Command, json_option
from andon.cli.text import wrapped
from andon.domain.auto.discovery import TIERS
from andon.domain.auto.replaced import REPLACED
from andon.domain.verification import RULES

DOORS = {
    "andon auto": "One task, described in a sentence: planned, designed, done, checked and reported; as little or "
    "as much of that as the task needs. The one to begin with.",
    "andon uam": "A task of many parts: a plan of TODOs that you approve and may edit, worked on side by side, three "
    "gates, and a fix loop that goes on while it converges. Also inside Claude Code, as a plugin.",
    "andon task": "A whole application, a larger change or an automation, in phases: nothing goes on before you "
    "approved what came of a phase. Or a question that needs no phases. With `andon serve`, on a page.",
    "andon team": "Work that you describe in a document of your own: its steps become a team, with roles, models, "
    "tools and who waits for whom, which you may adapt before it works.",
    "andon verify": "A change that is there already, whoever made it: may it pass?",
}
"""Which command for what (G-35)."""
TOPICS: dict[str, tuple[str, dict[str, str]]] = {
    "doors": ("Which command for what. All of them measure, stop and resume alike.", DOORS),
    "replaced": ("What became of commands that `andon auto` replaces.", dict(REPLACED)),
    "findings": (
        "What `andon verify`, and every run before it is done, can hold against a change.",
        {name: f"{rule.what} ({rule.layer})" for name, rule in RULES.items()},
    ),
    "tiers": (
        "What `andon auto` without a task looks for, in this order, and what follows.",
        {f"{int(tier)} {tier.name}": f"{why}: {what}" for tier, (why, what) in TIERS.items()},
    ),
}


@click.command(
    name="help",
    cls=Command,
    examples=(
        ("andon help", "Which topics there are."),
        ("andon help doors", "Whether auto, uam, task or team is the one for your work."),
        ("andon help findings", "What andon verify can find."),
        ("andon help ralph", "Where ralph went; the same for ralplan and ultraqa."),
        ("andon help tiers", "How `andon auto` finds work by itself."),
        ("andon help resume", "The same as `andon resume --help`."),
    ),
)
@click.argument("topic", default="")
@json_option("A JSON object.")
@click.pass_context
def show_topic(ctx: click.Context, topic: str, as_json: bool) -> int:
    """Explain TOPIC, or a command; without one, list the topics."""
    group = ctx.find_root().command
    if topic in TOPICS["replaced"][1]:
        topic = "replaced"  # of one who knew a command by that name
    if topic in TOPICS:
        _show(*TOPICS[topic], as_json=as_json)
    elif not topic:
        _show("Topics:", {name: summary for name, (summary, _) in TOPICS.items()}, as_json=as_json)
    elif isinstance(group, click.Group) and (command := group.get_command(ctx, topic)) is not None:
        told = command.get_help(click.Context(command, info_name=topic, parent=ctx.find_root()))
        click.echo(json.dumps({topic: told}, ensure_ascii=False) if as_json else told)
    else:
        near = difflib.get_close_matches(topic, [*TOPICS, *_commands(ctx)], n=1)
        raise click.UsageError(f"No topic `{topic}`." + (f" Did you mean `{near[0]}`?" if near else ""), ctx)
    return 0


def _commands(ctx: click.Context) -> list[str]:
    group = ctx.find_root().command
    return group.list_commands(ctx) if isinstance(group, click.Group) else []


def _show(heading: str, rows: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    click.echo(heading)
    width = max(map(len, rows)) + 2
    for name, meaning in rows.items():
        click.echo(wrapped(f"  {name:<{width}}{meaning}", " " * (width + 2)))
