"""`andon runs`, `status`, `watch`, `logs`: looking at runs. No engine is started for a look."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from andon.cli.exits import INTERRUPTED, exit_code
from andon.cli.help import Command, json_option, option
from andon.cli.lines import MARKS, STEP, TIME, stamped, way_on
from andon.cli.screen import Screen, WithPanes, choose_screen
from andon.cli.text import beside, columns, cut, one_line, wrapped
from andon.cli.using import tell_use
from andon.domain.run import TASK, Ending, RunRow, Status

LABEL = 12
"""Columns of the labels of `andon status`."""
WIDTHS = (10, 13, 10, 9, 14)
"""Of the columns of `andon runs`, at least."""


def repository_here() -> Path | None:
    """The top of the repository the person stands in, for choosing their newest run; None outside of one."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / ".git").exists():
            return folder
    return None


@click.command(
    cls=Command,
    examples=(
        ("andon runs", "The runs of this repository."),
        ("andon runs --all --json", "Every run there is, for a program."),
    ),
)
@option("--all", "everywhere", is_flag=True, help="Runs of every repository.")
@option("--limit", default=20, type=click.IntRange(min=1), metavar="N", help="How many, newest first.  [default: 20]")
@json_option("A JSON array.")
def runs(everywhere: bool, limit: int, as_json: bool) -> None:
    """List the newest runs of this repository, or of all with --all."""
    from andon.app.queries import list_runs, open_store

    store = open_store(os.environ)
    here = None if everywhere else repository_here()
    views = list_runs(store, limit, here, whole=as_json)
    if as_json:
        click.echo(json.dumps([view.as_json() for view in views], ensure_ascii=False, indent=2))
        return
    if not views:
        elsewhere = " `andon runs --all` shows those of other repositories." if here else ""
        click.echo(wrapped(f'No runs yet. `andon auto "task"` starts one; `andon demo` shows one.{elsewhere}'))
        return
    rows = [("RUN", "STATUS", "MODE", "PHASE", "STARTED"), *(_cells(each.row, each.status) for each in views)]
    wide = [max(least, *(len(cell) + 2 for cell in column)) for least, *column in zip(WIDTHS, *rows, strict=True)]
    for cells, what in zip(rows, ("TASK", *(one_line(each.row.task) for each in views)), strict=True):
        lead = "".join(f"{cell:<{most}}" for cell, most in zip(cells, wide, strict=True))
        click.echo(lead + cut(what, max(10, columns() - len(lead))))


def _cells(row: RunRow, status: Status) -> tuple[str, ...]:
    started = datetime.fromtimestamp(row.created_at).astimezone().strftime("%d %b %H:%M")
    return row.id, _listed(row, status), row.mode or "-", row.phase or "-", started


def _listed(row: RunRow, status: Status) -> str:
    return "dry run" if status is Status.DONE and row.reason == "dry_run" else _status(status)


def _status(status: object) -> str:
    return str(status).replace("_", " ").replace("needs user", "needs you")


@click.command(
    cls=Command,
    examples=(
        ("andon status", "The newest run of this repository."),
        ("andon status 7b2x --json", "The run whose id begins so, for a program."),
    ),
)
@click.argument("run", default="")
@json_option("A JSON object.")
def status(run: str, as_json: bool) -> int:
    """How RUN stands (default: the newest run here)."""
    from andon.app.queries import evidence, find_run, open_store, view

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    seen = view(store, row)
    if as_json:
        click.echo(json.dumps(seen.as_json(), ensure_ascii=False, indent=2))
        return 0
    reason = f" ({row.reason.replace('_', ' ')})" if row.reason and row.reason != str(seen.status) else ""
    click.echo(f"{row.id}  {_status(seen.status)}{reason}")
    _tell("task", cut(one_line(row.task), 300))
    iteration = f", iteration {seen.iteration}" if seen.iteration else ""
    _tell("feature", row.feature)
    _tell("phase", f"{row.phase or '-'}{iteration}, {_way(row)}")
    if seen.units:
        _tell("units", _units_told(seen.as_json()["units"]))
    if seen.elsewhere:
        _tell("machine", f"{seen.elsewhere}, not this one")
    elif seen.standing is None:
        _tell("branch", row.branch)
        _tell("worktree", f"{seen.worktree}" + ("" if seen.worktree.exists() else "  (removed)"))
    tell_use(seen)
    measured = (each for each in evidence(store, row.id) if each.measurement and not each.at_base)
    for goal, told in {record.predicate["goal"]: record.predicate for record in measured}.items():
        _tell("check", f"{MARKS[told['verdict']]} {goal:<11} {told['verdict'].replace('_', ' ')}")
    for hold in seen.open_holds:
        way = way_on({"hold": hold.id, "category": hold.question.category})
        _tell("question", f"{one_line(hold.question.text)}  ({way})")
    if seen.elsewhere:
        here = "Here it can be looked at, answered and reviewed."
        click.echo(wrapped(f"It belongs to {seen.elsewhere}: resume, take over or close it there. {here}"))
    else:
        ways = [way_on({"hold": each.id, "category": each.question.category}) for each in seen.open_holds]
        _tell_standing(seen.standing, row.id, ways)
    return 0


