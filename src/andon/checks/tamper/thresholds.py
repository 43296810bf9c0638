"""Thresholds of coverage: lowered, removed, or made easier to reach by leaving code out. Raising one harms nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from andon.checks.tamper.settings_values import Values, lines

_THRESHOLD = re.compile(r"fail_?under|\b(?:branches|functions|lines|statements|minimum|min_?coverage)\b", re.IGNORECASE)
_CHECKING = re.compile(r"check-?coverage|failOnViolation|per-?file|\ball\b", re.IGNORECASE)
_LEAVING_OUT = re.compile(
    r"(?:^|\.)(?:omit|exclude\w*|coveragePathIgnorePatterns|partial_branches|ignore_errors|exclude_also)$"
)
_IN_TEXT = re.compile(
    r"(--cov-fail-under|--fail-under|fail_under|['\"]?\b(?:branches|functions|lines|statements)\b['\"]?|--(?:branches|lines|functions|statements))"
    r"[ =:]{1,3}(\d{1,3}(?:\.\d{1,4})?)"
)


def lowered(old: Values, new: Values) -> Iterator[str]:
    for place in sorted({*old, *new}):
        first, second = old.get(place), new.get(place)
        if first == second:
            continue
        if _LEAVING_OUT.search(place):
            fresh = [each for each in lines(second) if each not in lines(first)]
            if fresh and not _false(second):
                yield f"{place}: {fresh[0]} is left out"
        elif _THRESHOLD.search(place):
            if _number(first) is not None and (_number(second) or 0.0) < (_number(first) or 0.0):
                yield f"{place}: {first} → {'not set' if second is None else second}"
        elif _CHECKING.search(place) and first is not None and not _false(first) and (second is None or _false(second)):
            yield f"{place}: {first} → {'not set' if second is None else second}"


def in_text(text: str) -> Values:
    """Thresholds in commands and in configuration that is code, each by its name and how often it was met."""
    found: Values = {}
    for name, value in _IN_TEXT.findall(text):
        plain = str(name).strip("'\"")
        number = sum(place.startswith(f"{plain}#") for place in found)
        found[f"{plain}#{number}"] = float(value)
    return found


def without_numbers(text: str) -> str:
    """The rest of such text: equal when nothing but thresholds differs."""
    return _IN_TEXT.sub(lambda match: str(match.group(1)), text)


def text_lowered(old: str, new: str) -> Iterator[str]:
    first, second = in_text(old), in_text(new)
    for place, value in first.items():
        now = second.get(place)
        if now is None or float(str(now)) < float(str(value)):
            yield f"{place.partition('#')[0]}: {value:g} → {'not set' if now is None else f'{now:g}'}"


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def _false(value: object) -> bool:
    return str(value).strip().lower() in ("false", "0", "no", "off", "", "none")
