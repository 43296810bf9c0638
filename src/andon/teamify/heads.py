"""The head of a Markdown file: the YAML between two lines of dashes, read without reading the rest.

Most heads are plain lines `key: value`; those are read without a YAML parser, which takes most of a scan's time.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import yaml

LARGEST_HEAD = 64 * 1024
FIRST_WORDS = 2000
MARK = "---"
_LINE = re.compile(r"^([A-Za-z_][\w-]*):[ \t]*(.*?)[ \t]*$")
_ODD = re.compile(r"""^[\[\]{}&*!|>%@`"'#?,-]|: |:$| #""")
_LIST = re.compile(r"""^\[([^\[\]{}"'#:&*!|>]*)\]$""")


@dataclass(frozen=True, slots=True)
class Head:
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    problem: str = ""
    first: str = ""
    """The first words under it, where a whole file was looked at."""

    def text(self, *keys: str) -> str:
        """The first of these that is given, as text."""
        found = next((self.values[key] for key in keys if self.values.get(key) not in (None, "")), "")
        return found if isinstance(found, str) else str(found)

    @property
    def described(self) -> str:
        """What it says of itself; where it says nothing, its first words, as those who run it show it too."""
        return self.text("description") or self.first

    @property
    def tools(self) -> tuple[str, ...]:
        """That it may use, by any of the names that are in use for them."""
        return self.words("allowedTools", "allowed-tools", "tools")

    def words(self, *keys: str) -> tuple[str, ...]:
        """A list, or a text with commas; a comma inside of brackets does not count."""
        found: Any = next((self.values[key] for key in keys if self.values.get(key)), ())
        if isinstance(found, str):
            parts = re.split(r",(?![^()]*\))", found)
        else:
            parts = [str(each) for each in cast("list[object]", found)] if isinstance(found, list) else []
        return tuple(word for part in parts if (word := part.strip()))


def head_of_file(path: str) -> Head:
    """Of a file that may be anything: large, binary, a pipe, not ours to read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return Head(problem=error.strerror or str(error))
    try:
        raw = os.read(descriptor, LARGEST_HEAD)
    except OSError as error:
        return Head(problem=error.strerror or str(error))
    finally:
        os.close(descriptor)
    raw = _in_utf8(raw)
    if not raw.startswith((b"---", b"\xef\xbb\xbf---")):
        return Head(problem="it is no text") if b"\0" in raw[:1024] else Head(first=_first_words(raw))
    ended = raw.find(b"\n---", 3)
    if ended < 0:
        return Head(problem="its head has no end" if len(raw) < LARGEST_HEAD else "its head is longer than 64 KiB")
    try:
        head = read_head(raw[:ended].decode("utf-8-sig").partition("\n")[2])
        return replace(head, first=_first_words(raw[ended + 4 :]))
    except UnicodeDecodeError:
        return Head(problem="it is no text in UTF-8")


def _in_utf8(raw: bytes) -> bytes:
    """What says that it is UTF-16 is read as that."""
    if not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw
    return raw[: len(raw) & ~1].decode("utf-16", "replace").replace("\r\n", "\n").encode()


def _first_words(raw: bytes) -> str:
    """Of the first line that says something: a heading, or the beginning of a paragraph."""
    for line in raw[:FIRST_WORDS].decode("utf-8", "replace").splitlines():
        if words := line.lstrip("\ufeff#>*- \t").rstrip("*# \t"):
            return words
    return ""


def split(text: str) -> tuple[Head, str]:
    """The head and the rest of a text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.startswith(f"{MARK}\n"):
        return Head(), text
    head, mark, rest = text[len(MARK) + 1 :].partition(f"\n{MARK}")
    if not mark:
        return Head(problem="its head has no end"), text
    return read_head(head), rest.partition("\n")[2]


def read_head(text: str) -> Head:
    plain = _plainly(text)
    if plain is not None:
        return Head(plain)
    try:
        loaded: object = yaml.load(text, Loader=LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Head(_line_by_line(text), f"its head is no YAML: {in_a_line(error)}")
    if loaded is None:
        return Head()
    if not isinstance(loaded, dict):
        return Head(problem="its head is not a table")
    return Head({str(key): value for key, value in cast("dict[object, Any]", loaded).items()})


def _plainly(text: str) -> dict[str, Any] | None:
    """Where every line is `key: plain text` or `key: [a, b]`. None: it takes more than that."""
    found = dict[str, Any]()
    for line in text.splitlines():
        if not line.strip():
            continue
        match = _LINE.match(line)
        if match is None:
            return None
        key, value = match[1], match[2]
        if (listed := _LIST.match(value)) is not None:
            found[key] = [word for part in listed[1].split(",") if (word := part.strip())]
        elif not value or _ODD.search(value) or key in found:
            return None
        else:
            found[key] = value
    return found


def _line_by_line(text: str) -> dict[str, Any]:
    """What can be told of a head that is no YAML. Most often a colon stands in a description, which others take as it
    is written: a file that works for them should not be a name without a word here."""
    found = dict[str, Any]()
    for line in text.splitlines():
        if (
            (match := _LINE.match(line)) is not None
            and match[2]
            and match[1] not in found
            and match[2][0] not in "[{&*!|>"
        ):
            found[match[1]] = match[2].strip("\"'")
    return found


LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The safe one, in C where there is one."""


def in_a_line(error: Exception, most: int = 160) -> str:
    """What YAML says against a text, without the name that it has for one."""
    return re.sub(r'\s+in "<[a-z ]+>",', ",", " ".join(str(error).split()))[:most]
