"""Plain values as YAML that people can read: texts of several lines as blocks, small things on one line.

The other way round than `positions.py`, which must read back exactly what stands here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS_OF_YAML = {"null", "true", "false"}
_BLOCK = re.compile("[\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON lets stand in a text, and a YAML file may not hold as it is."""


def document(value: Mapping[str, Any]) -> str:
    return "\n".join(_mapping(value, 0)) + "\n"


def _mapping(value: Mapping[str, Any], indent: int) -> Iterator[str]:
    for key, each in value.items():
        yield from _entry(f"{'':{indent}}{_text(key)}:", each, indent)


def _list(value: list[Any], indent: int) -> Iterator[str]:
    for each in value:
        if isinstance(each, dict) and each:
            first, *rest = _mapping(cast(dict[str, Any], each), indent + 2)
            yield f"{'':{indent}}- {first[indent + 2 :]}"
            yield from rest
        else:
            yield from _entry(f"{'':{indent}}-", each, indent)


def _entry(head: str, value: Any, indent: int) -> Iterator[str]:
    line = _on_one_line(value, len(head))
    if line is not None:
        yield f"{head} {line}"
    elif isinstance(value, str):
        yield from _block(head, value, indent + 2)
    else:
        yield head
        yield from _mapping(cast(Any, value), indent + 2) if isinstance(value, dict) else _list(value, indent + 2)


def _block(head: str, text: str, indent: int) -> Iterator[str]:
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    # Where the first line is blank or indented, YAML has to be told where the text begins.
    told = "2" if text[0] in " \n\t" else ""
    yield f"{head} |{told}{('-', '')[ends] if ends < 2 else '+'}"
    for line in (body + "\n" * max(0, ends - 1)).split("\n"):
        yield f"{'':{indent}}{line}" if line else ""


def _on_one_line(value: Any, indent: int) -> str | None:
    """None: it takes several."""
    if isinstance(value, str):
        return None if _as_block(value) else _text(value)
    if isinstance(value, list) and any(isinstance(each, dict) for each in cast(list[Any], value)):
        return None
    line = _flow(value)
    small = not isinstance(value, dict | list) or not value
    return line if line is not None and (small or indent + len(line) < WIDTH) else None


def _flow(value: Any) -> str | None:
    if isinstance(value, str):
        return None if _as_block(value) else _text(value)
    if isinstance(value, dict):
        parts = [(_text(key), _flow(each)) for key, each in cast(dict[str, Any], value).items()]
        return None if any(part is None for _, part in parts) else f"{{{', '.join(f'{k}: {v}' for k, v in parts)}}}"
    if isinstance(value, list):
        items = [_flow(each) for each in cast(list[Any], value)]
        return None if None in items else f"[{', '.join(cast(list[str], items))}]"
    return json.dumps(value)


def _as_block(text: str) -> bool:
    return "\n" in text and bool(text.strip("\n\t ")) and _BLOCK.fullmatch(text) is not None


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS_OF_YAML:
        return text
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
