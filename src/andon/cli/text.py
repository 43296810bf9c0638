"""Text on a terminal: how wide it is, cutting and wrapping it, and nothing in it that could command the terminal.

Korean, Chinese and Japanese characters take two columns each. What agents wrote is shown without control characters.
"""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata

PIPED_COLUMNS = 120
"""Where lines for a file or a pipe are cut: long enough to say something, short enough to read."""
NARROWEST = 20
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_WORD = re.compile(r"(\s*)(\S+)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def columns() -> int:
    """How many columns there are to fill: the terminal's, or a fixed number when there is none."""
    if not sys.stdout.isatty():
        return PIPED_COLUMNS
    return max(NARROWEST, shutil.get_terminal_size().columns)


def plain(text: str) -> str:
    """Without escape sequences, control characters and marks that turn the direction of writing."""
    return _CONTROL.sub("�", _SEQUENCE.sub("", text.replace("\r\n", "\n"))).expandtabs(4)


def one_line(text: str) -> str:
    return " ".join(plain(text).split())


def width(text: str) -> int:
    return sum(_columns_of(character) for character in text)


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, most: int) -> str:
    """At most so many columns, an ellipsis in place of what is left out."""
    if width(text) <= most:
        return text
    kept, used = "", 0
    for character in text:
        used += _columns_of(character)
        if used > most - 1:
            break
        kept += character
    return kept.rstrip() + "…"


def pad(text: str, least: int) -> str:
    return text + " " * max(0, least - width(text))


def wrapped(text: str, indent: str = "") -> str:
    """Wrapped for the terminal; in a file or a pipe a sentence stays on one line, where it can be searched for."""
    return wrap(text, columns(), indent) if sys.stdout.isatty() else text


def beside(lead: str, text: str) -> str:
    """The text, wrapped for the terminal, to the right of `lead`, which keeps its spaces."""
    if not sys.stdout.isatty():
        return f"{lead}{text}"
    return lead + f"\n{'':{width(lead)}}".join(wrap(text, max(NARROWEST, columns() - width(lead))).split("\n"))


def wrap(text: str, most: int, indent: str = "") -> str:
    """Lines of at most so many columns, broken between words; `indent` stands before all lines but the first. Several
    spaces between two words stay: they are columns.

    A word longer than a line stays whole: it may be a path that someone copies.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        if width(paragraph) <= most:
            lines.append(paragraph)
            continue
        lead = paragraph[: len(paragraph) - len(paragraph.lstrip(" "))]
        line, empty = lead, True
        for gap, word in _WORD.findall(paragraph):
            if not empty and width(line) + width(gap) + width(word) > most:
                lines.append(line)
                line, empty = indent, True
            line = line + word if empty else f"{line}{gap}{word}"
            empty = False
        lines.append(line)
    return "\n".join(lines)
