"""The lines that a file has and had not, wherever they stand now."""

from __future__ import annotations

from collections.abc import Iterator

from andon.domain import document_secrets
from andon.domain.changeset import Changed


def added_lines(file: Changed) -> Iterator[tuple[int, str]]:
    """Number and text."""
    return document_secrets.added_lines(file.old or "", file.new or "")
