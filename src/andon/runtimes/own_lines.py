"""What agents print that are programs of our own, as events: one JSON object a line, with its kind under `type`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from andon.domain.order import Question, Usage
from andon.runtimes.events import (
    MAX_LINE,
    Asked,
    Began,
    Delegated,
    Event,
    Exceeded,
    Failed,
    RateLimited,
    Raw,
    Refused,
    Replied,
    Text,
    Tool,
    Turn,
    Unauthenticated,
    Used,
    decoded,
    lines,
    raw,
    storable,
)

MAX_NUMBER = 10**15


def read(path: Path, max_line: int = MAX_LINE) -> Iterator[Event]:
    """The events in a file that such an agent printed."""
    return (line if isinstance(line, Raw) else parse(line) for line in lines(path, max_line))


def read_line(line: bytes) -> Iterator[Event]:
    """For those who read while the agent works."""
    yield parse(line)


def parse(line: bytes | str) -> Event:
    """One line as an event."""
    value = decoded(line)
    if isinstance(value, Raw):
        return value
    try:
        return _KINDS[value["type"]](_Fields(value))
    except (ValueError, KeyError, TypeError):
        return raw(line)


def line_of(event: Event) -> dict[str, Any] | None:
    """The other way round, for what an agent says and does: the line that is read as this event. None for the rest."""
    match event:
        case Text(text):
            return {"type": "text", "text": text}
        case Tool(tool, target, ok, error, output):
            told = {"target": target, "error": error, "output": output}
            return {"type": "tool", "tool": tool, "ok": ok, **{key: value for key, value in told.items() if value}}
        case Delegated(role):
            return {"type": "spawn", "role": role}
        case _:
            return None


class _Fields:
    """Typed access to an event's fields; a wrong type is a TypeError, which makes the line `Raw`."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def text(self, key: str, default: str | None = None) -> str:
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise TypeError(key)
        return storable(value)

    def text_or_none(self, key: str) -> str | None:
        return None if self._values.get(key) is None else self.text(key)

    def texts(self, key: str) -> tuple[str, ...]:
        values = self._values.get(key, ())
        if not isinstance(values, list | tuple) or not all(isinstance(each, str) for each in cast(list[Any], values)):
            raise TypeError(key)
        return tuple(storable(each) for each in cast(list[str], values))

    def number(self, key: str) -> float:
        value = self._values.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(key)
        if not 0 <= value <= MAX_NUMBER:  # NaN included: it compares with nothing.
            raise ValueError(key)
        return value

    def number_or_none(self, key: str) -> float | None:
        return None if self._values.get(key) is None else float(self.number(key))

    def flag(self, key: str, default: bool | None = None) -> bool:
        if not isinstance(value := self._values.get(key, default), bool):
            raise TypeError(key)
        return value


def _used(of: _Fields) -> Used:
    given, made, cached, unpriced = (
        int(of.number(key)) for key in ("input_tokens", "output_tokens", "cached_tokens", "unpriced")
    )
    money, estimated = float(of.number("money")), float(of.number("estimated"))
    return Used(Usage(given, made, cached, money, estimated, unpriced), of.flag("total", False))


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
    "began": lambda of: Began(of.text("session")),
    "turn": lambda of: Turn(),
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
    "exceeded": lambda of: Exceeded(of.text("reason", "")),
    "failed": lambda of: Failed(of.text("reason", "")),
    "reply": lambda of: Replied(of.text("text")),
}
