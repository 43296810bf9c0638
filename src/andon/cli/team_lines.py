"""What a scan and the analysis of a workflow look like in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from andon.cli.text import beside, columns, cut, one_line, pad, width, wrapped
from andon.domain.counting import counted

if TYPE_CHECKING:
    from andon.app.teams import Analysis
    from andon.domain.teams.composing import Proposal
    from andon.domain.teams.resources import Inventory
    from andon.domain.teams.tables import Tables

NOTES = 10
"""Of what lies there and is no file, so many are named."""


def show_inventory(found: Inventory, known: Tables) -> None:
    from andon.app.teams import office_runs
    from andon.domain.teams.telling import DASHBOARD, problems_of
    from andon.domain.teams.tool_paths import tool_paths

    if office_runs():
        click.echo(f"Agent Office: {DASHBOARD} shows this live; what follows is supplementary.\n")
    _section("MCP servers", len(found.servers))
    for server in found.servers:
        tools = "" if server.tools is None else counted(len(server.tools), "tool")
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


def show_analysis(found: Analysis) -> None:
    flow = found.workflow
    titles = {unit.id: unit for unit in flow.units}
    click.secho(flow.name, bold=True)
    if flow.description:
        click.echo(wrapped(one_line(flow.description)))
    click.echo(f"{counted(len(flow.units), 'unit')}, {', '.join(flow.categories)}")
    say_notes(flow.notes)
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
        if each.available:
            _line(each.needed, each.path, "")
            continue
        how = each.missing.removeprefix(f"{each.needed}: ")
        told = f"missing; instead: {each.path}. {how}" if each.optional else f"missing: {how}"
        click.echo(beside(f"  {pad(cut(one_line(each.needed), 24), 25)} ", one_line(told)))


def show_proposal(found: Analysis, made: Proposal) -> None:
    """The same as the document, for eighty columns: who is in it below what is to be done."""
    show_analysis(found)
    _section("Team", len(made.team.members))
    for member in made.team.members:
        click.echo(f"  {cut(one_line(member.name), columns() - 2)}")
        own = ", ".join(work.title for work in made.team.works_of(member.name)) or member.category
        told = f"{member.place.value.replace('_', ' ')}, {member.model}, {member.type.value}"
        told = f"{told}: {own}" if own else told
        click.secho(beside("    ", one_line(told)), dim=True)
    click.echo()
    _line("Memory", ", ".join(layer.value for layer in made.team.layers), "")
    loop = made.team.ralph
    _line("Review loop", f"at most {loop.max_iterations} rounds" if loop.enabled else "off; --ralph turns it on", "")
    for remark in made.remarks:
        click.secho(wrapped(one_line(remark.text)), fg="yellow", err=True)


def say_notes(notes: Iterable[str]) -> None:
    for note in notes:
        click.secho(wrapped(note), fg="yellow", err=True)
