"""One value of the user's settings file, changed: the rest of the file stays as the person wrote it."""

from __future__ import annotations

import tomllib
from typing import Any, get_args

import tomlkit
from tomlkit.exceptions import TOMLKitError

from andon.app.home import Home
from andon.app.settings import Settings, checked_text, known_keys
from andon.app.settings_sources import File
from andon.app.settings_view import NOT_SIMPLE
from andon.domain.errors import UserError
from andon.engine.database import locked
from andon.workspace.files import write_atomic

MOST = 1_000


def set_setting(home: Home, key: str, text: str) -> None:
    """Set a simple value in the user's file; nothing takes it out. Refused by the same rules as the file itself."""
    table, _, below = key.partition(".")
    known = known_keys()
    if table not in known or table in NOT_SIMPLE or (below not in known[table] if known[table] else bool(below)):
        raise UserError(f"{key} is not a setting that can be typed here", "Edit the file, or see its reference.")
    if len(text) > MOST or not text.isprintable():
        raise UserError(f"That is no value for {key}", "One line, and not longer than a thousand characters.")
    home.make()
    with locked(home.root / "settings.lock"):
        before = File.read(home.settings).text
        after = _changed(before, table, below, text.strip())
        checked_text(home.settings, after)
        write_atomic(home.settings, after, mode=0o600)


def _changed(before: str, table: str, below: str, text: str) -> str:
    try:
        document: Any = tomlkit.parse(before)
    except TOMLKitError as error:
        raise UserError(f"The file cannot be read: {error}", "The file is left as it is.") from error
    place = document
    if below:
        if text and table not in document:
            document[table] = tomlkit.table()
        place = document.get(table, {})
    name = below or table
    if text:
        place[name] = _value(table, below, text)
    else:
        place.pop(name, None)
    return str(document.as_string())


def _value(table: str, below: str, text: str) -> Any:
    """Words where words are wanted; otherwise what the text says in TOML: a number, true or false."""
    if not below and _takes_words(table):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _takes_words(table: str) -> bool:
    annotation: Any = Settings.model_fields[table].annotation
    kinds = (annotation, *get_args(annotation))
    return str in kinds or any(isinstance(each, str) for each in kinds)
