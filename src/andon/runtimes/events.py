"""What a scripted agent prints, line by line, as frozen events.

Nothing that an agent prints is fatal: a line that is no known event is kept as `Raw`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from andon.domain.order import Question, Usage

MAX_LINE = 4 * 1024 * 1024
KEPT_OF_RAW = 2000
MAX_NUMBER = 10**15


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    tool: str
    target: str
    ok: bool
    error: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class Delegated:
    """The agent wants another agent to be started. Nothing starts one for it."""

    role: str


@dataclass(frozen=True, slots=True)
class Used:
    usage: Usage


@dataclass(frozen=True, slots=True)
class Asked:
    question: Question
    session: str | None


@dataclass(frozen=True, slots=True)
class RateLimited:
    resets_at: float | None


@dataclass(frozen=True, slots=True)
class Refused:
    reason: str


@dataclass(frozen=True, slots=True)
class Unauthenticated:
    reason: str


@dataclass(frozen=True, slots=True)
class Replied:
    text: str


@dataclass(frozen=True, slots=True)
class Raw:
    line: str
    note: str = ""
    """Why less than the whole line is kept."""


Event = Text | Tool | Delegated | Used | Asked | RateLimited | Refused | Unauthenticated | Replied | Raw


def read(path: Path, max_line: int = MAX_LINE) -> Iterator[Event]:
    """The events in a file, without holding more than one line of it. A missing file has none."""
    try:
        file = path.open("rb")
    except OSError:
        return
    with file:
        while line := file.readline(max_line + 1):
            size = len(line)
            while not line.endswith(b"\n") and (rest := file.readline(max_line)):
                size += len(rest)
                line = line if not rest.endswith(b"\n") else line + b"\n"
            if size > max_line + 1:
                yield _raw(line, f"a line of {size} bytes, cut")
            elif line.strip():
                yield parse(line)


def parse(line: bytes | str) -> Event:
    """One line as an event."""
    if len(line) > MAX_LINE + 1:
        return _raw(line, f"a line of {len(line)} bytes, cut")
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
    try:
        value: Any = json.loads(text)
        return _KINDS[value["type"]](_Fields(cast(dict[str, Any], value)))
    except (ValueError, KeyError, TypeError, RecursionError):
        return _raw(line, "" if len(line) <= KEPT_OF_RAW else f"a line of {len(line)} bytes, cut")


def _raw(line: bytes | str, note: str) -> Raw:
    text = line[: KEPT_OF_RAW * 4].decode("utf-8", "replace") if isinstance(line, bytes) else line
    return Raw(_storable(text[:KEPT_OF_RAW].rstrip("\r\n")), note)


def _storable(text: str) -> str:
    """Text that UTF-8 and every database can hold: JSON may smuggle in half characters and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


class _Fields:
    """Typed access to an event's fields; a wrong type is a TypeError, which makes the line `Raw`."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def text(self, key: str, default: str | None = None) -> str:
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise TypeError(key)
        return _storable(value)

    def text_or_none(self, key: str) -> str | None:
        return None if self._values.get(key) is None else self.text(key)

    def texts(self, key: str) -> tuple[str, ...]:
        values = self._values.get(key, ())
        if not isinstance(values, list | tuple) or not all(isinstance(each, str) for each in cast(list[Any], values)):
            raise TypeError(key)
        return tuple(_storable(each) for each in cast(list[str], values))

    def number(self, key: str) -> float:
        value = self._values.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(key)
        if not 0 <= value <= MAX_NUMBER:  # NaN included: it compares with nothing.
            raise ValueError(key)
        return value

    def number_or_none(self, key: str) -> float | None:
        return None if self._values.get(key) is None else float(self.number(key))

    def flag(self, key: str) -> bool:
        if not isinstance(value := self._values.get(key), bool):
            raise TypeError(key)
        return value


def _used(of: _Fields) -> Used:
    counts = [int(of.number(key)) for key in ("input_tokens", "output_tokens", "cached_tokens")]
    return Used(Usage(counts[0], counts[1], counts[2], float(of.number("money"))))


def _asked(of: _Fields) -> Asked:
    question = Question(
        of.text("question"),
        of.texts("options"),
        of.text_or_none("default"),
        of.number_or_none("timeout"),
        of.text("category", "question"),
    )
    return Asked(question, of.text_or_none("session"))


_KINDS: dict[object, Callable[[_Fields], Event]] = {
    "text": lambda of: Text(of.text("text")),
    "tool": lambda of: Tool(
        of.text("tool"), of.text("target", ""), of.flag("ok"), of.text("error", ""), of.text("output", "")
    ),
    "spawn": lambda of: Delegated(of.text("role", "")),
    "usage": _used,
    "ask": _asked,
    "rate_limit": lambda of: RateLimited(of.number_or_none("resets_at")),
    "refused": lambda of: Refused(of.text("reason", "")),
    "unauthenticated": lambda of: Unauthenticated(of.text("reason", "")),
    "reply": lambda of: Replied(of.text("text")),
}


def in_one_line(event: Event) -> str | None:
    """An event for people, without anything a terminal would obey. None when there is nothing to show."""
    match event:
        case Text(text) | Replied(text):
            shown = text
        case Tool(tool, target, ok, error):
            shown = f"{tool} {target}".rstrip() + ("" if ok else f": failed: {error}")
        case Delegated(role):
            shown = f"asks for another agent: {role}".rstrip(": ")
        case Asked(question):
            shown = f"asks: {question.text}"
        case RateLimited():
            shown = "is rate-limited"
        case Refused(reason):
            shown = f"refused: {reason}"
        case Unauthenticated(reason):
            shown = f"is not signed in: {reason}"
        case Raw(line):
            shown = line
        case Used():
            return None
    shown = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+", " ", shown).strip()
    return (shown if len(shown) <= 200 else shown[:199] + "…") or None
