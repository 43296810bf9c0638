"""Base tests that name a module which the change moved get its new name: else they could not even be loaded.

Only where a module is named as one: in imports, and in dotted names of at least two parts. Text in, text out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_ROOTS = ("src", "lib", "python")
_SPECIFIER = re.compile(
    r"""(?P<lead>\b(?:from|import|require|mock|unmock|doMock|module|importActual|requireActual)\s*\(?\s*(?P<quote>['"]))"""
    r"""(?P<name>\.{1,2}/[^'"\n]+)(?P=quote)"""
)


def followed(path: str, text: str, moved: Mapping[str, str]) -> str:
    """The text of the test file at `path`; `moved` has old and new paths of product files."""
    if path.endswith(".py"):
        for pattern, to in _python_rules(moved):
            text = pattern.sub(to, text)
        return text
    if _SCRIPT.search(path):
        return _SPECIFIER.sub(lambda found: _specifier(path, found, moved), text)
    return text


def _python_rules(moved: Mapping[str, str]) -> Iterator[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]:
    for old, new in moved.items():
        if not (old.endswith(".py") and new.endswith(".py")):
            continue
        first, second = _module(old), _module(new)
        if "." in first:
            yield re.compile(rf"(?<![\w.]){re.escape(first)}(?!\w)"), second
            yield from _by_parent(first, second)
        else:
            yield re.compile(rf"^(\s*from\s+){re.escape(first)}(?=\s+import\b)", re.MULTILINE), rf"\g<1>{second}"
            yield re.compile(rf"^(\s*import\s+){re.escape(first)}\s*$", re.MULTILINE), rf"\g<1>{second} as {first}"


def _by_parent(first: str, second: str) -> Iterator[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]:
    """`from pkg import old` becomes `from pkg import new as old`."""
    (parent, _, name), (other, _, to) = first.rpartition("."), second.rpartition(".")
    if parent == other:
        line = re.compile(rf"^\s*from\s+{re.escape(parent)}\s+import\s+(?:\([^)]*\)|[^\n(]*)", re.MULTILINE)
        named = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w|\s+as\b)")
        yield line, lambda found: named.sub(f"{to} as {name}", found.group())


def _module(path: str) -> str:
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    return ".".join(parts[1:] if len(parts) > 1 and parts[0] in _ROOTS else parts)


def _specifier(path: str, found: re.Match[str], moved: Mapping[str, str]) -> str:
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), found["name"]))
    for old, new in moved.items():
        if wanted in (old, _SCRIPT.sub("", old)):
            to = posixpath.relpath(new if wanted == old else _SCRIPT.sub("", new), posixpath.dirname(path) or ".")
            return f"{found['lead']}{to if to.startswith('.') else './' + to}{found['quote']}"
    return found.group()
