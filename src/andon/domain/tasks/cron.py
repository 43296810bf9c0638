"""Cron expressions: five fields, or one of the well-known names (D-41)."""

from __future__ import annotations

import re

FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day of month", 1, 31), ("month", 1, 12), ("day of week", 0, 7))
NICKNAMES = frozenset(("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"))
_NAMES = {
    "month": {
        name: number
        for number, name in enumerate(
            ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
        )
    },
    "day of week": {name: number for number, name in enumerate(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])},
}
_PART = re.compile(r"(?P<first>\*|[a-z]{3}|\d{1,2})(?:-(?P<last>[a-z]{3}|\d{1,2}))?(?:/(?P<step>\d{1,3}))?")
_FIELD = r"(?:[\d*?/,A-Za-z-]{1,40})"
_EXPRESSION = re.compile(
    r"(?<![\w*/-])(?:@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)\b"
    rf"|[\d*][\d*,/-]{{0,40}}(?:\s+{_FIELD}){{4,5}})(?![\w*/-])"
)


def cron_problem(expression: str) -> str:
    """What is wrong with a cron expression; "" when it is valid (D-41)."""
    text = expression.strip().casefold()
    if text in NICKNAMES:
        return ""
    fields = text.split()
    if len(fields) != len(FIELDS):
        return f"{len(fields)} fields instead of {len(FIELDS)}"
    for field, (name, least, most) in zip(fields, FIELDS, strict=True):
        for part in field.split(","):
            if problem := _part_problem(part, name, least, most):
                return f"{name}: {problem}"
    return ""


def _part_problem(part: str, name: str, least: int, most: int) -> str:
    match = _PART.fullmatch(part)
    if match is None or (match["first"] == "*" and match["last"]):
        return f"{part!r} cannot be read"
    ends = [_number(match[end], name) for end in ("first", "last") if match[end] and match[end] != "*"]
    if None in ends:
        return f"{part!r} cannot be read"
    numbers = [end for end in ends if end is not None]
    if any(not least <= number <= most for number in numbers):
        return f"{part!r} is not within {least} to {most}"
    if len(numbers) == 2 and numbers[0] > numbers[1]:
        return f"{part!r} goes backwards"
    return f"{part!r} has a step of 0" if match["step"] and int(match["step"]) == 0 else ""


def _number(text: str, name: str) -> int | None:
    return int(text) if text.isdigit() else _NAMES.get(name, {}).get(text)


def cron_expressions(text: str) -> tuple[str, ...]:
    """What looks like a cron expression in a text, valid or not (D-41)."""
    return tuple(_shortened(match.group()) for match in _EXPRESSION.finditer(text))


def _shortened(found: str) -> str:
    """Without a sixth word that is only the sentence going on."""
    fields = found.split()
    return " ".join(fields[:5]) if len(fields) == 6 and re.fullmatch(r"[A-Za-z-]+", fields[5]) else found
