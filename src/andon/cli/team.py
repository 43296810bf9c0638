"""`andon team`: what is there, what a workflow needs, who should do it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from andon.cli.auto import PLACE, WORK
from andon.cli.executing import execute_and_show
from andon.cli.exits import DONE
from andon.cli.help import Command, Group, json_option, option
from andon.cli.runs import repository_here
from andon.cli.starting import run_options, start_options
from andon.cli.text import columns, cut, one_line, pad, width, wrapped

if TYPE_CHECKING:
    from andon.app.teams import Analysis
    from andon.domain.teams.resources import Inventory
    from andon.domain.teams.tables import Tables

_FILE = click.Path(path_type=Path)
_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
NOTES = 10
"""Of what lies there and is no file, so many are named."""
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


def _looking(folder: Path | None, more: tuple[Path, ...], only: bool, known: Tables, *ask: str) -> Inventory:
    from andon.app.teams import Look, look_around

    place = (folder or repository_here() or Path.cwd()).absolute()
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
    _say(notes)
    return found


def _say(notes: Iterable[str]) -> None:
    for note in notes:
        click.secho(wrapped(note), fg="yellow", err=True)


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
        _show(found, known)
    return DONE


def _show(found: Inventory, known: Tables) -> None:
    from andon.app.teams import office_runs
    from andon.domain.teams.telling import DASHBOARD, problems_of
    from andon.domain.teams.tool_paths import tool_paths

    if office_runs():
        click.echo(f"Agent Office: {DASHBOARD} shows this live; what follows is supplementary.\n")
    _section("MCP servers", len(found.servers))
    for server in found.servers:
        tools = "" if server.tools is None else f"{len(server.tools)} tools"
        _line(
            server.name,
            server.problem or f"{server.category}, {server.transport}, {tools or 'not asked'}",
            server.source,
        )
    _section("Skills", len(found.skills))
    for skill in found.skills:
        _line(skill.name, _told(skill, skill.description), skill.source)
    _section("Agents", len(found.agents))
    for agent in found.agents:
        model = agent.model or "any model"
        _line(agent.name, _told(agent, f"{model}: {agent.description}".rstrip(": ")), agent.source)
    _section("Commands", len(found.commands))
    for command in found.commands:
        teams = " (Agent Teams)" if command.teams else ""
        _line(command.name, _told(command, f"{command.description}{teams}"), command.source)
    _section("Programs", sum(each.found for each in found.programs))
    for program in found.programs:
        _line(program.name, f"{program.version or 'found'}, {program.use}" if program.found else "not found", "")
    ways = tool_paths(found, known.tools)
    _section("Best ways", len(ways))
    for name, path in ways.items():
        _line(name, f"{path.name} ({path.method.value}), else {path.fallback}", "")
    for note in found.notes[:NOTES]:
        click.secho(wrapped(one_line(note)), fg="yellow", err=True)
    if wrong := problems_of(found):
        click.secho(f"\n{len(wrong)} could not be read, or not wholly; --json has the reasons.", fg="yellow", err=True)
    if any(server.tools is None and not server.problem for server in found.servers):
        click.secho("Servers were not started: --ask-servers lists their tools.", dim=True, err=True)


def _section(name: str, count: int) -> None:
    click.echo()
    click.secho(f"{name} ({count})", bold=True)


def _line(name: str, text: str, source: str, wide: int = 24) -> None:
    end = f"  {one_line(source)}" if source else ""
    room = max(10, columns() - wide - 4 - width(end))
    click.echo(f"  {pad(cut(one_line(name), wide), wide + 1)} {cut(one_line(text), room)}{click.style(end, dim=True)}")


def _told(row: Any, text: str) -> str:
    """What a row says of itself; with what is wrong with it, where something is."""
    if not row.problem:
        return text
    return f"({row.problem.partition(':')[0]}) {text}" if row.description else row.problem


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
        _tell(found)
    return DONE


def _tell(found: Analysis) -> None:
    flow = found.workflow
    titles = {unit.id: unit for unit in flow.units}
    click.secho(flow.name, bold=True)
    if flow.description:
        click.echo(wrapped(one_line(flow.description)))
    count = "1 unit" if len(flow.units) == 1 else f"{len(flow.units)} units"
    click.echo(f"{count}, {', '.join(flow.categories)}")
    _say(flow.notes)
    for number, group in enumerate(found.groups, start=1):
        click.echo()
        together = "  side by side" if len(group) > 1 else ""
        click.secho(f"{number}{together}", dim=True)
        for id in group:
            unit = titles[id]
            marks = [unit.type.value, *(["asks a person"] if unit.asks else []), *unit.files]
            _line(unit.title, ", ".join(marks), "", 44)
    if found.matches:
        click.echo()
        click.secho("Needs", bold=True)
    for each in found.matches:
        _line(each.needed, each.path if each.available else f"missing. {each.missing}", "")


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
@option("--language", type=LANGUAGES, default="en", help="Of the proposal.")
@_tables_option
@_look_options
@json_option("A JSON object.")
def compose(
    file: Path,
    output: Path,
    force: bool,
    request: str,
    language: str,
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
    made = teams.propose(teams.analyse(file, inventory, known), inventory, os.environ, request)
    teams.keep(made, output, replace=force)
    _say(made.workflow.notes)
    if as_json:
        told: dict[str, Any] = {"team": made.team.id, "file": str(output), "members": len(made.team.members)}
        prompts = {name: each.as_json() for name, each in made.prompts.items()}
        told |= {"units": len(made.team.works), "notes": list(made.workflow.notes), "prompts": prompts}
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return DONE
    click.echo(Teller(Language(language)).proposal(made), nl=False)
    click.secho(f"Written: {output}. `andon team check {output}` after you changed it.", dim=True, err=True)
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
        click.echo(f"{found.id} can work: {len(found.members)} members, {len(found.works)} units.")
    return DONE


@team.command(
    cls=Command,
    examples=(
        ("andon team run", "The team of team.yaml, in this repository."),
        ("andon team run teams/research.yaml --ralph", "Every result is reviewed, and revised up to five times."),
        ("andon team run --tmux", "The same, with a pane of tmux for every member."),
        ("andon team run --background --budget-money 5", "In a process of its own, for five dollars at most."),
    ),
)
@click.argument("file", type=_FILE, default=Path("team.yaml"))
@option("--parallel", group=WORK, type=int, default=4, show_default=True, metavar="N", help="Members at the same time.")
@option("--ralph/--no-ralph", group=WORK, default=None, help="Review every result.  [default: as the file says]")
@option("--rounds", group=WORK, type=int, metavar="N", help="Reviews of one result, 1 to 10.  [default: the file's]")
@option("--tmux", "panes", group=PLACE, is_flag=True, help="Every member in a pane of tmux while it works.")
@run_options
def run(
    file: Path, parallel: int, ralph: bool | None, rounds: int | None, panes: bool, as_json: bool, **given: Any
) -> int:
    """Let a team work.

    Every unit is carried out by its member, on files of its own. andon looks for what it should have left behind, runs
    its commands, and, with --ralph, another member reviews it: SHIP, or REVISE with what is to be mended. When all are
    done the whole is measured, and published as a branch. The team's files are in .team-artifacts.
    """
    from andon.app.team_runs import Wish, start_team

    there = Path(given["repo"] or ".") / file  # with --repo its team is meant, unless one of that name is here
    wish = Wish((file if file.exists() or not there.exists() else there).absolute(), parallel, ralph, rounds)
    options = start_options(("team", "run", str(file)), given)
    say = partial(click.secho, dim=True, err=True) if panes else None
    return execute_and_show(as_json, lambda show: start_team(options, wish, os.environ, show, say))


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
    from andon.app.teams import keep_tables, table_texts, tables_of

    texts = table_texts(tables_of(None, repository_here(), os.environ)[0], only)
    if missing := [name for name in only if name not in texts]:
        raise click.BadParameter(f"there is no table {missing[0]}", param_hint="--only")
    if into is not None:
        for file in keep_tables(texts, into):
            click.echo(str(file))
    elif as_json:
        click.echo(json.dumps(texts, ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(f"# --- {name}.yaml\n{text}" for name, text in texts.items()), nl=False)
    return DONE
