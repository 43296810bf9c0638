"""`andon memory`: look for what this project remembers, list it, add to it, forget it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from andon.cli.exits import DONE, FAILED
from andon.cli.help import Command, Group, json_option, option
from andon.cli.memory_decisions import decide, decisions
from andon.cli.memory_lines import ID, folder_option, project_folder, room, show_entry
from andon.cli.text import cut, one_line, plain, wrap, wrapped
from andon.domain.counting import counted

if TYPE_CHECKING:
    from andon.app.memory import ProjectMemory
    from andon.domain.learning import Learning
    from andon.domain.teams.recalling import Asked, Hit, Recalled

KINDS = click.Choice(["state", "structured", "semantic", "temporal"])
LAYERS = click.Choice(["markdown", "sqlite", "mcp"])


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def memory() -> None:
    """What this project remembers, and where it comes from.

    Three layers: the files of a team in the checkout; tables of what runs and people learned, in andon's own folder;
    and, only if you ask for it, an MCP memory server of .mcp.json. Planners of `andon auto` and `andon uam`, and the
    members of a team, are offered the few learnings that are to the point of their task.
    """


def _server_option(command: Any) -> Any:
    text = "Start, or do not start, the MCP memory server of .mcp.json.  [default: the setting memory.server]"
    return option("--server/--no-server", default=None, help=text)(command)


def _memory(folder: Path | None, server: bool | None = False) -> ProjectMemory:
    from andon.app.memory import memory_of

    found = memory_of(project_folder(folder), os.environ, server)
    for note in found.notes:
        click.secho(wrapped(note), fg="yellow", err=True)
    return found


@memory.command(
    cls=Command,
    examples=(
        ("andon memory search leap days", "In every layer that is there."),
        ("andon memory search parser --kind structured", "In the tables; in the team's files if they know nothing."),
        ("andon memory search deployments --server", "Also with the MCP memory server of .mcp.json."),
    ),
)
@click.argument("words", nargs=-1, required=True)
@option("--kind", type=KINDS, help="Ask the layer made for it, then the lower ones.  [default: ask every layer]")
@option("--layer", type=LAYERS, help="Ask this one alone.")
@option("--tag", default="", help="Only what has this tag.")
@option("--most", type=click.IntRange(1, 1000), default=20, show_default=True, help="Hits to show.")
@_server_option
@folder_option
@json_option("A JSON object: hits, and who was asked.")
def search(
    words: tuple[str, ...],
    kind: str | None,
    layer: str | None,
    tag: str,
    most: int,
    server: bool | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Look for WORDS in what this project remembers.

    Every hit says where it stands and where it comes from. A question of a kind goes to one layer: state to the files,
    structured to the tables, semantic and temporal to the server; where that one is not there, fails or knows nothing,
    the next lower one is asked. Exit code 1: nothing was found.
    """
    from andon.domain.teams.layers import Kind, Layer
    from andon.domain.teams.recalling import Query

    project = _memory(folder, True if layer == "mcp" else server)
    query = Query(" ".join(words), Kind(kind) if kind else None, tag, most)
    found = project.search(query, Layer(layer) if layer else None)
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False, indent=2))
    else:
        _show(found)
        _say_nothing(found, project, most, "Nothing is remembered about that.")
    return DONE if found.hits else FAILED


@memory.command(
    "list",
    cls=Command,
    examples=(
        ("andon memory list", "The newest first, with the ids that `forget` takes."),
        ("andon memory list --tag failure", "What failed in earlier runs."),
        ("andon memory list --forgotten", "What was forgotten, and can be brought back."),
    ),
)
@option("--tag", default="", help="Only what has this tag.")
@option("--forgotten", is_flag=True, help="What was forgotten instead.")
@option("--most", type=click.IntRange(1, 1000), default=50, show_default=True, help="Entries to show.")
@folder_option
@json_option("A JSON object.")
def list_(tag: str, forgotten: bool, most: int, folder: Path | None, as_json: bool) -> int:
    """List what this project remembers: learnings, the team's tables, the team's files."""
    from andon.domain.teams.recalling import Query

    project = _memory(folder)
    if forgotten:
        gone = [each for each in project.learnings.all(forgotten=True) if not tag or tag in each.tags][:most]
        if as_json:
            click.echo(json.dumps({"forgotten": [each.as_json() for each in gone]}, ensure_ascii=False, indent=2))
        for each in () if as_json else gone:
            show_entry(str(each.id), each.text, each.origin)
        if not gone and not as_json:
            click.echo("Nothing was forgotten.", err=True)
        return DONE
    found = project.search(Query(tag=tag, most=most))
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False, indent=2))
    else:
        _show(found)
        _say_nothing(found, project, most, "Nothing is remembered here yet.")
    return DONE


