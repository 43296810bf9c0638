"""What a database error means for a person: a full or read-only disk, a damaged file. Knows SQLite's own words.

A process that met such an error touches the database no more. To record "this run failed" with the last free bytes
would be worse than silence: a run whose process just ended is taken up again where it was.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from andon.domain.errors import EnvironmentProblem

_LEFT_ALONE = "It is left as it is. Move it aside to start with an empty one; the runs in it cannot be resumed then."
_GOES_ON = "then try again; a run that was cut short goes on with `andon resume`."
_MEANINGS = {
    "database or disk is full": ("the disk is full", f"Nothing is lost: make room, {_GOES_ON}"),
    "readonly database": ("it cannot be written", f"Make the disk or the file writable, {_GOES_ON}"),
    "unable to open database file": ("it cannot be opened", f"Make room or make the disk writable, {_GOES_ON}"),
    "disk i/o error": ("the disk is full or failing", f"Put the disk right, {_GOES_ON}"),
    "malformed": ("it is damaged", _LEFT_ALONE),
    "not a database": ("it is damaged: this is no database", _LEFT_ALONE),
}


def explain(error: BaseException | None, url: sa.URL) -> EnvironmentProblem | None:
    """What to tell a person about an error of SQLite; None when it is not the machine's fault."""
    said = str(error).lower()
    found = next((meaning for words, meaning in _MEANINGS.items() if words in said), None)
    if found is None:
        return None
    return EnvironmentProblem(f"The database {url.database}: {found[0]}", found[1])


def give_up_on_failure(engine: sa.Engine) -> None:
    """Turn such errors into an EnvironmentProblem, and refuse everything after the first one."""
    failures: list[EnvironmentProblem] = []

    def on_error(context: sa.engine.ExceptionContext) -> None:
        problem = explain(context.original_exception, engine.url)
        if problem is not None:
            failures.append(problem)
            raise problem from context.original_exception

    def on_begin(_connection: Any) -> None:
        if failures:
            raise failures[0]

    event.listen(engine, "handle_error", on_error)
    event.listen(engine, "begin", on_begin, insert=True)
