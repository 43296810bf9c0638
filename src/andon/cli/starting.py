"""What every way to start a run shares: the options of its command, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from andon.cli.auto import BACKGROUND, LIMITS, PLACE, WORK, budget
from andon.cli.help import json_option, option

if TYPE_CHECKING:
    from andon.app.starting import StartOptions

_FILE = click.Path(path_type=Path, resolve_path=True)
_FOLDER = click.Path(path_type=Path)


def run_options(command: Any) -> Any:
    """Language, budget, place, runtime, recordings, background, --json."""
    for made in reversed(
        (
            option(
                "--language", group=WORK, type=click.Choice(["auto", "en", "ko"]), help="Language of the documents."
            ),
            option("--budget-tokens", group=LIMITS, type=int, metavar="N", help="Stop the run at this many tokens."),
            option("--budget-money", group=LIMITS, type=float, metavar="USD", help="Stop at this many US dollars."),
            option("--budget-seconds", group=LIMITS, type=float, metavar="S", help="Stop after so much time of work."),
            option("--repo", group=PLACE, type=_FOLDER, metavar="FOLDER", help="Repository.  [default: here]"),
            option("--allow-dirty", group=PLACE, is_flag=True, help="Start from HEAD although there are changes."),
            option("--runtime", group=PLACE, metavar="NAME", help="Who works: claude, codex, gemini, scripted …"),
            option("--scenario", group=PLACE, metavar="FILE", help="Scenario file of the scripted runtime."),
            option("--record", group=PLACE, type=_FILE, metavar="FILE", help="Write down what the agents do."),
            option("--replay", group=PLACE, type=_FILE, metavar="FILE", help="Play a recording."),
            option("--trust-host", group=PLACE, is_flag=True, default=None, help="Count checks without a sandbox."),
            option("--background", group=PLACE, is_flag=True, help=BACKGROUND),
            json_option("One JSON object per event on standard output."),
        )
    ):
        command = made(command)
    return command


def start_options(words: tuple[str, ...], given: dict[str, Any], **settings: Any) -> StartOptions:
    """From the options above. `settings` are those of the pipeline itself."""
    from andon.app.starting import StartOptions

    return StartOptions(
        words=words,
        repository=given["repo"] or Path.cwd(),
        allow_dirty=given["allow_dirty"],
        background=given["background"],
        settings={
            "runtime": given["runtime"],
            "scenario": given["scenario"],
            "trust_host": given["trust_host"],
            "language": given["language"],
            "budget": budget(given),
            **settings,
        },
        record=given["record"],
        replay=given["replay"],
    )
