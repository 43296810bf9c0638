"""JSON read without the module `json`: that one loads `re` and `enum` first, which takes longer than all a guard does.

The scanner is the one `json` uses itself. Whatever it cannot do, or says about a text that is none, is left to `json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Context:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012


def loads(text: str) -> Any:
    try:
        from _json import make_scanner

        stripped = text.strip(" \t\n\r")
        value, end = make_scanner(_Context())(stripped, 0)  # pyright: ignore[reportArgumentType]
        if end == len(stripped):
            return value
    except Exception:
        pass  # said better below
    import json

    return json.loads(text)
