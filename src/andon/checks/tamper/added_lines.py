"""The lines that a file has and had not, wherever they stand now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from andon.domain.changeset import Changed


def added_lines(file: Changed) -> Iterator[tuple[int, str]]:
    """Number and text. Only a line feed ends a line: what other characters do to one is for others to judge."""
    had = Counter((file.old or "").split("\n"))
    for number, line in enumerate((file.new or "").split("\n"), 1):
        had[line] -= 1
        if had[line] < 0:
            yield number, line
