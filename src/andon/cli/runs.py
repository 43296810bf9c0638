"""`andon runs`, `status`, `watch`, `logs`: looking at runs. No engine is started for a look."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from andon.cli.exits import exit_code
from andon.cli.lines import stamped
from andon.cli.screen import choose_screen
from andon.domain.run import Ending


def repository_here() -> Path | None:
    """The top of the repository the person stands in, for choosing their newest run; None outside of one."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / ".git").exists():
            return folder
    return None


@click.command()
@click.option("--all", "everywhere", is_flag=True, help="Runs of every repository.")
@click.option("--limit", default=20, show_default=True, help="How many, newest first.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
def runs(everywhere: bool, limit: int, as_json: bool) -> None:
    """List the newest runs of this repository, or of all with --all."""
    from andon.app.queries import list_runs, open_store

    store = open_store(os.environ)
    here = None if everywhere else repository_here()
    views = list_runs(store, limit, here)
    if as_json:
        click.echo(json.dumps([view.as_json() for view in views], ensure_ascii=False, indent=2))
        return
    if not views:
        click.echo('No runs yet. `andon auto "task"` starts one; `andon demo` shows one.')
        return
    click.echo(f"{'RUN':<10}{'STATUS':<13}{'MODE':<10}{'PHASE':<9}{'STARTED':<14}TASK")
    for view in views:
        row = view.row
        started = datetime.fromtimestamp(row.created_at).astimezone().strftime("%d %b %H:%M")
        status = str(view.status).replace("_", " ").replace("needs user", "needs you")
        click.echo(
            f"{row.id:<10}{status:<13}{row.mode or '-':<10}{row.phase or '-':<9}{started:<14}{_cut(row.task, 40)}"
        )


@click.command()
@click.argument("run", default="")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def status(run: str, as_json: bool) -> None:
    """How RUN stands (default: the newest run here)."""
    from andon.app.queries import evidence, find_run, open_store, view

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    seen = view(store, row)
    if as_json:
        click.echo(json.dumps(seen.as_json(), ensure_ascii=False, indent=2))
        return
    click.echo(f"{row.id}  {str(seen.status).replace('_', ' ')}" + (f" ({row.reason})" if row.reason else ""))
    click.echo(f"  task      {_cut(row.task, 66)}")
    click.echo(f"  feature   {row.feature}   mode {row.mode or 'not scored yet'}   phase {row.phase or '-'}")
    click.echo(f"  branch    {row.branch}")
    click.echo(f"  worktree  {seen.worktree}" + ("" if seen.worktree.exists() else "  (removed)"))
    click.echo(f"  used      {seen.tokens} tokens" + (f", ${seen.money:.2f}" if seen.money else ""))
    for record in evidence(store, row.id):
        predicate = record.predicate
        click.echo(f"  check     {predicate['goal']:<11} {predicate['verdict'].replace('_', ' ')}")
    for hold in seen.open_holds:
        click.echo(f"  question  {hold.id}: {hold.question.text}")
    for hint in _next_steps(str(seen.status), row.id):
        click.echo(hint)


def _next_steps(status: str, run: str) -> list[str]:
    match status:
        case "running":
            return [f"`andon watch {run}` follows it, `andon stop {run}` stops it."]
        case "waiting":
            return ["`andon answer` answers the question."]
        case "interrupted" | "stopped" | "failed" | "needs_user":
            return [f"`andon logs {run}` tells the story, `andon resume {run}` goes on."]
        case _:
            return []


@click.command()
@click.argument("run", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per event.")
def watch(run: str, as_json: bool) -> int:
    """Follow RUN (default: the newest here) until it ends. Leaving with Ctrl+C does not stop the run."""
    from andon.app.queries import find_run, follow, open_store

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    screen = choose_screen(as_json)
    try:
        for entry in follow(store, row.id):
            screen.show(entry)
    finally:
        screen.close()
    row = store.runs.get(row.id)
    return exit_code(Ending(store.status(row), row.reason))


@click.command()
@click.argument("run", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per entry.")
@click.option("--kind", multiple=True, help="Only entries of this kind; may be repeated.")
def logs(run: str, as_json: bool, kind: tuple[str, ...]) -> None:
    """The whole journal of RUN (default: the newest here)."""
    from andon.app.queries import find_run, open_store

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    for entry in store.journal.entries(row.id):
        if not kind or entry.kind in kind:
            click.echo(json.dumps(asdict(entry), ensure_ascii=False) if as_json else stamped(entry))


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