def _way(row: RunRow) -> str:
    if row.pipeline == TASK:
        return f"type {row.mode}"
    return f"mode {row.mode or 'not scored yet'}"


def _tell_standing(standing: Any, run: str, ways: Sequence[str] = (), *, told: bool = False) -> None:
    if standing is None:
        click.echo(wrapped(_next_step(run, ways)))
        return
    from andon.cli.standing import draw

    draw(standing, told=told)


def _units_told(units: list[dict[str, Any]]) -> str:
    """How many are done, and which of the others are not just waiting for their turn."""
    by_state = {
        state: ", ".join(each["title"] for each in units if each["state"] == state)
        for state in ("at work", "failed", "cut short")
    }
    done = sum(each["state"] == "done" for each in units)
    rest = "".join(f"; {state}: {one_line(titles)}" for state, titles in by_state.items() if titles)
    return f"{done} of {len(units)} done{rest}"


def _tell(label: str, value: str) -> None:
    click.echo(beside(f"  {label:<{LABEL - 2}}", value))


def _next_step(run: str, ways: Sequence[str]) -> str:
    """While somebody executes it. `ways` lead to what it waits for."""
    if any(way.startswith("andon answer") for way in ways):
        return f"`andon answer {run} …` answers the question."
    if ways:
        return f"It waits for you: `{ways[0]}`."
    return f"`andon watch {run}` follows it, `andon stop {run}` stops it."


@click.command(
    cls=Command,
    examples=(
        ("andon watch", "The newest run of this repository, live."),
        ("andon watch 7b2x --json", "Its events, for a program, until it ends."),
        ("andon watch --tmux", "And a pane of tmux for each agent that works."),
    ),
)
@click.argument("run", default="")
@option("--tmux", is_flag=True, help="A pane for each agent: beside you in tmux, else in a session to attach to.")
@json_option("One JSON object per event.")
def watch(run: str, tmux: bool, as_json: bool) -> int:
    """Follow RUN (default: the newest here) until it ends. Leaving with Ctrl+C does not stop the run."""
    from andon.app.queries import find_run, follow, open_store

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    screen = choose_screen(as_json, executing=False)
    if tmux:
        screen = _with_panes(screen, store, row.id)
    try:
        for entry in follow(store, row.id):
            screen.show(entry)
    except KeyboardInterrupt:
        _close(screen)
        click.echo(f"You left; the run goes on. `andon watch {row.id}` follows it again.", err=True)
        return INTERRUPTED
    finally:
        _close(screen)
    row = store.runs.get(row.id)
    ending = Ending(store.status(row), row.reason)
    if not as_json:
        if ending.status is Status.INTERRUPTED:
            click.echo("INTERRUPTED: no process executes the run now.")
        from andon.app.standing import standing_of

        _tell_standing(standing_of(store, row), row.id, told=ending.status.ended)
    return exit_code(ending)


def _with_panes(screen: Screen, store: Any, run: str) -> Screen:
    from andon.app.panes import AgentPanes

    return WithPanes(screen, AgentPanes(os.environ, store.home, run, lambda text: click.echo(text, err=True)))


def _close(screen: Any) -> None:
    with suppress(OSError):
        screen.close()


@click.command(
    cls=Command,
    examples=(
        ("andon logs", "The whole story of the newest run here."),
        ("andon logs 7b2x --kind check --kind verdict", "Only what was measured and judged."),
        ("andon logs 7b2x --agent executor --follow", "One agent, while it works: what it was told, does and says."),
        ("andon logs 7b2x --json", "Everything, uncut, for a program."),
    ),
)
@click.argument("run", default="")
@option("--kind", multiple=True, metavar="KIND", help="Only entries of this kind; may be repeated.")
@option("--agent", metavar="NAME", help="Only what concerns this agent, and what it prints.")
@option("--follow", "-f", is_flag=True, help="Wait for more, until the run is over; with --agent, until its work is.")
@json_option("One JSON object per entry.")
def logs(run: str, as_json: bool, kind: tuple[str, ...], agent: str | None, follow: bool) -> int:
    """The whole journal of RUN (default: the newest here): step, time, what happened.

    The step is what `andon fork --from` takes; in a run that was resumed it is `leg.step`.
    """
    from andon.app import following, queries

    queries.refuse_unknown_kinds(kind)
    store = queries.open_store(os.environ)
    row = queries.find_run(store, run, repository_here())
    if agent:
        told = following.follow_agent(store, row, agent, os.environ, wait=follow)
    else:
        told = queries.follow(store, row.id) if follow else store.journal.entries(row.id)
    try:
        for each in told:
            if isinstance(each, following.Said):
                _said(each.text, as_json)
            elif not kind or each.kind in kind:
                legs = row.leg > 1
                text = json.dumps(asdict(each), ensure_ascii=False) if as_json else stamped(each, columns(), legs=legs)
                click.echo(text)
    except KeyboardInterrupt:
        click.echo("You left; the run goes on.", err=True)
        return INTERRUPTED
    return 0


def _said(text: str, as_json: bool) -> None:
    lead = f"{'':>{STEP + TIME}}"
    click.echo(
        json.dumps({"said": text}, ensure_ascii=False) if as_json else f"{lead}{cut(text, columns() - len(lead))}"
    )
