"""Modules that a change moves: tests that follow them to their new name are the same tests.

Rewrites both versions of a test to the new names, so that what follows a move compares equal. Nothing else is touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

_ENDING = re.compile(r"\.(?:py|[cm]?[jt]sx?|go|rs|java|kt)$")
_FROM = r"[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]+"
_INDEX = ("__init__", "index", "mod")

_DEFINED = re.compile(
    r"\b(?:def|class|function|func|fn|const|let|var|interface|type|struct|enum|trait|record)\s+(?:\([^()\n]{0,80}\)\s*)?(\w+)"
)
_WORD = re.compile(r"[^\W\d]\w*")
_STRING = re.compile(r"""(['"`])(?:(?!\1)[^\n])*\1""")


@dataclass(frozen=True)
class Renames:
    """Names that the product no longer defines, and names it did not define before."""

    gone: frozenset[str]
    fresh: frozenset[str]

    def masked(self, text: str) -> str:
        """With all of them alike, outside of strings: a check of what has a new name is the same check."""
        both = self.gone | self.fresh if self.gone and self.fresh else frozenset[str]()
        if not both:
            return text
        parts: list[str] = []
        place = 0
        for match in _STRING.finditer(text):
            parts += [_masked(text[place : match.start()], both), match.group()]
            place = match.end()
        return "".join((*parts, _masked(text[place:], both)))


def _masked(text: str, names: frozenset[str]) -> str:
    return _WORD.sub(lambda match: "_named" if match.group() in names else match.group(), text)


def renamed_names(texts: Iterable[tuple[str, str]]) -> Renames:
    """Of the product's changed files, before and after."""
    before, after = set[str](), set[str]()
    for old, new in texts:
        before |= {*_DEFINED.findall(old)}
        after |= {*_DEFINED.findall(new)}
    return Renames(frozenset(before - after), frozenset(after - before))


def names_in(text: str) -> frozenset[str]:
    return frozenset(each for each in _WORD.findall(_STRING.sub("", text)) if not each.startswith("_"))


def follower(renamed: Mapping[str, str]) -> Callable[[str], str]:
    """A function that writes the old names of moved modules as the new ones."""
    rules = [rule for old, new in renamed.items() for rule in _rules(old, new)]

    def follow(text: str) -> str:
        for pattern, to in rules:
            text = pattern.sub(lambda match, to=to: (match[1] if match.re.groups else "") + to, text)
        return text

    return follow


def _rules(old: str, new: str) -> list[tuple[re.Pattern[str], str]]:
    first, second = _parts(old), _parts(new)
    if not first or not second or first == second or not _ENDING.search(old):
        return []
    found: list[tuple[re.Pattern[str], str]] = []
    for length in range(len(first), 1, -1):
        # As long as the ends that differ: `pkg.old` → `pkg.new` holds with any folder above.
        above = len(first) - length
        if first[:above] != second[:above]:
            continue
        for mark in (".", "/", "::"):
            dotted, to = mark.join(first[above:]), mark.join(second[above:])
            found.append((re.compile(rf"(?<![\w.]){re.escape(dotted)}(?!\w)"), to))
    if first[-1] != second[-1]:
        name, to = re.escape(first[-1]), second[-1]
        found += [
            (re.compile(rf"(?<![\w.]){name}(?=\.[A-Za-z_])"), to),
            (re.compile(rf"(?<=\bfrom ){name}(?= import\b)"), to),
            (re.compile(rf"(?<=\bimport ){name}\b"), to),
            (re.compile(rf"(?<=\bas ){name}\b"), to),
            (re.compile(rf"^({_FROM}(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?,[ \t]*)+){name}\b", re.MULTILINE), to),
            (re.compile(rf"^({_FROM}\((?:[\w\s.,]*?[\s,])?){name}\b", re.MULTILINE), to),
            (re.compile(rf"(?<=[/'\"]){name}(?=(?:\.[cm]?[jt]sx?)?['\"])"), to),
        ]
    return found


def _parts(path: str) -> list[str]:
    parts = [*PurePosixPath(_ENDING.sub("", path)).parts]
    if parts and parts[-1] in _INDEX:
        parts.pop()
    while len(parts) > 1 and parts[0] in ("src", "lib", "python", "app", "packages") and parts[0]:
        parts.pop(0)
    return parts
