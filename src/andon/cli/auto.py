"""`andon auto`: parse its words and options, start a run, show it to its end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from andon.cli.exits import exit_code
from andon.cli.screen import choose_screen


@click.command(context_settings={"show_default": True})
@click.argument("task", nargs=-1)
@click.option("--repo", type=click.Path(file_okay=False, path_type=Path), help="Repository to work on. [default: here]")
@click.option("--runtime", help="Runtime that carries out orders (scripted, …).")
@click.option("--scenario", type=click.Path(dir_okay=False), help="Scenario file of the scripted runtime.")
@click.option("--allow-dirty", is_flag=True, help="Start from HEAD although there are uncommitted changes.")
@click.option("--trust-host", is_flag=True, default=None, help="Count checks that ran without a sandbox.")
@click.option("--language", type=click.Choice(["auto", "en", "ko"]), help="Language of the documents.")
@click.option("--budget-tokens", type=int, help="Stop the run at this many tokens.")
@click.option("--budget-money", type=float, help="Stop the run at this many US dollars.")
@click.option("--budget-seconds", type=float, help="Stop the run after this many seconds of work.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per event on standard output.")
@click.option("--worktree", is_flag=True, help="Work in a visible worktree beside the repository.")
@click.option("--prd", is_flag=True, help="Let the planner decompose into user stories.")
@click.option("--eco", is_flag=True, help="One model tier cheaper.")
@click.option("--dry-run", is_flag=True, help="Score the task and list who would work; change nothing.")
@click.option("--opus", is_flag=True, help="HEAVY only: the core agents run on opus.")
@click.option("--skip-e2e", is_flag=True, help="Leave out end-to-end tests.")
@click.option("--interactive", is_flag=True, help="Ask before each phase.")
@click.option("--custom", metavar="PATTERN", help="Success pattern of the custom goal.")
@click.option("--slack", metavar="CHANNEL", help="Use a Slack channel as context.")
@click.option("--gmail", is_flag=False, flag_value="", metavar="[QUERY]", help="Use mail as context.")
@click.option("--gdocs", is_flag=True, hidden=True)
@click.option("--mockup", is_flag=True, hidden=True)
@click.option("--daily", is_flag=True, hidden=True)
def auto(task: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Plan, do, check and act on TASK.

    The work happens on its own branch in its own worktree; your checkout is left alone. Ctrl+C stops the run in an
    orderly way, and `andon resume` goes on with it.
    """
    from andon.app.start import StartOptions, start_auto

    words = [*_option_words(given), *task]
    options = StartOptions(
        words=tuple(words),
        repository=(given["repo"] or Path.cwd()),
        allow_dirty=given["allow_dirty"],
        settings={
            "runtime": given["runtime"],
            "scenario": given["scenario"],
            "trust_host": given["trust_host"],
            "language": given["language"],
            "budget": _budget(given),
        },
    )
    screen = choose_screen(as_json)
    try:
        ending = start_auto(options, os.environ, screen.show)
    finally:
        screen.close()
    if not as_json:
        _say_next(ending)
    return exit_code(ending.ending)


def _option_words(given: dict[str, Any]) -> list[str]:
    """Back into the words the domain parses, so that there is one grammar of options."""
    flags = ("worktree", "prd", "eco", "dry_run", "opus", "skip_e2e", "interactive", "gdocs", "mockup", "daily")
    words = [f"--{flag.replace('_', '-')}" for flag in flags if given[flag]]
    for name in ("custom", "slack"):
        if given[name] is not None:
            words.append(f"--{name}={given[name]}")
    if given["gmail"] is not None:
        words.append(f"--gmail={given['gmail']}" if given["gmail"] else "--gmail")
    return words


def _budget(given: dict[str, Any]) -> dict[str, Any] | None:
    limits = {key: given[f"budget_{key}"] for key in ("tokens", "money", "seconds")}
    chosen = {key: value for key, value in limits.items() if value is not None}
    return chosen or None


def _say_next(result: Any) -> None:
    click.echo()
    for text in result.next_steps:
        click.echo(text)
