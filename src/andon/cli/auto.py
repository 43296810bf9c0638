"""`andon auto`: parse its words and options, start a run, show it to its end."""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path
from typing import Any

import click

from andon.cli.executing import execute_and_show
from andon.cli.help import Command, json_option, option

WORK, LIMITS, PLACE = "How the work is done", "Limits", "Where and by whom"
BACKGROUND = "Start it and return: it goes on by itself, also while it waits for you."
EXAMPLES = (
    ('andon auto "Add a --version flag"', "One task, in the repository you stand in."),
    ('andon auto "Add a --version flag" --dry-run', "How big it is, who would work on it and what it would cost."),
    ("andon auto", "Find out what there is to do here; asks before it starts anything."),
    ("andon auto --scenario script.yaml greet", "Agents that play a script: no key, no tokens."),
    (
        'andon auto "Add a --version flag" --record run.yaml',
        "Record what the agents do; `--replay run.yaml` plays it again.",
    ),
    ("andon auto status", "The same as `andon status`; likewise `stop` and `resume`."),
    ('andon work "Add a flag"', "The same; so are ralph, ulw, ultrawork, autopilot, /auto and /work."),
)
_FILE = click.Path(path_type=Path, resolve_path=True)
SESSION_WORDS = ("status", "stop", "resume")


@click.command(cls=Command, examples=EXAMPLES, context_settings={"show_default": True})
@click.argument("task", nargs=-1)
@option("--dry-run", group=WORK, is_flag=True, help="Score the task, list who would work, estimate the cost; no work.")
@option("--yes", group=WORK, is_flag=True, help="Without TASK: start the run that is proposed, unasked.")
@option("--custom", group=WORK, metavar="PATTERN", help="One more check: what the tests print must contain this.")
@option("--prd", group=WORK, is_flag=True, help="Let the planner decompose into user stories.")
@option("--issue", group=WORK, is_flag=True, help="Create a GitHub issue for the plan when none is related.")
@option("--slack", group=WORK, metavar="CHANNEL", help="Read a Slack channel first, by its id; the planner sees it.")
@option(
    "--gmail", group=WORK, is_flag=False, flag_value="", metavar="[QUERY]", help="Read mail first: a search, or unread."
)
@option("--language", group=WORK, type=click.Choice(["auto", "en", "ko"]), help="Language of the documents.")
@option("--eco", group=WORK, is_flag=True, help="One model tier cheaper, half the QA cycles.")
@option("--opus", group=WORK, is_flag=True, help="HEAVY only: the core agents run on opus.")
@option("--skip-e2e", group=WORK, is_flag=True, help="Leave out end-to-end tests.")
@option("--interactive", group=WORK, is_flag=True, help="Ask at the end of each phase; measure `interactive_command`.")
@option("--budget-tokens", group=LIMITS, type=int, metavar="N", help="Stop the run at this many tokens.")
@option("--budget-money", group=LIMITS, type=float, metavar="USD", help="Stop the run at this many US dollars.")
@option("--budget-seconds", group=LIMITS, type=float, metavar="S", help="Stop the run after so much time of work.")
@option("--repo", group=PLACE, type=click.Path(path_type=Path), metavar="FOLDER", help="Repository.  [default: here]")
@option("--allow-dirty", group=PLACE, is_flag=True, help="Start from HEAD although there are uncommitted changes.")
@option("--worktree", group=PLACE, is_flag=True, help="Work in a visible folder beside the repository.")
@option(
    "--runtime", group=PLACE, metavar="NAME", help="Who works: claude, codex, gemini, opencode, acp, api, scripted."
)
@option("--scenario", group=PLACE, metavar="FILE", help="Scenario file of the scripted runtime.")
@option("--record", group=PLACE, type=_FILE, metavar="FILE", help="Write down what the agents do, to be played again.")
@option(
    "--replay", group=PLACE, type=_FILE, metavar="FILE", help="Play a recording: no agent, no key, the same outcome."
)
@option("--trust-host", group=PLACE, is_flag=True, default=None, help="Count checks that ran without a sandbox.")
@option("--background", group=PLACE, is_flag=True, help=BACKGROUND)
@option("--gdocs", is_flag=True, hidden=True)
@option("--mockup", is_flag=True, hidden=True)
@option("--daily", is_flag=True, hidden=True)
@json_option("One JSON object per event on standard output.")
@click.pass_context
def auto(ctx: click.Context, task: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Plan, do, check and act on TASK; without one, find out what there is to do.

    Without TASK it looks for unfinished runs, failing checks, to-dos and issues, staged files and lint errors, and
    improvements, in this order (`andon help tiers`), says what it chose and why, and asks before it starts a run.

    The work happens on its own branch in its own worktree; your checkout is left alone. Ctrl+C stops the run in an
    orderly way, and `andon resume` goes on with it.
    """
    if len(task) == 1 and task[0] in SESSION_WORDS:
        return _session(ctx, task[0], as_json)
    from andon.app.start import start_auto
    from andon.app.starting import StartOptions
    from andon.cli.discovering import advise_on_context, discover_and_act
    from andon.domain.auto.discovery import context_nearly_full
    from andon.domain.auto.options import is_mail_query

    if is_mail_query(given["gmail"] or ""):  # the words after it may be the rest of the search
        more = tuple(takewhile(is_mail_query, task))
        given["gmail"], task = " ".join((given["gmail"], *more)), task[len(more) :]
    options = StartOptions(
        words=(*_option_words(given), "--", *task),
        repository=(given["repo"] or Path.cwd()),
        allow_dirty=given["allow_dirty"],
        settings={
            "runtime": given["runtime"],
            "scenario": given["scenario"],
            "trust_host": given["trust_host"],
            "language": given["language"],
            "budget": budget(given),
        },
        record=given["record"],
        replay=given["replay"],
        background=given["background"],
    )
    if not task and given["replay"] is None and given["gmail"] is None and given["slack"] is None:
        return discover_and_act(options, as_json=as_json, dry_run=given["dry_run"], yes=given["yes"])
    if context_nearly_full(os.environ):
        return advise_on_context(as_json)
    return execute_and_show(as_json, lambda show: start_auto(options, os.environ, show))


def _session(ctx: click.Context, word: str, as_json: bool) -> int:
    """`auto status`, `auto stop` and `auto resume` (A-03)."""
    from andon.cli import control, runs

    command = {"status": runs.status, "stop": control.stop, "resume": control.resume}[word]
    return ctx.invoke(command, as_json=as_json)


def _option_words(given: dict[str, Any]) -> list[str]:
    """Back into the words the domain parses, so that there is one grammar of options."""
    flags = (
        "worktree",
        "prd",
        "eco",
        "issue",
        "dry_run",
        "opus",
        "skip_e2e",
        "interactive",
        "gdocs",
        "mockup",
        "daily",
    )
    words = [f"--{flag.replace('_', '-')}" for flag in flags if given[flag]]
    for name in ("custom", "slack"):
        if given[name] is not None:
            words.append(f"--{name}={given[name]}")
    if given["gmail"] is not None:
        words.append(f"--gmail={given['gmail']}" if given["gmail"] else "--gmail")
    return words


def budget(given: dict[str, Any]) -> dict[str, Any] | None:
    limits = {key: given[f"budget_{key}"] for key in ("tokens", "money", "seconds")}
    chosen = {key: value for key, value in limits.items() if value is not None}
    return chosen or None
