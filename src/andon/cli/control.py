"""`andon stop`, `resume`, `fork`, `answer`, `trust`: what a person can do to a run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from andon.cli.exits import exit_code
from andon.cli.runs import repository_here
from andon.cli.screen import choose_screen


@click.command()
@click.argument("run", default="")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def stop(run: str, as_json: bool) -> int:
    """Stop RUN (default: the newest here): its agents end, its files stay, and it can be resumed."""
    from andon.app.control import stop as stop_run
    from andon.app.queries import find_run, open_store

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    status = stop_run(store, row, lambda entry: None)
    if as_json:
        click.echo(json.dumps({"run": row.id, "status": str(status)}))
    else:
        click.echo(f"Run {row.id}: {str(status).replace('_', ' ')}. `andon resume {row.id}` goes on with it.")
    return 0 if status.ended else 1


@click.command()
@click.argument("run", default="")
@click.option("--budget-tokens", type=int, help="New limit of tokens for the whole run.")
@click.option("--budget-money", type=float, help="New limit of US dollars for the whole run.")
@click.option("--budget-seconds", type=float, help="New limit of seconds of work for the whole run.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per event.")
def resume(
    run: str, budget_tokens: int | None, budget_money: float | None, budget_seconds: float | None, as_json: bool
) -> int:
    """Go on with RUN (default: the newest here) after a crash, a stop or a failure.

    Finished steps are not repeated. Edits you made in its worktree are taken along.
    """
    from andon.app.control import resume as resume_run
    from andon.app.queries import find_run, open_store

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    given = {"tokens": budget_tokens, "money": budget_money, "seconds": budget_seconds}
    budget = {key: value for key, value in given.items() if value is not None}
    screen = choose_screen(as_json)
    try:
        finished = resume_run(store, row, screen.show, budget)
    finally:
        screen.close()
    if not as_json:
        click.echo()
        for text in finished.next_steps:
            click.echo(text)
    return exit_code(finished.ending)


@click.command()
@click.argument("run")
@click.option(
    "--from", "step", type=int, required=True, help="The first step to do anew, as `andon logs` numbers them."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per event.")
def fork(run: str, step: int, as_json: bool) -> int:
    """Repeat RUN up to a step, without doing any of it again, and go on from there as a new run on its own branch."""
    from andon.app.control import fork as fork_run
    from andon.app.queries import find_run, open_store

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    screen = choose_screen(as_json)
    try:
        finished = fork_run(store, row, step, screen.show)
    finally:
        screen.close()
    if not as_json:
        click.echo(f"\nRun {finished.run.id}, forked from {row.id} at step {step}.")
        for text in finished.next_steps:
            click.echo(text)
    return exit_code(finished.ending)


@click.command()
@click.argument("question", default="")
@click.argument("text", default="")
@click.option("--json", "as_json", is_flag=True, help="A JSON array of the open questions.")
def answer(question: str, text: str, as_json: bool) -> None:
    """List open questions; or answer QUESTION (an id, or the run's id) with TEXT. An empty TEXT takes the default."""
    from andon.app.control import answer as answer_hold
    from andon.app.queries import open_store
    from andon.app.start import user_name
    from andon.domain.errors import UserError

    store = open_store(os.environ)
    holds = store.holds.all_open()
    if not question:
        _list_questions(holds, as_json)
        return
    known = store.holds.get(question)
    found = [known] if known else [hold for hold in holds if hold.id.startswith(question)]
    if len(found) != 1:
        raise UserError(
            f"No open question {question}" if not found else f"{question} is ambiguous",
            "`andon answer` without arguments lists what is open.",
        )
    hold = answer_hold(store, found[0], text, user_name(os.environ))
    click.echo(f"Answered {hold.id}: {hold.answer}")


def _list_questions(holds: list, as_json: bool) -> None:  # pyright: ignore
    if as_json:
        keys = ("id", "run", "opened_at")
        found = [
            {key: getattr(h, key) for key in keys}
            | {"text": h.question.text, "options": list(h.question.options), "default": h.question.default}
            for h in holds
        ]
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if not holds:
        click.echo("No open questions.")
    for hold in holds:
        click.echo(f"{hold.id}  {hold.question.text}")
        for number, option in enumerate(hold.question.options, start=1):
            default = "  (default)" if option == hold.question.default else ""
            click.echo(f"    {number}  {option}{default}")
        click.echo(f'    andon answer {hold.id} "…"')


@click.command()
@click.option("--repo", type=click.Path(file_okay=False, path_type=Path), help="The repository. [default: here]")
def trust(repo: Path | None) -> None:
    """Trust this repository's andon.toml as it is now, so that all its settings count."""
    from andon.app.home import Home
    from andon.app.settings import PROJECT_FILE
    from andon.app.settings import trust as trust_file

    path = (repo or repository_here() or Path.cwd()) / PROJECT_FILE
    digest = trust_file(Home.of(os.environ), path)
    click.echo(f"Trusted {path} ({digest[:12]}). When the file changes, it has to be trusted again.")