@memory.command(
    cls=Command,
    examples=(
        ('andon memory add "Integration tests need the staging database" --tag tests', "For the planners to know."),
    ),
)
@click.argument("text")
@option("--tag", "tags", multiple=True, help="To find it by; may be repeated.")
@_server_option
@folder_option
@json_option("A JSON object.")
def add(text: str, tags: tuple[str, ...], server: bool | None, folder: Path | None, as_json: bool) -> int:
    """Remember TEXT for this project. `andon memory forget` undoes it.

    Secrets of this machine's environment, and what looks like a key or a token, are hidden in it.
    """
    from andon.app.starting import user_name

    added = _memory(folder, server).add(text, tags, user_name(os.environ))
    return _told("Remembered", added, as_json)


@memory.command(
    cls=Command,
    examples=(
        ("andon memory forget 12", "No run is told of it any more."),
        ("andon memory forget 12 --undo", "Bring it back."),
        ("andon memory forget --gone", "Whose learnings are of no use any more; with --yes they are removed."),
    ),
)
@click.argument("id", type=ID, required=False)
@option("--undo", is_flag=True, help="Bring it back.")
@option("--gone", is_flag=True, help="All learnings of repositories that are not there any more.")
@option("--yes", is_flag=True, help="With --gone: remove them, for good.")
@folder_option
@json_option("A JSON object.")
def forget(id: int | None, undo: bool, gone: bool, yes: bool, folder: Path | None, as_json: bool) -> int:
    """Forget the learning ID, as `andon memory list` shows it. --undo brings it back.

    The files of a team only grow, and a server keeps its own: what stands there is not forgotten from here. --gone
    shows what was learned about repositories that were deleted or moved, and removes nothing without --yes.
    """
    if gone:
        if id is not None or undo or folder is not None:
            raise click.UsageError("--gone stands alone, or with --yes.")
        return _forget_gone(yes, as_json)
    if id is None or yes:
        raise click.UsageError("--yes belongs to --gone." if yes else "Say which: an ID, or --gone.")
    return _told("Remembered again" if undo else "Forgotten", _memory(folder).forget(id, undo=undo), as_json)


memory.add_command(decisions)
memory.add_command(decide)


def _told(what: str, learning: Learning, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(learning.as_json(), ensure_ascii=False, indent=2))
    else:
        click.echo(cut(f"{what}: {learning.id}  {one_line(learning.text)}", room()))
    return DONE


def _forget_gone(yes: bool, as_json: bool) -> int:
    from andon.app.forgetting import leftover, remove

    found = leftover(os.environ)
    for each in found.gone if yes else ():
        remove(each)
    if as_json:
        told = {"gone": [each.as_json() for each in found.gone], "removed": yes and bool(found.gone)}
        click.echo(json.dumps(told | {"unknown": list(map(str, found.unknown))}, ensure_ascii=False, indent=2))
        return DONE
    for each in found.gone:
        count = counted(each.learnings, "learning")
        click.echo(f"{'Removed' if yes else 'Gone'}: {plain(each.repository)}, {count}")
    if not found.gone:
        click.echo("Every repository with learnings is there.", err=True)
    elif not yes:
        click.secho(wrapped("Nothing was removed. --yes removes all of this, for good."), dim=True, err=True)
    if found.unknown:
        text = f"Nobody can say any more what these are of; they stay: {', '.join(map(str, found.unknown))}"
        click.secho(wrapped(text), dim=True, err=True)
    return DONE


# --- showing --------------------------------------------------------------------------------------------------------


def _show(found: Recalled) -> None:
    for hit in found.hits:
        show_entry(hit.id if hit.place == "learnings" else "", hit.text, _origin(hit))


def _origin(hit: Hit) -> str:
    """Run or writer, date, how that run ended, tags, and where it stands."""
    source = f"run {hit.run}" if hit.run else hit.by
    more = hit.by if hit.run else ""
    parts = (source, more, hit.at, hit.verdict, " ".join(f"#{tag}" for tag in hit.tags), hit.place)
    return " · ".join(one_line(each) for each in parts if each)


def _say_nothing(found: Recalled, project: ProjectMemory, most: int, nothing: str) -> None:
    """Who answered, who could not, who was not asked; and what to do where nothing is known."""
    if not found.hits:
        click.echo(nothing, err=True)
        hint = 'Runs of auto, uam and team leave what they learn here; `andon memory add "…"` adds to it.'
        click.secho(wrap(hint, room()), dim=True, err=True)
    for each in found.asked:
        if each.problem:
            text = " ".join(filter(None, (f"{each.name}: {each.problem}.", each.hint)))
            click.secho(wrap(one_line(text), room()), fg="yellow", err=True)
    told = ", ".join(f"{each.name} {_count(each)}" for each in found.asked if not each.problem)
    if told:
        click.secho(wrap(f"Asked: {told}.", room()), dim=True, err=True)
    if len(found.hits) == most:  # nobody looked further
        click.secho(f"These are the first {most}; --most looks for more.", dim=True, err=True)
    if project.offered:
        text = f"Not started: the MCP server {project.offered}. --server asks it too."
        click.secho(wrap(text, room()), dim=True, err=True)


def _count(asked: Asked) -> str:
    return f"({asked.count})"
