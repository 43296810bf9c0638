"""What `auto`, `resume`, `fork` and `demo` share: show a run while this process executes it, then where it stands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from andon.cli.exits import INTERRUPTED, exit_code
from andon.cli.screen import choose_screen
from andon.domain.journal import Entry

if TYPE_CHECKING:
    from andon.app.outcome import Finished

Show = Callable[[Entry], None]
Work = Callable[[Show], "Finished"]


def execute_and_show(
    as_json: bool, work: Work, tell: Callable[[Finished], None] | None = None, *, quiet: bool = False
) -> int:
    """Carry out `work`, drawing the run's journal meanwhile; `tell` says what comes after its last line. `quiet`: only
    what a person has to know or do is drawn, and not on standard output."""
    screen = choose_screen(as_json, quiet=quiet)
    try:
        finished = work(screen.show)
    finally:
        # A reader that went away (`| head`) does not change how the run ended.
        with suppress(OSError):
            screen.close()
    if finished.ending.reason == "background" and not as_json:
        tell = tell_background
    if not as_json:
        try:
            (tell or tell_standing)(finished)
            sys.stdout.flush()
        except BrokenPipeError:
            drop_output()
    return INTERRUPTED if finished.interrupted and finished.ending.reason == "stopped" else exit_code(finished.ending)


def tell_background(finished: Finished) -> None:
    from andon.cli.text import wrapped

    id = finished.run.id
    click.echo(
        wrapped(f"Run {id} goes on in the background. `andon watch {id}` follows it, `andon stop {id}` stops it.")
    )


def tell_standing(finished: Finished) -> None:
    from andon.cli.standing import draw
    from andon.cli.text import plain, wrapped

    if finished.ending.reason != "dry_run":
        draw(finished.standing, told=True)
    for remark in finished.remarks:
        click.echo(wrapped(f"\n{plain(remark)}"))


def drop_output() -> None:
    """Nobody reads standard output any more: what is still written goes nowhere, and the interpreter exits in peace."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
