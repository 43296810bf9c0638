"""Tables in files that are no source: JSON, and lines of two parts in whatever format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

from andon.domain.auto.diffs import is_source

Pair = tuple[object, object]
_DATA = re.compile(
    r"\.(?:json|jsonl|json5|csv|tsv|psv|txt|dat|data|toml|ya?ml|ini|cfg|properties|conf|list)$|(?:^|/)[^./]+$"
)
_SEPARATORS = ("\t", "=>", "->", "|", ";", "=", ",", ":", " ")
MOST_READ = 200_000
MOST_LINES = 2000
DEEPEST = 20


def is_data(path: str) -> bool:
    return not is_source(path) and _DATA.search(path) is not None


def data_tables(text: str) -> Iterator[tuple[str, frozenset[Pair]]]:
    """What each holds, with a name for people."""
    if len(text) > MOST_READ:
        return
    try:
        yield from _of_value(json.loads(text))
    except (ValueError, RecursionError):
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if len(lines) <= MOST_LINES:
            yield from _of_lines(lines)


def plain(value: object) -> object:
    """As it is written in a file: a number in quotes is no other one."""
    text = str(value)
    return int(text) if text.isdecimal() and text.isascii() else text


def _of_value(value: object, place: str = "the file", deep: int = 0) -> Iterator[tuple[str, frozenset[Pair]]]:
    if deep > DEEPEST:
        return
    if isinstance(value, dict):
        items = [*cast("dict[str, object]", value).items()]
        yield place, frozenset((plain(key), plain(each)) for key, each in items if _is_scalar(each))
        for key, each in items:
            yield from _of_value(each, key, deep + 1)
    elif isinstance(value, list):
        elements = cast("list[object]", value)
        rows = [row for each in elements if len(row := _row(each)) > 1]
        keyed = ((tuple(row[:-1]) if len(row) > 2 else row[0], row[-1]) for row in rows)
        yield place, frozenset(keyed)
        for each in elements:
            yield from _of_value(each, place, deep + 1)


def _row(value: object) -> list[object]:
    """One after the other, lists inside it too: `[[1, 2], 3]` is two arguments and what comes of them."""
    parts: list[object] = []
    if isinstance(value, dict):
        parts = [*cast("dict[str, object]", value).values()]
    elif isinstance(value, list):
        parts = cast("list[object]", value)
    flat = [inner for each in parts for inner in (cast("list[object]", each) if isinstance(each, list) else [each])]
    return [plain(each) for each in flat] if all(map(_is_scalar, flat)) else []


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float)


def _of_lines(lines: list[str]) -> Iterator[tuple[str, frozenset[Pair]]]:
    for separator in _SEPARATORS:
        parts = [line.rpartition(separator) for line in lines]
        yield "the file", frozenset((plain(_bare(key)), plain(_bare(value))) for key, found, value in parts if found)


def _bare(text: str) -> str:
    return text.strip().strip(",").strip().strip("'\"")
