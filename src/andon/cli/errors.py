"""Where errors end: a message, a hint and an exit code. A traceback goes to a file, never to a person."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
import traceback
from pathlib import Path

import click

from andon.cli.exits import ENVIRONMENT, FAILED, USAGE
from andon.cli.text import plain, wrap
from andon.domain.errors import EnvironmentProblem, UserError

_MACHINE = (errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EIO, errno.ENOMEM, errno.EMFILE)


def tell(error: Exception) -> int:
    """Say on standard error what is wrong; returns the exit code."""
    match error:
        case click.UsageError():
            path = error.ctx.command_path if error.ctx else "andon"
            _say(error.format_message(), f"`{path} --help` tells more.")
            return USAGE
        case click.ClickException():
            _say(error.format_message())
            return USAGE
        case UserError():
            _say(error.message, error.hint)
            return ENVIRONMENT if isinstance(error, EnvironmentProblem) else USAGE
        case OSError() if error.errno in _MACHINE:
            where = f"{error.filename}: " if error.filename else ""
            hint = "Nothing is lost: put it right and try again; a run that was cut short goes on with `andon resume`."
            _say(f"{where}{error.strerror}", hint)
            return ENVIRONMENT
        case _:
            return _tell_bug(error)


def _tell_bug(error: Exception) -> int:
    text = "".join(traceback.format_exception(error))
    kept = _keep(text)
    if kept is None or os.environ.get("ANDON_DEBUG"):
        click.echo(text, err=True)
    where = f"What happened is written in {kept}. " if kept else ""
    _say(
        f"andon itself failed: {type(error).__name__}: {error}",
        f"{where}Please report it. A run that was cut short goes on with `andon resume`.",
    )
    return FAILED


def _keep(text: str) -> Path | None:
    from andon.app.home import Home

    try:
        folder = Home.of(os.environ).root / "log"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"failure-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        path.write_text(text, encoding="utf-8", errors="replace")
    except Exception:  # whatever is wrong, the first failure is the one to tell
        return None
    return path


def _say(message: str, hint: str = "") -> None:
    # In a file or a pipe a sentence stays on one line, where it can be searched for.
    most = shutil.get_terminal_size().columns if sys.stderr.isatty() else sys.maxsize
    coloured = None if colourful() else False
    click.secho("andon: ", fg="red", bold=True, nl=False, err=True, color=coloured)
    click.echo(wrap(f"       {plain(message)}", most, "  ").lstrip(), err=True, color=coloured)
    for line in plain(hint).splitlines():
        click.secho(wrap(f"  {line}", most, "  "), dim=True, err=True, color=coloured)


def colourful() -> bool:
    """Whether colours are wanted at all: see no-color.org."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
