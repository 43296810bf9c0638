"""`andon stop`, `resume`, `fork`, `answer`, `trust`: what a person can do to a run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from andon.cli.auto import LIMITS, budget
from andon.cli.executing import execute_and_show
from andon.cli.exits import DONE, FAILED
from andon.cli.help import Command, json_option, option
from andon.cli.lines import way_on
from andon.cli.runs import repository_here
from andon.cli.text import columns, cut, one_line, plain, wrapped

if TYPE_CHECKING:
    from andon.app.store import Store
    from andon.domain.run import RunRow


@click.command(
    cls=Command,
    examples=(
        ("andon stop", "Stop the newest run of this repository."),
        ("andon stop 7b2x", "Stop the run whose id begins so."),
    ),
)
@click.argument("run", default="")
@json_option("A JSON object.")
def stop(run: str, as_json: bool) -> int:
    """Stop RUN (default: the newest here): its agents end, its files stay, and it can be resumed."""
    from andon.app.queries import find_run, open_store
    from andon.app.stopping import stop as stop_run

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    before = store.status(row)
    status = stop_run(store, row, lambda entry: None)
    if as_json:
        click.echo(json.dumps({"run": row.id, "status": str(status)}))
    elif before.ended:
        click.echo(f"Run {row.id} had already ended: {str(status).replace('_', ' ')}.")
    elif status.ended:
        told = f"Run {row.id}: {str(status).replace('_', ' ')}. `andon resume {row.id}` goes on with it"
        click.echo(wrapped(f"{told}, `andon status {row.id}` shows the other ways."))
    else:
        click.echo(wrapped(f"Run {row.id} was told to stop, but has not ended yet. `andon watch {row.id}` shows it."))
    return DONE if status.ended else FAILED


@click.command(
    cls=Command,
    examples=(
        ("andon resume", "Go on with the newest run of this repository."),
        ("andon resume 7b2x --budget-tokens 500000", "Go on with a run that stopped at its budget."),
        ('andon resume 7b2x --direction "Keep the old signature"', "Tell the next agent that plans or writes code."),
        ("andon resume 7b2x --scenario mended.yaml", "Go on with a mended scenario (scripted runtime)."),
    ),
)
@click.argument("run", default="")
@option("--direction", metavar="TEXT", help="What to do differently; all counts of attempts start again.")
@option("--budget-tokens", group=LIMITS, type=int, metavar="N", help="New limit of tokens for the whole run.")
@option("--budget-money", group=LIMITS, type=float, metavar="USD", help="New limit of US dollars for the whole run.")
@option("--budget-seconds", group=LIMITS, type=float, metavar="S", help="New limit of time of work for the whole run.")
@option("--scenario", type=click.Path(path_type=Path), metavar="FILE", help="Another scenario, from here on.")
@json_option("One JSON object per event.")
def resume(run: str, direction: str | None, scenario: Path | None, as_json: bool, **given: Any) -> int:
    """Go on with RUN (default: the newest here) after a crash, a stop or a failure.

    Finished steps are not repeated. Edits you made in its worktree are taken along. With --direction an agent acts on
    your words first, before anything is checked again.
    """
    from andon.app.accepting import system_user
    from andon.app.queries import find_run, open_store
    from andon.app.resuming import Otherwise
    from andon.app.resuming import resume as resume_run

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())
    otherwise = Otherwise(budget(given), scenario, direction, system_user(os.environ))

    def tell(again: RunRow) -> None:
        if not as_json:
            click.echo(cut(f"Run {again.id} goes on: {one_line(again.task)}", columns()))

    return execute_and_show(as_json, lambda show: resume_run(store, row, show, otherwise, tell))


@click.command(
    cls=Command,
    examples=(
        ("andon logs", "The numbers at the left are the steps."),
        ("andon fork --from 12", "The newest run of this repository: steps 1 to 11 as they were, the rest anew."),
        ("andon fork 7b2x --from 1.12", "Of a run that was resumed: step 12 of its first leg."),
    ),
)
@click.argument("run", default="")
@option("--from", "step", required=True, metavar="STEP", help="The first step to do anew, as `andon logs` numbers it.")
@json_option("One JSON object per event.")
def fork(run: str, step: str, as_json: bool) -> int:
    """Repeat RUN (default: the newest here) up to a step, and go on from there as a new run on its own branch.

    Nothing that was finished before the step is done again.
    """
    from andon.app.forking import fork as fork_run
    from andon.app.queries import find_run, open_store

    store = open_store(os.environ)
    row = find_run(store, run, repository_here())

    def tell(new: RunRow) -> None:
        # At once: somebody may want to stop it, or to follow it from elsewhere. Events for programs name their run.
        if not as_json:
            click.echo(f"Run {new.id}, forked from {row.id} at step {step}.")

    return execute_and_show(as_json, lambda show: fork_run(store, row, step, show, tell))


@click.command(
    cls=Command,
    examples=(
        ("andon answer", "What is asked?"),
        ("andon answer 7b2x 2", "The second of the choices."),
        ('andon answer 7b2x "good evening"', "In words."),
        ("andon answer 7b2x", "The default."),
        ("andon answer 7b2x --keep-waiting", "You need longer: the default is not taken."),
    ),
)
@click.argument("question", default="")
@click.argument("text", nargs=-1)
@option("--keep-waiting", is_flag=True, help="Do not answer yet: the run waits, however long it takes.")
@json_option("JSON: the open questions, or the one that was answered.")
def answer(question: str, text: tuple[str, ...], keep_waiting: bool, as_json: bool) -> None:
    """List open questions; or answer QUESTION (its id or the run's) with TEXT.

    Without TEXT the question's default is taken.
    """
    from andon.app.answering import answer as answer_hold
    from andon.app.answering import keep_waiting as keep_hold
    from andon.app.queries import open_questions, open_store
    from andon.app.starting import user_name
    from andon.domain.errors import UserError

    store = open_store(os.environ)
    holds = open_questions(store)
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
    if keep_waiting:
        if text:
            raise UserError("An answer is given, or waited for", "Leave out --keep-waiting, or the answer.")
        hold = keep_hold(store, found[0], user_name(os.environ))
        told = json.dumps(_as_json(hold), ensure_ascii=False) if as_json else f"{hold.id} waits for your answer."
        click.echo(told)
        return
    hold = answer_hold(store, found[0], " ".join(text), user_name(os.environ))
    if as_json:
        click.echo(json.dumps(_as_json(hold) | {"answer": hold.answer}, ensure_ascii=False))
    else:
        tell_answered(store, hold)


def tell_answered(store: Store, hold: Any) -> None:
    from andon.domain.run import Status

    click.echo(f"Answered {hold.id}: {plain(hold.answer or '')}")
    if store.status(store.runs.get(hold.run)) is Status.INTERRUPTED:
        click.echo(wrapped(f"No process executes the run now: `andon resume {hold.run}` goes on with it."))


def _as_json(hold: Any) -> dict[str, Any]:
    asked = hold.question
    told = {"id": hold.id, "run": hold.run, "opened_at": hold.opened_at, "text": asked.text}
    told |= {"options": list(asked.options), "default": asked.default, "timeout": asked.timeout}
    return told | {"deadline": hold.deadline, "kept_by": hold.kept_by}


def _list_questions(holds: list[Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([_as_json(hold) for hold in holds], ensure_ascii=False, indent=2))
        return
    if not holds:
        click.echo("No open questions.")
    for hold in holds:
        click.echo(wrapped(f"{hold.id}  {one_line(hold.question.text)}", "    "))
        choices = () if hold.question.category == "review" else hold.question.options
        for number, choice in enumerate(choices, start=1):
            default = "  (default)" if choice == hold.question.default else ""
            click.echo(f"    {number}  {one_line(choice)}{default}")
        way = way_on({"hold": hold.id, "category": hold.question.category})
        click.echo(f"    {way} …" if way.startswith("andon answer") else f"    {way}")


@click.command(
    cls=Command,
    examples=(("andon trust", "After reading andon.toml: let all of it count."),),
)
@option("--repo", type=click.Path(path_type=Path), metavar="FOLDER", help="The repository.  [default: here]")
@json_option("A JSON object.")
def trust(repo: Path | None, as_json: bool) -> None:
    """Trust this repository's andon.toml as it is now, so that all its settings count.

    Without it, keys that choose what runs, loosen the sandbox or raise a budget are left out.
    """
    from andon.app.home import Home
    from andon.app.settings import needing_trust
    from andon.app.settings_sources import PROJECT_FILE, File
    from andon.app.trust import trust as trust_file

    file = File.read((repo or repository_here() or Path.cwd()).absolute() / PROJECT_FILE)
    keys = needing_trust(file)
    trust_file(Home.of(os.environ), file)
    if as_json:
        click.echo(json.dumps({"file": str(file.path), "digest": file.digest, "keys": keys}, ensure_ascii=False))
        return
    click.echo(wrapped(f"Trusted {file.path} ({file.digest[:12]}), until it changes. These settings count now:"))
    for key, value in keys.items():
        click.echo(f"  {key} = {value}")
    if not keys:
        click.echo("  (none of its settings needed it)")
