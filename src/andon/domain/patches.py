"""A unified diff as data: hunks and lines with their numbers, pairs for a view side by side, words that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import PurePosixPath

CONTEXT, ADDED, DELETED = " ", "+", "-"
LONG = 400
"""Changed lines of one file from which a diff arrives folded."""
LONGEST_COMPARED = 600
"""Characters of a line in which single words are looked for."""
ALIKE = 0.34
"""The share of words two lines have in common when one is a new form of the other."""

_HEAD = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_GENERATED_NAMES = frozenset(
    (
        *("uv.lock", "poetry.lock", "Pipfile.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock"),
        *("go.sum", "composer.lock", "Gemfile.lock", "bun.lock", "bun.lockb", "npm-shrinkwrap.json", "flake.lock"),
    )
)
_GENERATED_ENDS = (".min.js", ".min.css", ".map", ".snap", ".pb.go", "_pb2.py", ".g.dart")
_GENERATED_MARK = re.compile(r"@generated|\bdo not (?:edit|modify)\b|자동 생성", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    kind: str
    """` `, `+` or `-`."""
    text: str
    old: int = 0
    """Its number before; 0 where it was not there."""
    new: int = 0


@dataclass(frozen=True, slots=True)
class Hunk:
    head: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Patch:
    """What changed in one file."""

    path: str
    hunks: tuple[Hunk, ...] = ()

    @property
    def added(self) -> int:
        return sum(line.kind == ADDED for hunk in self.hunks for line in hunk.lines)

    @property
    def deleted(self) -> int:
        return sum(line.kind == DELETED for hunk in self.hunks for line in hunk.lines)


Pair = tuple[Line | None, Line | None]
Span = tuple[int, int]


def read_patches(diff: str) -> dict[str, Patch]:
    """By path. The diff is one of git's, without renames; a file whose type changed has one patch of two parts."""
    found: dict[str, Patch] = {}
    for section in re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE)[1:]:
        head, _, rest = section.partition("\n")
        path = _path(head.removeprefix("diff --git "))
        before = found.get(path, Patch(path))
        found[path] = Patch(path, (*before.hunks, *_hunks(rest)))
    return found


def _path(names: str) -> str:
    """Both halves name the same file, as `a/…` and `b/…`."""
    half = names[: (len(names) - 1) // 2]
    if not half.startswith('"'):
        return half.removeprefix("a/")
    plain = half.strip('"').encode().decode("unicode_escape").encode("latin-1")
    return plain.decode("utf-8", "replace").removeprefix("a/")


def _hunks(text: str) -> Iterator[Hunk]:
    head, lines, old, new = "", list[Line](), 0, 0
    for row in text.split("\n"):
        if found := _HEAD.match(row):
            if lines:
                yield Hunk(head, tuple(lines))
            head, lines, old, new = row, [], int(found[1]), int(found[2])
        elif head and row[:1] in (CONTEXT, ADDED, DELETED):
            kind, content = row[0], row[1:].removesuffix("\r")
            lines.append(Line(kind, content, 0 if kind == ADDED else old, 0 if kind == DELETED else new))
            old, new = old + (kind != ADDED), new + (kind != DELETED)
    if lines:
        yield Hunk(head, tuple(lines))


def pairs(lines: Sequence[Line]) -> list[Pair]:
    """Old and new side by side: what was deleted stands beside what was put in its place."""
    found: list[Pair] = []
    gone: list[Line] = []
    fresh: list[Line] = []
    for line in (*lines, Line(CONTEXT, "")):
        if line.kind == DELETED and not fresh:
            gone.append(line)
        elif line.kind == ADDED:
            fresh.append(line)
        else:
            found += zip_longest(gone, fresh)
            gone, fresh = [line] if line.kind == DELETED else [], []
            if line.kind == CONTEXT:
                found.append((line, line))
    return found[:-1]


def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """What is in one line and not in the other, as spans of characters. Nothing where the two are not alike."""
    if max(len(old), len(new)) > LONGEST_COMPARED:
        return (), ()
    a, b = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    same = sum(
        not word.isspace() for start, _, size in matcher.get_matching_blocks() for word in a[start : start + size]
    )
    if 2 * same < ALIKE * sum(not word.isspace() for word in (*a, *b)):
        return (), ()
    left, right = list[Span](), list[Span]()
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind != "equal":
            _add(left, a, a1, a2)
            _add(right, b, b1, b2)
    return tuple(left), tuple(right)


def _add(spans: list[Span], words: Sequence[str], first: int, last: int) -> None:
    start = sum(map(len, words[:first]))
    end = start + sum(map(len, words[first:last]))
    if end > start:
        spans.append((start, end))


def generated(path: str, text: str) -> bool:
    """Whether a program wrote it: by its name, or by what stands in its first lines."""
    if PurePosixPath(path).name in _GENERATED_NAMES or path.endswith(_GENERATED_ENDS):
        return True
    return _GENERATED_MARK.search("\n".join(text.split("\n", 5)[:5])) is not None
