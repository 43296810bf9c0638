"""`andon uam`: the plan-driven pipeline, and what a person can do with one in their checkout."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from andon.cli.auto import PLACE, WORK
from andon.cli.executing import execute_and_show
from andon.cli.help import Command, Group, json_option, option
from andon.cli.starting import run_options, start_options
from andon.cli.text import plain, wrapped

_FILE = click.Path(path_type=Path, resolve_path=True)
_FOLDER = click.Path(path_type=Path)


class Uam(Group):
    """`andon uam "task"` is short for `andon uam run "task"`."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in self.commands:
            return super().resolve_command(ctx, ["run", *args])
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # Options before the task are the run's: only --help is the group's own.
        if args and args[0].startswith("-") and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=Uam, context_settings={"help_option_names": ["-h", "--help"]})
def uam() -> None:
    """Plan first, then build TODOs side by side, pass three gates, and mend until it converges.

    `andon uam "task"` runs the full pipeline: it explores, writes .uam/PLAN.md, asks once (30 s, then it proceeds),
    builds every TODO on files of its own, runs the plan's commands itself, has the change reviewed and tried, and
    mends what fails. Check boxes of PLAN.md are the progress; you may edit it at any time.
    """


def _start(kind: str, task: tuple[str, ...], given: dict[str, Any], as_json: bool, **more: Any) -> int:
    from andon.app.uam import Wish, start_uam

    options = _options(kind, task, given)
    wish = Wish(" ".join(task), kind, **more)
    return execute_and_show(as_json, lambda show: start_uam(options, wish, os.environ, show))


def _options(kind: str, task: tuple[str, ...], given: dict[str, Any]) -> Any:
    named: dict[str, Any] = {
        key: given.get(key) for key in ("parallel", "maturity_mode", "ask_each_loop") if given.get(key)
    }
    if given.get("yes"):
        named["plan_seconds"] = 0.0
    return start_options(("uam", kind, "--", *task), given, uam=named or None)


@uam.command(
    cls=Command,
    examples=(
        ('andon uam "Add rate limiting to the login endpoint"', "All five phases."),
        ('andon uam --small "Add a --version flag"', "Three phases, for one to five files."),
        ('andon uam --bugfix "top(0) crashes"', "The same as `andon uam bugfix`."),
        ('andon uam run "Add search" --parallel 8', "Up to eight TODOs at once."),
    ),
)
@click.argument("task", nargs=-1)
@option("--small", group=WORK, is_flag=True, help="Three phases: plan, sprint, verify. One gate, three fixes.")
@option("--bugfix", "as_bugfix", group=WORK, is_flag=True, help="Mend one bug: three attempts.")
@option("--parallel", group=WORK, type=int, metavar="N", help="TODOs at the same time.  [default: 4]")
@option(
    "--maturity-mode",
    group=WORK,
    type=click.Choice(["explore", "standard", "strict"]),
    help="What becomes of discoveries.  [default: standard]",
)
@option("--yes", group=WORK, is_flag=True, help="Proceed with the plan at once, without waiting for a person.")
@option("--ask-each-loop", group=WORK, is_flag=True, help="Ask for the direction before every fix loop.")
@option("--worktree", group=PLACE, is_flag=True, help="Work in a visible folder beside the repository.")
@run_options
def run(task: tuple[str, ...], small: bool, as_bugfix: bool, worktree: bool, as_json: bool, **given: Any) -> int:
    """Run a pipeline on TASK. `run` may be left out."""
    from andon.domain.errors import UserError

    if small and as_bugfix:
        raise UserError("--small and --bugfix exclude each other", "Choose one pipeline.")
    kind = "small" if small else "bugfix" if as_bugfix else "full"
    return _start(kind, task, given, as_json, worktree=worktree)


@uam.command(
    cls=Command,
    examples=(
        ('andon uam bugfix "top(0) crashes"', "Diagnose, mend, measure; three attempts."),
        ("andon uam bugfix \"wrong total\" --command 'pytest tests/test_total.py'", "Judged by this command as well."),
    ),
)
@click.argument("task", nargs=-1)
@option("--command", default="", metavar="CMD", help="What shows the bug: exits with 0 when it is mended.")
@run_options
def bugfix(task: tuple[str, ...], command: str, as_json: bool, **given: Any) -> int:
    """Mend one bug: diagnose, mend, measure. After three attempts the full pipeline is offered."""
    return _start("bugfix", task, given, as_json, command=command)


