"""Names of files that andon itself mints: made safe for every platform, judged, suggested, counted.

Pure rules. Names of files that already lie in a repository are never changed by these; they are only checked
for containment (workspace/files.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from andon.domain.errors import UserError

LONGEST = 255
"""Bytes of UTF-8 that every common file system takes for one name."""
LONGEST_EXTENSION = 32
"""What follows the last dot is kept when cutting only up to this many bytes; beyond it is no extension."""

INVISIBLE = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e007f]"
)
"""Bidirectional controls, zero-width characters, fillers and tags: they change how a name looks, never what it says."""

_INVALID = re.compile('[<>:"/\\\\|?*\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')
_SPECIAL = re.compile(r"[^\w\-.]")
_RESERVED = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{port}{digit}" for port in ("COM", "LPT") for digit in "123456789¹²³"]
)
_BASE_36 = "0123456789abcdefghijklmnopqrstuvwxyz"
TOKENS = 36**6


class FilenameError(UserError):
    """A name that cannot be used, whatever is done to it."""


@dataclass(frozen=True, slots=True)
class Validation:
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        return not self.errors


def sanitise(name: str, *, replace_spaces: bool = True, replacement: str = "_") -> str:
    """The nearest name that is valid everywhere, or FilenameError when nothing is left of it (D-80)."""
    if _INVALID.search(replacement) or "." in replacement or replacement != replacement.strip():
        raise ValueError(f"{replacement!r} cannot stand in for an invalid character")
    if not name.strip():
        raise FilenameError("Filename cannot be empty")
    safe = unicodedata.normalize("NFC", INVISIBLE.sub("", name))
    if replace_spaces:
        safe = re.sub(r"\s+", "_", safe)
    safe = _INVALID.sub(replacement, safe)
    safe = re.sub(r"\.{2,}", ".", safe)
    # One leading dot survives: `.gitignore` is a wanted name.
    safe = _without_tail(safe.lstrip())
    if is_reserved(safe):
        safe = f"_{safe}"
    safe = _shortened(safe)
    if not safe:
        raise FilenameError("Sanitized filename is empty")
    # Cutting may lay a reserved name bare, which leaves more than enough room for the prefix.
    return f"_{safe}" if is_reserved(safe) else safe


def validate(name: str) -> Validation:
    """What is wrong with a name, and what is merely unwise about it (D-86)."""
    if not name.strip():
        return Validation(errors=("Filename is empty",))
    errors: list[str] = []
    size = len(_encoded(name))
    if size > LONGEST:
        errors.append(f"Filename too long: {size} bytes (max: {LONGEST})")
    if _INVALID.search(name):
        errors.append('Filename contains invalid characters: < > : " / \\ | ? * or control characters')
    if "/" in name or "\\" in name:
        errors.append("Filename contains path separators")
    if ".." in name:
        errors.append("Filename contains path traversal sequence (..)")
    return Validation(tuple(errors), _warnings(name))


def _warnings(name: str) -> tuple[str, ...]:
    found = (
        (is_reserved(name), f"Filename matches OS reserved name: {_stem(name)}"),
        (re.search(r"\s", name), "Filename contains spaces (not recommended)"),
        (_SPECIAL.search(name), "Filename contains special characters"),
        (INVISIBLE.search(name), "Filename contains invisible characters"),
        (name.startswith("."), "Filename starts with dot (hidden file on Unix)"),
    )
    return tuple(text for present, text in found if present)


def is_reserved(name: str) -> bool:
    """Whether Windows takes the name for a device. It looks at what precedes the *first* dot."""
    return _stem(name).upper() in _RESERVED


def _stem(name: str) -> str:
    return name.split(".", 1)[0].rstrip()


def _without_tail(name: str) -> str:
    return re.sub(r"[\s.]+$", "", name)


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _shortened(name: str) -> str:
    """Cut the stem, keep the extension (G-20), and leave no dot or space where the two meet."""
    if len(_encoded(name)) <= LONGEST:
        return name
    stem, dot, extension = name.rpartition(".")
    if not stem or len(_encoded(extension)) > LONGEST_EXTENSION:
        return _without_tail(cut(name, LONGEST))
    tail = dot + extension
    return _without_tail(cut(stem, LONGEST - len(_encoded(tail)))) + tail


def cut(text: str, most_bytes: int) -> str:
    """The longest beginning of at most so many bytes that splits neither a character nor, if possible, a cluster."""
    size = end = 0
    while end < len(text) and size + len(_encoded(text[end])) <= most_bytes:
        size += len(_encoded(text[end]))
        end += 1
    boundary = end
    while 0 < boundary < len(text) and continues_cluster(text, boundary):
        boundary -= 1
    return text[: boundary or end]


def continues_cluster(text: str, at: int) -> bool:
    """Whether the character at `at` belongs to what a reader sees as the character before it."""
    here, before = text[at], text[at - 1]
    if unicodedata.category(here).startswith("M") or "\U0001f3fb" <= here <= "\U0001f3ff":
        return True
    if "\u1160" <= here <= "\u11ff":  # Hangul vowels and finals that no syllable block exists for
        return "\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"
    if _is_flag_half(here) and _is_flag_half(before):
        start = at
        while start and _is_flag_half(text[start - 1]):
            start -= 1
        return (at - start) % 2 == 1
    return False


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


class SafeNames:
    """Generates names that never repeat within one process and hardly between processes (D-87).

    Clock and chance come from outside: `SafeNames(time.time, secrets.randbelow(TOKENS))`.
    """

    def __init__(self, clock: Callable[[], float], start: int) -> None:
        self._clock = clock
        self._token = start % TOKENS
        # An odd step that shares no factor with 36^6 visits every token once before any repeats.
        self._step = 1_234_567_891

    def next(self, prefix: str = "file", extension: str = "txt") -> str:
        self._token = (self._token + self._step) % TOKENS
        # Generated names are stricter than ordinary ones: `!` may stay in a name, not in a prefix.
        head = re.sub(r"[^A-Za-z0-9_-]", "_", sanitise(prefix))
        ending = sanitise(extension).lstrip(".") or "txt"
        tail = f"_{int(self._clock() * 1000)}_{_base_36(self._token)}.{ending}"
        return cut(head, LONGEST - len(_encoded(tail))) + tail


def _base_36(number: int) -> str:
    digits = ""
    for _ in range(6):
        number, digit = divmod(number, 36)
        digits = _BASE_36[digit] + digits
    return digits


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What an agent is told about a name it chose (D-91)."""

    original: str
    suggested: str
    kind: str = "filename_invalid"

    @property
    def message(self) -> str:
        return f'Invalid filename "{self.original}" auto-corrected to "{self.suggested}"'


