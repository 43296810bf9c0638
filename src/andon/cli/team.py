"""`andon team`: what is there, what a workflow needs, who should do it. Letting it work is team_run.py."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from andon.cli.exits import DONE
from andon.cli.help import Command, Group, json_option, option
from andon.cli.runs import repository_here
from andon.cli.team_lines import say_notes, show_analysis, show_inventory, show_proposal
from andon.cli.team_run import run
from andon.cli.text import wrapped
from andon.domain.counting import counted

if TYPE_CHECKING:
    from andon.domain.teams.resources import Inventory
    from andon.domain.teams.tables import Tables

_FILE = click.Path(path_type=Path)
_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
LANGUAGES = click.Choice(["en", "ko"])
ALL = "*"
ASKING = "Start or call every MCP server, and ask for its tools; or those that are named, which may be repeated."


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def team() -> None:
    """Make a team out of what you have: skills, agents, commands, MCP servers, programs.

    scan shows what there is. analyse reads a workflow document: its parts, what they need, what waits for what.
    compose proposes who does which part, and writes it as team.yaml. check says whether one that you changed can work.
    run lets it work: units side by side as the plan allows, each measured, reviewed, and brought into one branch.
    """


def _project(folder: Path | None) -> Path:
    return (folder or repository_here() or Path.cwd()).absolute()


def _looking(folder: Path | None, more: tuple[Path, ...], only: bool, known: Tables, *ask: str) -> Inventory:
    from andon.app.teams import Look, look_around

    place = _project(folder)
    shown = sys.stderr.isatty()
    names = {"A": "skills, agents, commands", "B": "MCP servers", "C": "programs", "D": "the best way to each"}

    def step(name: str) -> None:
        if shown:
            click.secho(f"\r\x1b[K{name}: {names[name]}", nl=False, dim=True, err=True)

    named = () if ALL in ask else ask
    look = Look(place, not only, tuple(each.absolute() for each in more), bool(ask), named, tables=known)
    try:
        return look_around(look, os.environ, step)
    finally:
        if shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def _tables(named: Path | None, folder: Path | None) -> Tables:
    from andon.app.teams import tables_of

    found, notes = tables_of(named, folder or repository_here(), os.environ)
    say_notes(notes)
    return found


_tables_option = option(
    "--tables",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Tables in place of the built-in ones; see `andon team tables`.",
)


def _look_options(command: click.Command) -> click.Command:
    for made in (
        option("--only", is_flag=True, help="Only this project, nothing of your home folder."),
        option(
            "--path", "more", multiple=True, type=_FOLDER, metavar="FOLDER", help="Look there too; may be repeated."
        ),
        option("--repo", "folder", type=_FOLDER, metavar="FOLDER", help="The project.  [default: here]"),
    ):
        command = made(command)
    return command


@team.command(
    cls=Command,
    examples=(
        ("andon team scan", "Files and programs. Servers are listed, not started."),
        ("andon team scan --ask-servers", "Start each MCP server, and list its tools; with a NAME only that one."),
        ("andon team scan --markdown > inventory.md", "The same as a document."),
    ),
)
@option("--ask-servers", "ask", metavar="[NAME]", multiple=True, is_flag=False, flag_value=ALL, help=ASKING)
@option("--markdown", is_flag=True, help="As Markdown.")
@option("--language", type=LANGUAGES, default="en", help="Of the document.")
@_tables_option
@_look_options
@json_option("A JSON object.")
def scan(
    ask: tuple[str, ...],
    markdown: bool,
    language: str,
    tables: Path | None,
    only: bool,
    more: tuple[Path, ...],
    folder: Path | None,
    as_json: bool,
) -> int:
    """Show what a team could be made of here.

    Skills, agents and commands of this project (.claude) and of your home folder; MCP servers of .mcp.json; programs of
    the command line with their versions; and the best way to each function. Nothing that this repository names is
    started unless you say --ask-servers.
    """
    from andon.app.teams import office_runs, paths_json
    from andon.domain.language import Language
    from andon.domain.teams.telling import Teller

    known = _tables(tables, folder)
    found = _looking(folder, more, only, known, *ask)
    if as_json:
        told = found.as_json() | {"tool_paths": paths_json(found, known)}
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    elif markdown:
        click.echo(Teller(Language(language)).inventory(found, office_runs(), known.tools), nl=False)
    else:
        show_inventory(found, known)
    return DONE


@team.command(
    cls=Command,
    examples=(
        ("andon team analyse .claude/skills/research/SKILL.md", "Its parts, what they need, what waits for what."),
        ("andon team analyse FILE --graph", "The graph alone, as mermaid."),
    ),
)
@click.argument("file", type=_FILE)
@option("--graph", is_flag=True, help="Only the graph, as mermaid.")
@_tables_option
@_look_options
@json_option("A JSON object.")
def analyse(
    file: Path,
    graph: bool,
    tables: Path | None,
    only: bool,
    more: tuple[Path, ...],
    folder: Path | None,
    as_json: bool,
) -> int:
    """Read a workflow document: a skill, an agent, a command, or any Markdown with steps as headings."""
    from andon.app import teams
    from andon.domain.teams.graph import mermaid

    teams.foresee(file)
    known = _tables(tables, folder)
    found = teams.analyse(file, _looking(folder, more, only, known), known)
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False, indent=2))
    elif graph:
        click.echo(mermaid(found.workflow.units))
    else:
        show_analysis(found)
    return DONE


@team.command(
    cls=Command,
    examples=(
        ("andon team compose workflow.md", "The proposal, and team.yaml beside you."),
        ("andon team compose workflow.md -o teams/research.yaml > proposal.md", "Both as files, where you want them."),
    ),
)
@click.argument("file", type=_FILE)
@option("-o", "--output", type=_FILE, default=Path("team.yaml"), show_default=True, help="Where the team is written.")
@option("--force", is_flag=True, help="Replace a file that is there.")
@option("--request", default="", help="What you say about it, such as: a long-term project.")
@option("--language", type=LANGUAGES, help="Of the proposal; prints it as Markdown, as a pipe gets it.")
@_tables_option
@_look_options
@json_option("A JSON object.")
def compose(
    file: Path,
    output: Path,
    force: bool,
    request: str,
    language: str | None,
    tables: Path | None,
    only: bool,
    more: tuple[Path, ...],
    folder: Path | None,
    as_json: bool,
) -> int:
    """Propose a team for a workflow, and write it as team.yaml.

    Read the file, change what you like, and check it: `andon team check`.
    """
    from andon.app import teams
    from andon.domain.language import Language
    from andon.domain.teams.telling import Teller

    teams.foresee(file, None if force else output)
    known = _tables(tables, folder)
    inventory = _looking(folder, more, only, known)
    found = teams.at_home(teams.analyse(file, inventory, known), _project(folder))
    made = teams.propose(found, inventory, os.environ, request)
    teams.keep(made, output, replace=force)
    if as_json or language or not sys.stdout.isatty():
        say_notes(made.workflow.notes)
    if as_json:
        click.echo(json.dumps({"file": str(output)} | teams.proposal_json(made), ensure_ascii=False, indent=2))
        return DONE
    if language is None and sys.stdout.isatty():
        show_proposal(found, made)
    else:
        click.echo(Teller(Language(language or "en")).proposal(made), nl=False)
    next = f"`andon team check {output}` after you changed it, `andon team run {output}` lets it work."
    click.secho(wrapped(f"Written: {output}. {next}"), dim=True, err=True)
    return DONE


@team.command(cls=Command, examples=(("andon team check team.yaml", "Says what is wrong, or that it can work."),))
@click.argument("file", type=_FILE, default=Path("team.yaml"))
@option("--schema", is_flag=True, help="Only print the form of the file, as JSON Schema for editors.")
@json_option("A JSON object.")
def check(file: Path, schema: bool, as_json: bool) -> int:
    """Say whether a team can work: names, order, who writes what, who may ask a person."""
    from andon.app.teams import check as checked
    from andon.app.teams import team_schema

    if schema:
        click.echo(json.dumps(team_schema(), ensure_ascii=False, indent=2))
        return DONE
    found = checked(file)
    if as_json:
        click.echo(json.dumps({"team": found.id, "members": len(found.members), "units": len(found.works)}))
    else:
        click.echo(
            f"{found.id} can work: {counted(len(found.members), 'member')}, {counted(len(found.works), 'unit')}."
        )
        click.secho(wrapped(f"`andon team run {file}` lets it."), dim=True, err=True)
    return DONE


team.add_command(run)


@team.command(
    cls=Command,
    examples=(
        ("andon team tables", "All of them, to read."),
        ("andon team tables my-tables --only categories", "As a file to change."),
        ("andon team compose workflow.md --tables my-tables", "A team made by what you changed."),
    ),
)
@click.argument("into", type=_FILE, required=False)
@option("--only", multiple=True, metavar="NAME", help="Only this table; may be repeated.")
@json_option("A JSON object.")
def tables(into: Path | None, only: tuple[str, ...], as_json: bool) -> int:
    """Print the tables that teams are made by, or write them into a folder INTO.

    A folder with any of them is named by --tables, or by the setting team_tables; a table that is not in it stays as it
    is built in.
    """
    from andon.app.teams import TABLE_NAMES, keep_tables, table_texts, tables_of

    texts = table_texts(tables_of(None, repository_here(), os.environ)[0], only)
    if missing := [name for name in only if name not in texts]:
        every = ", ".join(TABLE_NAMES)
        raise click.BadParameter(f"there is no table {missing[0]}; there are {every}", param_hint="--only")
    if into is not None:
        files = [str(file) for file in keep_tables(texts, into)]
        click.echo(json.dumps({"written": files}, ensure_ascii=False, indent=2) if as_json else "\n".join(files))
    elif as_json:
        click.echo(json.dumps(texts, ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(f"# --- {name}.yaml\n{text}" for name, text in texts.items()), nl=False)
    return DONE
