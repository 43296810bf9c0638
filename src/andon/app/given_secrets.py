"""Secrets that people give to a task: files of their own, readable by the owner alone.

Never in the database, the journal, a prompt or a page. An agent gets them in its environment; checks do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from andon.app.home import Home
from andon.domain.errors import UserError
from andon.engine.kept import put
from andon.engine.redaction import SHORTEST

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def keep(home: Home, run: str, name: str, value: str) -> None:
    """Keep a secret of a task, in place of one of the same name."""
    if not _NAME.fullmatch(name):
        raise UserError(f"`{name}` is no name for a variable", "Letters, digits and _, and no digit first.")
    if len(value) < SHORTEST or "\n" in value or "\0" in value:
        raise UserError(
            f"A secret has at least {SHORTEST} characters, on one line", "A shorter one could not be kept out of texts."
        )
    folder = _folder(home) / run
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    put(folder / name, value.encode())


def given(home: Home, run: str) -> dict[str, str]:
    """By the name of the variable."""
    return dict(_read(_folder(home) / run))


def all_values(home: Home) -> list[str]:
    """Of all tasks: whatever is written down leaves them out."""
    return [value for run in sorted(_folder(home).glob("*")) for _, value in _read(run)]


def _read(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.glob("*")):
        if _NAME.fullmatch(file.name):
            yield file.name, file.read_text(encoding="utf-8")


def _folder(home: Home) -> Path:
    return home.root / "secrets"
