"""Placeholders in a scenario's texts: finding them, and filling them in from an order.

Only what every order has can be filled in; what a pipeline knows (a feature's name) is none of a runtime's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

KNOWN = ("answer", "name", "role", "call", "attempt", "document")
# Doubled braces come first: they are how a template writes the braces themselves.
_PLACEHOLDER = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}")


def used(value: object) -> set[str]:
    """The names between single braces anywhere in a value's texts."""
    return {match[2] for text in _texts(value) for match in _PLACEHOLDER.finditer(text) if match[2]}


def fill(value: Any, values: Mapping[str, str]) -> Any:
    """The same value with every `{name}` replaced, and `{{name}}` turned into `{name}`."""
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: values[match[2]] if match[2] else f"{{{match[1]}}}", value)
    if isinstance(value, dict):
        return {key: fill(each, values) for key, each in cast(dict[str, Any], value).items()}
    if isinstance(value, list | tuple):
        return [fill(each, values) for each in cast(list[Any], value)]
    return value


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast(dict[str, object], value).values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in cast(list[object], value):
            yield from _texts(each)
