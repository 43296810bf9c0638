"""A unified diff, read: which lines of which file it shows, and both versions of a file that it shows whole.

Hunks are counted out, so that no content looks like a header. What the lines mean is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPED = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)
BINARY = "binary"
"""The mark of the one line that stands for a file of which git shows none; its text is git's name of the content."""
_CONTROL = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_SOURCE = re.compile(
    r"\.(?:pyi?|pyx|[cm]?[jt]sx?|vue|svelte|astro|go|rs|java|kts?|scala|groovy|swift|c|h|cc|cpp|cxx|hpp|hh|cs|fs|rb|php|pl"
    r"|lua|r|jl|dart|exs?|erl|hs|clj|sh|bash)$"
)


@dataclass(frozen=True, slots=True)
class Written:
    path: str
    line: int
    text: str
    mark: str
    """`+`, `-`, a space, or BINARY."""

    @property
    def added(self) -> bool:
        return self.mark == "+"


@dataclass(slots=True)
class Versions:
    """A file before and after; None where there is none."""

    before: str | None = None
    after: str | None = None
    opaque: bool = False
    """Not shown as text, not shown to its end, or a link: what it says is not known."""


def is_source(path: str) -> bool:
    return _SOURCE.search(path) is not None


def written(diff: str) -> Iterator[Written]:
    """The lines that the diff shows, with their number in the new version."""
    path, content, number, old_left, new_left = "", "", 0, 0, 0
    for raw in diff.split("\n"):
        if old_left > 0 or new_left > 0:
            mark = raw[:1]
            if mark == "\\":
                continue
            yield Written(path, number, raw[1:], mark)
            old_left -= mark != "+"
            number, new_left = (number, new_left) if mark == "-" else (number + 1, new_left - 1)
        elif raw.startswith("diff --git "):
            path = named(raw)
        elif raw.startswith("+++ ") and raw.rstrip() != "+++ /dev/null":
            path = _unquoted(raw[4:].rstrip("\r").split("\t")[0].strip()).removeprefix("b/")
        elif raw.startswith("index "):
            content = raw.partition("..")[2].partition(" ")[0]
        elif raw.startswith("Binary files ") and not raw.endswith(" and /dev/null differ"):
            yield Written(path, 0, content, BINARY)
        elif hunk := _HUNK.match(raw):
            old_left, number, new_left = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)


def versions(diff: str) -> dict[str, Versions]:
    """Both versions of each file in a diff that shows whole files; of a binary file, what git calls them."""
    found: dict[str, Versions] = {}
    for part in re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE):
        if not part.startswith("diff --git "):
            continue
        head = part.partition("\n@@ ")[0]
        both = found.setdefault(named(head.partition("\n")[0]), Versions())
        before, after = _sides(part, head, both)
        if "\nnew file mode " not in head:
            both.before = before
        if "\ndeleted file mode " not in head:
            both.after = after
    return found


def _sides(part: str, head: str, both: Versions) -> tuple[str, str]:
    lines = [*written(part)]
    sides = [[line.text for line in lines if line.mark in (mark, " ")] for mark in ("-", "+")]
    hunks = [_HUNK.match(each) for each in re.findall(r"^@@ .*", part, re.MULTILINE)]
    counts = [sum(int(hunk[group] or 1) for hunk in hunks if hunk) for group in (1, 3)]
    ids = re.search(r"^index (\w+)\.\.(\w+)", head, re.MULTILINE)
    if ids and re.search(r"^Binary files ", head, re.MULTILINE):
        sides, counts = [[ids[1]], [ids[2]]], [0, 0]
    both.opaque |= counts != [*map(len, sides)] or re.search(r"^[a-z].* 120000$", head, re.MULTILINE) is not None
    before, after = ("\n".join(side) for side in sides)
    return before, after


def named(head: str) -> str:
    """The path in a line `diff --git a/x b/x`. Renames are not shown as such: both halves name the same file."""
    both = head.removeprefix("diff --git ").rstrip("\r")
    return _unquoted(both[: len(both) // 2]).removeprefix("a/")


def _unquoted(name: str) -> str:
    """Git quotes names with letters outside ASCII, quotation marks and control characters, as octal bytes or like C."""
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name
    plain = _ESCAPED.sub(
        lambda each: chr(int(each[1], 8) & 255) if len(each[1]) == 3 else _CONTROL.get(each[1], each[1]), name[1:-1]
    )
    return plain.encode("latin-1", "replace").decode("utf-8", "replace")
