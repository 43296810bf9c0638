"""`andon task`: work in phases, each verified by andon and decided by a person."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from andon.cli.auto import BACKGROUND, LIMITS, PLACE, WORK, budget
from andon.cli.executing import execute_and_show
from andon.cli.help import Command, Group, json_option, option
from andon.cli.reminding import auto_approval, reassign, remind
from andon.cli.talking import answer, chat, end, feedback, find_task, talk
from andon.cli.text import cut, one_line, plain, wrapped

if TYPE_CHECKING:
    from andon.domain.tasks.reviews import Comment

_FOLDER = click.Path(path_type=Path)
TYPES = ("create_app", "modify_app", "workflow", "custom")


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def task() -> None:
    """Work in phases: an agent does each, andon verifies it, and you approve it or ask for changes.

    create_app plans, designs and builds a new application; modify_app analyses, plans and changes one that is there;
    workflow builds an automation; custom is a conversation, without phases. Which of them a text asks for is read from
    it; --type says otherwise.
    """


@task.command(
    cls=Command,
    examples=(
        ('andon task create "Add a CSV export to the report"', "modify_app, in this repository."),
        ('andon task create --type create_app "A shop for used books" --into shop', "A new application, in shop/."),
        (
            'andon task create "Send a summary every morning" --field trigger="0 9 * * 1-5"',
            "workflow; the field says more about the text.",
        ),
        ('andon task create --type custom "How does words() treat a hyphen?"', "A conversation; see andon task chat."),
    ),
)
@click.argument("text", nargs=-1)
@option("--type", "type_", group=WORK, type=click.Choice(TYPES), help="Which workflow.  [default: what the text says]")
@option("--field", "fields", group=WORK, multiple=True, metavar="NAME=TEXT", help="More about it; may be repeated.")
@option("--language", group=WORK, type=click.Choice(["auto", "en", "ko"]), help="Language of the documents.")
@option("--budget-tokens", group=LIMITS, type=int, metavar="N", help="Stop the task at this many tokens.")
@option("--budget-money", group=LIMITS, type=float, metavar="USD", help="Stop at this many US dollars.")
@option("--budget-seconds", group=LIMITS, type=float, metavar="S", help="Stop after so much time of work.")
@option("--into", group=PLACE, type=_FOLDER, metavar="FOLDER", help="Folder of a new project; made if it is not there.")
@option("--repo", group=PLACE, type=_FOLDER, metavar="FOLDER", help="Repository to change.  [default: here]")
@option("--allow-dirty", group=PLACE, is_flag=True, help="Start from HEAD although there are changes.")
@option("--runtime", group=PLACE, metavar="NAME", help="Who works: claude, codex, gemini, scripted …")
@option("--scenario", group=PLACE, metavar="FILE", help="Scenario file of the scripted runtime.")
@option("--trust-host", group=PLACE, is_flag=True, default=None, help="Count checks without a sandbox.")
@option("--background", group=PLACE, is_flag=True, help=BACKGROUND)
@json_option("One JSON object per event on standard output.")
def create(text: tuple[str, ...], type_: str | None, fields: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Start a task with TEXT, and follow it. It waits for you after every phase.

    Decide from another terminal with `andon task approve` or `andon task request-changes`.
    """
    from andon.app.starting import StartOptions
    from andon.app.tasks import Wish, chosen, start_task
    from andon.domain.tasks.phases import TaskType

    settings = {key: given[key] for key in ("runtime", "scenario", "trust_host", "language")}
    options = StartOptions(
        words=("task", "--", *text),
        repository=given["repo"] or Path.cwd(),
        allow_dirty=given["allow_dirty"],
        background=given["background"],
        settings={**settings, "budget": budget(given)},
    )
    anywhere = given["repo"] is None
    wish = Wish(" ".join(text), TaskType(type_) if type_ else None, _fields(fields), given["into"], anywhere)
    if chosen(wish) is TaskType.CUSTOM:
        return talk(as_json, lambda show: start_task(options, wish, os.environ, show))
    return execute_and_show(as_json, lambda show: start_task(options, wish, os.environ, show))