@uam.command(
    cls=Command,
    examples=(
        ("andon uam pivot", "An interview about what must not change."),
        ('andon uam pivot --point "No new dependency" --point "The API stays"', "Written down without an interview."),
    ),
)
@click.argument("task", nargs=-1)
@option("--point", "points", multiple=True, metavar="TEXT", help="A constraint; may be repeated. No interview then.")
@run_options
def pivot(task: tuple[str, ...], points: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Phase 0: find out what must not change, and keep it in .uam/pivot-points.md."""
    return _start("pivot", task, given, as_json, points=points)


@uam.command(cls=Command, examples=(("andon uam status", "Phase, TODOs, gates, pass rates, tokens."),))
@option("--repo", type=_FOLDER, metavar="FOLDER", help="Repository.  [default: here]")
@json_option("A JSON object: state, problem, todos.")
def status(repo: Path | None, as_json: bool) -> None:
    """How the pipeline in this checkout stands, whether andon or a session of the plugin drives it."""
    from andon.app.uam import pipeline_in

    found = pipeline_in(repo or Path.cwd())
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False))
        return
    for line in found.lines:
        click.echo(wrapped(plain(line), " " * 13))


@uam.command(
    cls=Command,
    examples=(
        ("andon uam cancel", "Stop it; its phase and its PLAN.md stay."),
        ("andon uam cancel --force", "Clear its state as well; a run of andon is closed."),
    ),
)
@option("--force", is_flag=True, help="Clear the state: nothing is left to resume.")
@option("--repo", type=_FOLDER, metavar="FOLDER", help="Repository.  [default: here]")
@json_option("A JSON object.")
def cancel(force: bool, repo: Path | None, as_json: bool) -> None:
    """Stop the pipeline in this checkout. `andon uam resume` goes on at the same phase."""
    from andon.app.uam_control import cancel_here

    told = cancel_here(repo or Path.cwd(), os.environ, force=force)
    if as_json:
        click.echo(json.dumps(told, ensure_ascii=False))
    elif force:
        click.echo("The state is cleared. PLAN.md and what was learned stay.")
    else:
        click.echo(f"Cancelled in {told.get('cancelled_from', '-')}. `andon uam resume` goes on there.")


@uam.command(cls=Command, examples=(("andon uam resume", "Go on where it was cancelled or failed."),))
@option("--direction", metavar="TEXT", help="What to do differently.")
@option("--repo", type=_FOLDER, metavar="FOLDER", help="Repository.  [default: here]")
@json_option("One JSON object per event.")
def resume(direction: str | None, repo: Path | None, as_json: bool) -> int:
    """Go on with this checkout's pipeline at its earlier phase. TODOs that are done are not done again."""
    from andon.app.uam_control import resume_here

    folder = repo or Path.cwd()
    return execute_and_show(as_json, lambda show: resume_here(folder, os.environ, show, direction))


@uam.command(cls=Command, examples=(("andon uam compound", "After a completed or cancelled pipeline."),))
@option("--repo", type=_FOLDER, metavar="FOLDER", help="Repository.  [default: here]")
@json_option("A JSON object: the files that changed.")
def compound(repo: Path | None, as_json: bool) -> None:
    """Write what workers learned to docs/learnings and the project's memory. Repeating it changes nothing."""
    from andon.app.uam import compound as compound_here

    changed = compound_here(repo or Path.cwd())
    if as_json:
        click.echo(json.dumps({"changed": changed}, ensure_ascii=False))
        return
    click.echo("\n".join(changed) if changed else "Nothing new: everything is written down already.")


@uam.command(cls=Command, examples=(("andon uam adopt", "Go on in andon with what a session began."),))
@run_options
def adopt(as_json: bool, **given: Any) -> int:
    """Go on with a pipeline that the plugin began, from its files. What it ticked off is measured first."""
    from andon.app.uam import adopt as adopt_here

    options = _options("adopt", (), given)
    return execute_and_show(as_json, lambda show: adopt_here(options, os.environ, show))
