"""YAML files of people that have a form: loaded, and what is wrong with them told line by line."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import ValidationError

from andon.domain.errors import UserError
from andon.teamify.heads import LOADER
from andon.teamify.texts import read_text

SHOWN = 20
"""Mistakes that are listed at once."""


def load_yaml(path: Path, largest: int, *, missing: str, kind: str) -> object:
    """Raises UserError; the hints are those of `read_text`."""
    text = read_text(path, largest, missing=missing, kind=kind)
    try:
        return yaml.load(text, Loader=LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: {' '.join(str(error).split())[:300]}", kind) from None


def mistakes(error: ValidationError) -> str:
    """Each on a line, with its place."""
    wrong = error.errors()
    rows = ((".".join(map(str, each["loc"])) or "the file", each["msg"]) for each in wrong[:SHOWN])
    more = [f"  - and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
    return "\n".join([*(f"  - {place}: {what}" for place, what in rows), *more])