def _fields(given: tuple[str, ...]) -> dict[str, str]:
    from andon.domain.errors import UserError

    pairs = [each.partition("=") for each in given]
    if wrong := next((name for name, mark, _ in pairs if not mark), None):
        raise UserError(f"`{wrong}` has no text", '--field NAME="text"')
    return {name.strip(): text for name, _, text in pairs}


# --- looking --------------------------------------------------------------------------------------------------------


@task.command(
    "list", cls=Command, examples=(("andon task list", "What there is, newest first; what waits is marked."),)
)
@option("--limit", default=50, type=click.IntRange(min=1), metavar="N", help="How many, newest first.  [default: 50]")
@json_option("A JSON array.")
def list_tasks(limit: int, as_json: bool) -> None:
    """List tasks, newest first."""
    from andon.app.queries import open_store
    from andon.app.tasks import tasks

    found = tasks(open_store(os.environ), limit)
    if as_json:
        click.echo(json.dumps([each.as_json() for each in found], ensure_ascii=False, indent=2))
        return
    for each in found.unreadable:
        click.echo(f"{each.id} cannot be read: {each.problem}", err=True)
    if not found:
        click.echo('No task yet. `andon task create "what should change"` starts one.')
        return
    click.echo(f"{'TASK':<10}{'STATE':<13}{'TYPE':<12}{'PHASE':<17}{'DONE':<6}WHAT")
    for each in found:
        phase = f"{each.phase} {each.run.phase}" if each.phase else ""
        done = "" if each.progress is None else f"{each.progress:.0%}"
        row = f"{each.run.id:<10}{each.state.value:<13}{each.type.value:<12}{phase:<17}{done:<6}"
        click.echo(cut(f"{row}{one_line(each.run.task)}", 79))


@task.command(
    cls=Command,
    examples=(
        ("andon task show", "How the newest task of this repository stands."),
        ("andon task show 7b2x --json", "For a program: state, review, what was measured."),
    ),
)
@click.argument("task_id", metavar="[TASK]", default="")
@json_option("A JSON object.")
def show(task_id: str, as_json: bool) -> None:
    """How TASK stands, and what was measured and judged of the phase that waits for you."""
    from andon.app.queries import worktree_of
    from andon.domain.tasks.criteria import criteria_of
    from andon.domain.tasks.inputs import filled
    from andon.domain.tasks.phases import TaskType
    from andon.domain.tasks.reporting import verdict_of
    from andon.domain.tasks.states import TaskState

    store, found = find_task(task_id)
    review = found.pending
    verification = dict(store.reviews.verification(review.id)) if review else {}
    if as_json:
        click.echo(json.dumps(found.as_json() | {"verification": verification}, ensure_ascii=False, indent=2))
        return
    names: list[str] = found.as_json()["phases"]
    click.echo(wrapped(f"{found.run.id}  {found.type.value}  {found.state.value}  {plain(one_line(found.run.task))}"))
    for label, text in filled(found.type, found.inputs):
        click.echo(wrapped(f"  {label}: {plain(one_line(text))}", "    "))
    told = "" if found.progress is None else f"{found.progress:.0%} done, "
    if names:
        click.echo("  ".join(f"[{name}]" if number == found.phase else name for number, name in enumerate(names, 1)))
    again = f", changes requested: {found.change_requests}" if found.change_requests else ""
    click.echo(f"{told}agent: {found.agent.value.replace('_', ' ')}{again}")
    if found.state is TaskState.CANCELLED:
        click.echo(wrapped(f"It was given up. `andon reopen {found.run.id}` opens it again."))
        return
    if found.asks is not None:
        click.echo(wrapped(f"\nIts agent asks: {plain(one_line(found.asks.question.text))}"))
        click.echo(wrapped(f"andon task answer {found.run.id}"))
        return
    if found.type is TaskType.CUSTOM:
        click.echo(wrapped(f'andon task chat {found.run.id} "…"'))
        return
    if review is None:
        where = f"Its work is on branch {found.run.branch}; " if found.state is TaskState.COMPLETED else ""
        click.echo(wrapped(f"{where}`andon status {found.run.id}` shows its run."))
        return
    click.echo(f"\nPhase {review.phase} waits for you: version {review.version}, tree {review.tree[:12]}")
    titles = {each.id: each.title for each in criteria_of(found.type, review.phase)}
    for row in sorted(verification.get("criteria", ()), key=lambda each: bool(each["passed"])):
        mark = {"passed": "passed", "failed": "FAILED"}.get(verdict_of(row), "not measured")
        told = f"{titles.get(row['id'], '')}. {row['detail']}" if row["detail"] else titles.get(row["id"], "")
        click.echo(wrapped(f"  {mark}  {row['id']}  {plain(one_line(told))}".rstrip(), " " * 17))
    click.echo(wrapped(f"\nTo be read in {worktree_of(store.home, found.run)}:"))
    for path in review.deliverables:
        click.echo(f"  {plain(path)}")
    click.echo(wrapped(f"\nandon task approve {found.run.id}"))
    click.echo(wrapped(f'andon task request-changes {found.run.id} --comment "what should be different"'))


