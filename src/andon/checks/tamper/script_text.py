"""JavaScript and TypeScript without comments, and with strings blanked: text of the same length to search.

A small scanner, not a parser: it knows strings, templates, comments and where a regular expression may stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$))"
    r"|(?P<string>'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?)"
    r"|(?P<template>`)"
    r"|(?P<word>[\w$]+)"
    r"|(?P<other>[^\w$\s])"
    r"|(?P<space>\s+)",
    re.DOTALL,
)
# Bounded, so that a line full of slashes takes no time.
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/[a-z]*")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
_BEFORE_REGEX = frozenset("(,=:[!&|?{};+-*%<>~^")
_WORDS_BEFORE_REGEX = {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await"}
_GLUED = re.compile(r"(['\"`])([ \t]*)\+([ \t]*)\1")


@dataclass(frozen=True, slots=True)
class Script:
    text: str
    """Comments are spaces."""
    code: str
    """Comments, and what is inside of strings, are spaces."""

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1


def read_script(source: str) -> Script:
    text, code = [*source], [*source]
    at, last, depth = 0, "", 0
    holes: list[int] = []
    while at < len(source):
        if source[at] == "/" and last_allows_regex(last) and source[at + 1 : at + 2] not in ("/", "*"):
            match = _REGEX.match(source, at)
            if match:
                at, last = match.end(), "x"
                continue
        match = _TOKEN.match(source, at)
        if match is None:
            at += 1
            continue
        kind, start, at = match.lastgroup, match.start(), match.end()
        if kind == "comment":
            _blank(text, start, at)
            _blank(code, start, at)
            continue
        if kind == "string":
            _blank(code, start + 1, at - 1)
        elif kind == "other":
            depth += {"{": 1, "}": -1}.get(match[0], 0)
        closes_hole = match[0] == "}" and bool(holes) and depth == holes[-1]
        if kind == "template" or closes_hole:
            if closes_hole:
                holes.pop()
            end = _through_template(source, at)
            _blank(code, at, end)
            at = end
            if source[end : end + 2] == "${":
                holes.append(depth)
                depth += 1
                at, last = end + 2, "{"
                continue
            at = min(end + 1, len(source))
        if kind != "space":
            last = match[0]
    return Script("".join(text), "".join(code))


def last_allows_regex(last: str) -> bool:
    return not last or last in _BEFORE_REGEX or last in _WORDS_BEFORE_REGEX


def _through_template(source: str, at: int) -> int:
    match = _TEMPLATE.match(source, at)
    return match.end() if match else at


def _blank(letters: list[str], start: int, end: int) -> None:
    for index in range(start, end):
        if letters[index] != "\n":
            letters[index] = " "


def glued(text: str) -> str:
    """With `'a' + 'b'` written as one string; lines stay where they are."""
    return _GLUED.sub("", text)
