"""What agents print, as frozen events: the same for every agent program, each of which has its own way to say them.

Nothing that an agent prints is fatal: a line that is no known event is kept as `Raw`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from andon.domain.order import Order, Question, Usage

MAX_LINE = 4 * 1024 * 1024
KEPT_OF_RAW = 2000


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
class Began:
    """The agent's own session, by which it can be continued."""

    session: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The model was asked once more."""


@dataclass(frozen=True, slots=True)
class Delegated:
    """The agent wants another agent to be started. Nothing starts one for it."""

    role: str


@dataclass(frozen=True, slots=True)
class Used:
    usage: Usage
    total: bool = False
    """Of the whole order, instead of what was told before."""


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
class Exceeded:
    """The agent stopped itself at a limit that it was given."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The agent says that it failed, whatever its exit code says."""

    reason: str


@dataclass(frozen=True, slots=True)
class Replied:
    text: str


@dataclass(frozen=True, slots=True)
class Raw:
    line: str
    note: str = ""
    """Why less than the whole line is kept."""


Event = (
    Began | Turn | Text | Tool | Delegated | Used | Asked | RateLimited | Refused | Unauthenticated | Exceeded | Failed
    | Replied | Raw
)  # fmt: skip


@runtime_checkable
class Tells(Protocol):
    """A runtime of whose orders a recording shows what the agent said and did."""

    def told(self, order: Order, folder: Path) -> Iterable[Event]:
        """The events in what an agent left in `folder`/stdout."""
        ...


Reader = Callable[[bytes], Iterable[Event]]
"""The events in one line; made anew for each order, as it may remember earlier lines."""


@runtime_checkable
class Reads(Protocol):
    """A runtime whose agents can be followed while they work."""

    def reader(self, order: Order) -> Reader:
        """For the lines of one order, from the first one."""
        ...


def unread(line: bytes) -> Iterable[Event]:
    """The reader of a runtime that has none: a line is shown as it is."""
    return (raw(line),)


def lines(path: Path, max_line: int = MAX_LINE) -> Iterator[bytes | Raw]:
    """The lines of a file, without holding more than one of them. A missing file has none."""
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
                yield raw(line, f"a line of {size} bytes, cut")
            elif line.strip():
                yield line


def decoded(line: bytes | str) -> dict[str, Any] | Raw:
    """A line as the JSON object that most programs print; or what it is instead."""
    if len(line) > MAX_LINE + 1:
        return raw(line, f"a line of {len(line)} bytes, cut")
    try:
        value: Any = json.loads(line.decode("utf-8", "replace") if isinstance(line, bytes) else line)
    except (ValueError, RecursionError):
        value = None
    return cast(dict[str, Any], value) if isinstance(value, dict) else raw(line)


def told(line: bytes, read: Callable[[dict[str, Any]], Iterator[Event]]) -> Iterator[Event]:
    """The events that a program's reader finds in a line. One that it cannot read is an event as well."""
    value = decoded(line)
    if isinstance(value, Raw):
        yield value
        return
    try:
        yield from read(value)
    except (KeyError, TypeError, ValueError, AttributeError):
        yield raw(line)


def raw(line: bytes | str, note: str = "") -> Raw:
    note = note or ("" if len(line) <= KEPT_OF_RAW else f"a line of {len(line)} bytes, cut")
    text = line[: KEPT_OF_RAW * 4].decode("utf-8", "replace") if isinstance(line, bytes) else line
    return Raw(storable(text[:KEPT_OF_RAW].rstrip("\r\n")), note)


def storable(text: str) -> str:
    """Text that UTF-8 and every database can hold: JSON may smuggle in half characters and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


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
        case Exceeded(reason) | Failed(reason):
            shown = f"failed: {reason}"
        case Raw(line):
            shown = line
        case Used() | Began() | Turn():
            return None
    shown = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+", " ", shown).strip()
    return (shown if len(shown) <= 200 else shown[:199] + "…") or None