# --- deciding -------------------------------------------------------------------------------------------------------


@task.command(
    cls=Command,
    examples=(
        ("andon task approve", "The phase that waits in this repository: on to the next one."),
        ("andon task approve 7b2x --version 1", "Only if it is still the version you looked at."),
    ),
)
@click.argument("task_id", metavar="[TASK]", default="")
@option("--comment", default="", metavar="TEXT", help="Why; needed where the verification failed.")
@option("--version", type=int, metavar="N", help="The version that was looked at.  [default: the present one]")
@json_option("A JSON object.")
def approve(task_id: str, comment: str, version: int | None, as_json: bool) -> None:
    """Approve the phase of TASK that waits for you."""
    _decide(task_id, True, comment, (), version, as_json)


@task.command(
    "request-changes",
    cls=Command,
    examples=(
        (
            'andon task request-changes --comment "Say who may export"',
            "The agent reworks the phase, and you see it again.",
        ),
        ("andon task request-changes --on docs/planning/modification_plan.md:12 'Which column?'", "About one line."),
    ),
)
@click.argument("task_id", metavar="[TASK]", default="")
@option("--comment", default="", metavar="TEXT", help="What should be different.")
@option("--on", "on", nargs=2, multiple=True, metavar="PATH[:LINE] TEXT", help="About a file or a line; repeatable.")
@option("--version", type=int, metavar="N", help="The version that was looked at.  [default: the present one]")
@json_option("A JSON object.")
def request_changes(
    task_id: str, comment: str, on: tuple[tuple[str, str], ...], version: int | None, as_json: bool
) -> None:
    """Ask for changes of the phase of TASK that waits for you."""
    _decide(task_id, False, comment, tuple(_comment(place, text) for place, text in on), version, as_json)


def _comment(place: str, text: str) -> Comment:
    from andon.domain.tasks.reviews import Comment

    path, mark, line = place.rpartition(":")
    return Comment(path, text, int(line)) if mark and line.isdecimal() else Comment(place, text)


def _decide(
    task_id: str, approve: bool, comment: str, comments: tuple[Comment, ...], version: int | None, as_json: bool
) -> None:
    from andon.app.starting import user_name
    from andon.app.tasks import Verdict, decide

    store, found = find_task(task_id)
    review = decide(store, found, Verdict(approve, user_name(os.environ), comment, comments, version))
    if as_json:
        told = {"review": review.id, "phase": review.phase, "status": review.status.value, "version": review.version}
        click.echo(json.dumps(told))
        return
    click.echo(f"Phase {review.phase}: {review.status.value.replace('_', ' ')}.")
    if str(store.status(found.run)) == "interrupted":
        click.echo(wrapped(f"Nobody executes it now. `andon resume {found.run.id}` goes on with it."))


for each in (answer, chat, feedback, end, reassign, remind, auto_approval):
    task.add_command(each)
