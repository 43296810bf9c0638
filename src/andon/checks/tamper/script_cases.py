"""Literal cases in JavaScript and TypeScript: what tests give and expect, and tables and chains in product code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from andon.checks.tamper.python_cases import OTHERWISE
from andon.checks.tamper.script_text import read_script

Case = tuple[str, tuple[object, ...], object]
DEEPEST = 20
"""Brackets inside each other that are read."""
_LITERAL = re.compile(
    r"\s*(?:(?P<string>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\$]|\\.)*`)"
    r"|(?P<number>-?(?:0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)n?)"
    r"|(?P<word>true|false|null|undefined|NaN|Infinity)\b|(?P<open>[\[{]))"
)
_KEY = re.compile(r"\s*(?:([\w$]+)|'([^'\n]*)'|\"([^\"\n]*)\"|\[\s*(?:'([^'\n]*)'|\"([^\"\n]*)\")\s*\])\s*:")
_WORDS = {"true": True, "false": False, "null": None, "undefined": None, "NaN": "NaN", "Infinity": "Infinity"}
_EXPECT = re.compile(r"\bexpect\s*\(\s*(?:await\s+)?(?:[\w$]+\.)*([\w$]+)\s*(?=\()")
_MATCHER = re.compile(
    r"\s*\)\s*\.(?:to\.)?(?:(?:be|deep)\.)?(toBe|toEqual|toStrictEqual|equal|eql|toBeCloseTo|toBeTruthy|toBeFalsy|be\.true|be\.false)\s*(?=\()"
)
_ASSERT = re.compile(
    r"\b(?:assert|t)\.(?:deep|strict|deepStrict|strictDeep)?(?:[eE]qual|is)\s*\(\s*(?:await\s+)?(?:[\w$]+\.)*([\w$]+)\s*(?=\()"
)
_EACH = re.compile(r"\.each\s*\(\s*(?=\[)|\bfor\s*\(\s*(?:const|let|var)\s*\[[^\]\n]{1,200}\]\s*of\s*(?=\[)")
_CALLED = re.compile(r"\b(?:expect|(?:assert|t)\.\w*(?:[eE]qual|is))\s*\(\s*(?:await\s+)?(?:[\w$]+\.)*([\w$]+)\s*\(")


class _Unknown(Exception):
    pass


def script_cases(text: str) -> Iterator[Case]:
    text = read_script(text).text
    for match in _EXPECT.finditer(text):
        try:
            given, at = _arguments(text, match.end())
            matcher = _MATCHER.match(text, at)
            if not matcher or not given:
                continue
            expected, _ = _arguments(text, matcher.end())
        except _Unknown:
            continue
        if matcher[1] in ("toBeTruthy", "toBeFalsy"):
            yield match[1], given, matcher[1] == "toBeTruthy"
        elif expected:
            yield match[1], given, expected[0]
    for match in _ASSERT.finditer(text):
        try:
            given, at = _arguments(text, match.end())
            comma = re.compile(r"\s*,").match(text, at)
            if given and comma:
                yield match[1], given, literal(text, comma.end())[0]
        except _Unknown:
            continue
    yield from _rows(text)


def _rows(text: str) -> Iterator[Case]:
    """Of `it.each([[1, 2, 3], …])`, and of a loop over rows: the last of a row is what is expected of the others."""
    for match in _EACH.finditer(text):
        called = _CALLED.search(text, match.end(), match.end() + 20_000)
        try:
            rows, _ = literal(text, match.end())
        except _Unknown:
            continue
        for row in _listed(rows) if called else ():
            if len(_listed(row)) > 1 and called:
                yield called[1], _listed(row)[:-1], _listed(row)[-1]


def _listed(value: object) -> tuple[object, ...]:
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()


def _arguments(text: str, at: int) -> tuple[tuple[object, ...], int]:
    """Literals in parentheses from `at`, and where they end."""
    values: list[object] = []
    at = _past(text, at, "(")
    while True:
        if (end := _past(text, at, ")", must=False)) >= 0:
            return tuple(values), end
        value, at = literal(text, at)
        values.append(value)
        if (after := _past(text, at, ",", must=False)) >= 0:
            at = after
        elif _past(text, at, ")", must=False) < 0:
            raise _Unknown


def _past(text: str, at: int, sign: str, must: bool = True) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    if text[at : at + 1] == sign:
        return at + 1
    if must:
        raise _Unknown
    return -1


def literal(text: str, at: int, depth: int = 0) -> tuple[object, int]:
    match = _LITERAL.match(text, at)
    if match is None or depth > DEEPEST:
        raise _Unknown
    if match["string"]:
        return re.sub(r"\\(.)", r"\1", match["string"][1:-1]), match.end()
    if match["number"]:
        return _number(match["number"]), match.end()
    if match["word"]:
        return _WORDS[match["word"]], match.end()
    return (_array if match["open"] == "[" else _object)(text, match.end(), depth + 1)


def _number(text: str) -> object:
    plain = text.replace("_", "").removesuffix("n")
    if "x" in plain.lower():
        return int(plain, 16)
    value = float(plain)
    return int(value) if value.is_integer() else value


def _array(text: str, at: int, depth: int) -> tuple[object, int]:
    values: list[object] = []
    while (end := _past(text, at, "]", must=False)) < 0:
        value, at = literal(text, at, depth)
        values.append(value)
        after = _past(text, at, ",", must=False)
        at = after if after >= 0 else _past(text, at, "]") - 1
    return tuple(values), end


def _object(text: str, at: int, depth: int) -> tuple[object, int]:
    entries, at = _pairs(text, at, depth)
    return frozenset(entries), at


def _pairs(text: str, at: int, depth: int) -> tuple[list[tuple[object, object]], int]:
    found: list[tuple[object, object]] = []
    while (end := _past(text, at, "}", must=False)) < 0:
        key = _KEY.match(text, at)
        if key is None:
            raise _Unknown
        name = next(group for group in key.groups() if group is not None)
        value, at = literal(text, key.end(), depth)
        found.append((int(name) if name.isdecimal() and name.isascii() else name, value))
        after = _past(text, at, ",", must=False)
        at = after if after >= 0 else _past(text, at, "}") - 1
    return found, end


# --- tables in product code

_OBJECT = re.compile(r"(?:\b(?:const|let|var)\s+([\w$]+)[^=\n;]{0,120}=\s*|\breturn\s*\(?\s*|=>\s*\(?\s*|[=(]\s*)\{")
_MAP = re.compile(r"(?:\b(?:const|let|var)\s+([\w$]+)[^=\n;]{0,120}=\s*)?\bnew\s+Map(?:<[^>\n]{0,80}>)?\s*\(\s*(?=\[)")
_FUNCTION = re.compile(
    r"\bfunction\s*\*?\s+([\w$]+)|\b(?:const|let|var)\s+([\w$]+)[^=\n;]{0,120}=\s*(?:async\s*)?(?:\(|[\w$]+\s*=>)"
)
_BRANCH = re.compile(
    r"(?:\bcase\s+(?P<case>[^:\n]{1,200}):|\bif\s*\((?P<if>[^{}\n]{1,300}?)\)"
    r"|(?P<ask>[\w$.\[\]]{1,60}\s*===?\s*[^?\n]{1,200}?)\s\?)"
    r"\s*\{?\s*(?:return\b|(?=[-'\"\d\[{tfnu]))"
)
_LAST = re.compile(r"\breturn\b|\s:(?=\s)")
_EQUAL = re.compile(r"===?\s*")


def script_tables(text: str) -> Iterator[tuple[str, int, list[tuple[object, object]]]]:
    text = read_script(text).text
    for match in _OBJECT.finditer(text):
        try:
            entries, _ = _pairs(text, match.end(), 0)
        except _Unknown:
            continue
        yield match[1] or "a table", text.count("\n", 0, match.start()) + 1, entries
    for match in _MAP.finditer(text):
        try:
            rows, _ = literal(text, match.end())
        except _Unknown:
            continue
        entries = [(_listed(row)[0], _listed(row)[1]) for row in _listed(rows) if len(_listed(row)) == 2]
        yield match[1] or "a table", text.count("\n", 0, match.start()) + 1, entries
    starts = [(each.start(), each[1] or each[2]) for each in _FUNCTION.finditer(text)] or [(0, "the module")]
    for number, (start, name) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(text)
        yield name, text.count("\n", 0, start) + 1, [*_chain(text[start:end])]


def _chain(text: str) -> Iterator[tuple[object, object]]:
    for match in _BRANCH.finditer(text):
        try:
            value, _ = literal(text, match.end())
            if match["case"]:
                yield literal(match["case"], 0)[0], value
                continue
            condition = match["if"] or match["ask"]
            if "||" in condition:
                continue
            keys = [literal(condition, each.end())[0] for each in _EQUAL.finditer(condition)]
            if keys:
                yield keys[0] if len(keys) == 1 else tuple(keys), value
        except _Unknown:
            continue
    branches = {match.end() for match in _BRANCH.finditer(text)}
    rest = [match.end() for match in _LAST.finditer(text) if match.end() not in branches]
    try:
        if rest:
            yield OTHERWISE, literal(text, rest[-1])[0]
    except _Unknown:
        return
