"""YAML files of people: loaded, or what is wrong with them told. What is wrong with their form is in mistakes.py."""

from __future__ import annotations

from pathlib import Path

import yaml

from andon.domain.errors import UserError
from andon.teamify.heads import LOADER, in_a_line
from andon.teamify.texts import read_text


def load_yaml(path: Path, largest: int, *, missing: str, kind: str) -> object:
    """Raises UserError; the hints are those of `read_text`."""
    text = read_text(path, largest, missing=missing, kind=kind)
    try:
        return yaml.load(text, Loader=LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path} is no YAML: {in_a_line(error, 300)}", kind) from None