def suggest(name: str) -> Suggestion:
    return Suggestion(name, sanitise(name))


class Policy(StrEnum):
    """What happens to an invalid name (D-93, X-57)."""

    PRODUCTION = "production"
    """Refused; the agent is told the suggested name."""
    DEVELOPMENT = "development"
    """Written under the suggested name, with a warning."""


class Metric(StrEnum):
    SANITISED = "filename.sanitized"
    INVALID = "filename.validation.failed"
    RESERVED = "filename.reserved_name_detected"


@dataclass(frozen=True, slots=True)
class NameEvent:
    """One counter tick and its log entry."""

    metric: Metric
    level: str
    message: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Naming:
    """The decision about one wished-for name."""

    original: str
    safe: str
    """Empty when nothing usable is left of the name."""
    blocked: bool
    validation: Validation
    event: NameEvent | None = None
    """A name is counted once, under the most serious thing that happened to it."""

    @property
    def suggestion(self) -> Suggestion | None:
        return Suggestion(self.original, self.safe) if self.safe and not self.validation.valid else None


def decide(name: str, policy: Policy = Policy.PRODUCTION) -> Naming:
    """Whether a file of this name may be written, and under which name."""
    validation = validate(name)
    try:
        safe = sanitise(name)
    except FilenameError as problem:
        errors = validation.errors or (problem.message,)
        validation = Validation(errors, validation.warnings)
        safe = ""
    blocked = not safe or (policy is Policy.PRODUCTION and not validation.valid)
    return Naming(name, safe, blocked, validation, _event(name, safe, validation))


def _event(name: str, safe: str, validation: Validation) -> NameEvent | None:
    if not validation.valid:
        data = {"filename": name, "suggested": safe, "errors": validation.errors, "errorCount": len(validation.errors)}
        return NameEvent(Metric.INVALID, "warning", "Filename validation failed", data)
    if is_reserved(name):
        return NameEvent(Metric.RESERVED, "warning", "OS reserved name detected", {"filename": name, "sanitized": safe})
    if safe != name:
        return NameEvent(Metric.SANITISED, "info", "Filename sanitized", {"original": name, "sanitized": safe})
    return None


def counters(namings: Iterable[Naming]) -> dict[str, int]:
    """How often each metric ticked, zeros included (D-92)."""
    ticks = Counter(naming.event.metric for naming in namings if naming.event)
    return {metric.value: ticks[metric] for metric in Metric}
