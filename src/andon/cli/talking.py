"""`andon task chat`, `feedback`, `end`, `answer`: what people say to the agent of a task, and what it asks them."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from andon.cli.answers import can_be_typed
from andon.cli.control import tell_answered
from andon.cli.executing import execute_and_show, tell_standing
from andon.cli.help import Command, json_option, option
from andon.cli.runs import repository_here
from andon.cli.text import plain, wrapped
from andon.domain.tasks.conversation import AGENT, ANSWERED

if TYPE_CHECKING:
    from andon.app.outcome import Finished
    from andon.app.store import Store
    from andon.app.tasks import Task
    from andon.cli.executing import Show, Work

END_WORDS = ("/end", "/quit")


def find_task(prefix: str) -> tuple[Store, Task]:
    from andon.app.queries import find_run, open_store
    from andon.app.tasks import task_of
    from andon.domain.run import TASK

    store = open_store(os.environ)
    return store, task_of(store, find_run(store, prefix, repository_here(), TASK))


@click.command(
    cls=Command,
    examples=(
        ('andon task chat 7b2x "And how do I test it?"', "The next message; prints the answer."),
        ("andon task chat 7b2x", "At a terminal: line by line. Elsewhere: what was said so far."),
        ("andon task chat 7b2x --json", "Everything said, with scores and ratings, for a program."),
    ),
)
@click.argument("task_id", metavar="TASK")
@click.argument("text", nargs=-1)
@json_option("What was said, as a JSON array; with TEXT one JSON object per event.")
def chat(task_id: str, text: tuple[str, ...], as_json: bool) -> int:
    """Go on with the conversation TASK: say TEXT and read the answer.

    Nothing runs between two messages, however long that is; the agent remembers what was said.
    """
    from andon.app.conversations import conversation

    store, found = find_task(task_id)
    if text:
        return talk(as_json, partial(_say, found.run.id, " ".join(text)))
    turns = conversation(store, found)
    if as_json:
        click.echo(json.dumps([each.as_json() for each in turns], ensure_ascii=False, indent=2))
        return 0
    for turn in turns:
        click.echo(f"{turn.by or turn.author}:\n{plain(turn.text)}\n")
    return line_by_line(found.run.id) if can_be_typed() else 0


def talk(as_json: bool, work: Work) -> int:
    """One message and its answer; at a terminal the next ones too."""
    if as_json:
        return execute_and_show(True, work)
    code, finished = _exchange(work)
    if finished and finished.ending.reason == ANSWERED and can_be_typed():
        return line_by_line(finished.run.id)
    return code


def _exchange(work: Work) -> tuple[int, Finished | None]:
    ended: list[Finished] = []

    def tell(finished: Finished) -> None:
        ended.append(finished)
        _tell_answer(finished)

    code = execute_and_show(False, work, tell, quiet=True)
    return code, ended[0] if ended else None


def _tell_answer(finished: Finished) -> None:
    from andon.app.conversations import conversation
    from andon.app.queries import open_store
    from andon.app.tasks import task_of
    from andon.domain.run import Status

    if finished.ending.status is not Status.DONE:
        tell_standing(finished)
        return
    store = open_store(os.environ)
    turns = conversation(store, task_of(store, store.runs.get(finished.run.id)))
    if turns and turns[-1].author == AGENT:
        click.echo(plain(turns[-1].text))
    click.echo(wrapped(finished.ending.message), err=True)


def line_by_line(run: str) -> int:
    """Until the person leaves with an empty line or the end of input, or ends it with /end."""
    from andon.app.conversations import end as end_it
    from andon.app.starting import user_name

    click.secho("An empty line leaves, /end ends the conversation.", dim=True, err=True)
    code = 0
    while True:
        click.secho("you> ", bold=True, nl=False)
        typed = sys.stdin.readline().strip()
        if typed in END_WORDS:
            end_it(*find_task(run), user_name(os.environ))
        if not typed or typed in END_WORDS:
            return code
        code, finished = _exchange(partial(_say, run, typed))
        if finished and finished.ending.reason != ANSWERED:
            return code


def _say(run: str, text: str, show: Show) -> Finished:
    from andon.app.conversations import say
    from andon.app.starting import user_name

    return say(*find_task(run), text, user_name(os.environ), show)


@click.command(
    cls=Command,
    examples=(
        ("andon task answer 7b2x 2", "The second of the choices that its agent gives."),
        ("andon task answer 7b2x", "Shows what it asks; a secret is asked for without being shown."),
        ("andon task answer 7b2x < key.txt", "A secret, from a file."),
        ("andon task answer 7b2x denied", "It will not be given; the agent goes on without."),
    ),
)
@click.argument("task_id", metavar="TASK")
@click.argument("text", nargs=-1)
@json_option("A JSON object.")
def answer(task_id: str, text: tuple[str, ...], as_json: bool) -> None:
    """Answer what the agent of TASK asks: in words, or with a secret that it needs.

    A secret is kept in a file of its own, for this task alone, and reaches the agent as an environment variable. It is
    never shown, and stands in no journal, prompt or database.
    """
    from andon.app.answering import answer as answer_hold
    from andon.app.queries import open_holds
    from andon.app.starting import user_name
    from andon.domain.errors import UserError
    from andon.domain.tasks.protocol import SECRET

    store, found = find_task(task_id)
    holds = [each for each in open_holds(store, found.run) if each.question.category != "review"]
    if not holds:
        told = f"`andon task show {found.run.id}` tells how it stands."
        raise UserError(f"Task {found.run.id} asks nothing", told)
    hold, by = holds[0], user_name(os.environ)
    if not text and not as_json:
        click.echo(wrapped(plain(hold.question.text)), err=True)
        for number, each in enumerate(hold.question.options, start=1):
            click.echo(f"  {number}  {plain(each)}", err=True)
    if hold.question.category == SECRET and not text:
        answered = _give(store, hold, by)
    else:
        answered = answer_hold(store, hold, " ".join(text), by)
    if as_json:
        told = {"id": hold.id, "category": hold.question.category, "answer": answered.answer}
        click.echo(json.dumps(told, ensure_ascii=False))
    elif hold.question.category == SECRET and answered.answer == "granted":
        click.echo(wrapped("Stored as a secret: in the environment of the agent, in no journal, prompt or page."))
    else:
        tell_answered(store, answered)


def _give(store: Store, hold: Any, by: str) -> Any:
    from andon.app.answering import give
    from andon.domain.tasks.protocol import name_asked_for

    if sys.stdin.isatty():
        value = click.prompt(name_asked_for(hold.question), hide_input=True, err=True)
    else:
        value = sys.stdin.readline().rstrip("\n")
    return give(store, hold, str(value), by)


@click.command(
    cls=Command,
    examples=(
        ("andon task feedback 7b2x --rating 5", "The last answer was good."),
        ('andon task feedback 7b2x --rating 2 --comment "No example"', "And why not."),
    ),
)
@click.argument("task_id", metavar="TASK")
@option("--rating", required=True, type=int, metavar="1..5", help="5 is best.")
@option("--comment", default="", metavar="TEXT", help="Why.")
@json_option("A JSON object.")
def feedback(task_id: str, rating: int, comment: str, as_json: bool) -> None:
    """Rate the last answer of the conversation TASK. It counts as how accurate the answer was."""
    from andon.app.conversations import rate
    from andon.app.starting import user_name

    store, found = find_task(task_id)
    rated = rate(store, found, rating, comment, user_name(os.environ))
    if as_json:
        click.echo(json.dumps({"success": True, "turn": rated.as_json()}, ensure_ascii=False))
    else:
        click.echo(f"Rated {rating} of 5.")


@click.command(cls=Command, examples=(("andon task end 7b2x", "I have what I wanted."),))
@click.argument("task_id", metavar="TASK")
@json_option("A JSON object.")
def end(task_id: str, as_json: bool) -> None:
    """End the conversation TASK. A later message goes on with it all the same."""
    from andon.app.conversations import end as end_it
    from andon.app.starting import user_name

    store, found = find_task(task_id)
    end_it(store, found, user_name(os.environ))
    if as_json:
        click.echo(json.dumps({"id": found.run.id, "state": "completed"}))
    else:
        click.echo(f"Ended. `andon task chat {found.run.id}` goes on with it.")
