"""Makes what a tool printed comparable: without colours, places on disk, timings, addresses and line numbers.

Reads text that code under test may have printed: every pattern keeps to one line.
"""

from __future__ import annotations

import re

LINE_CHARACTERS = 1000
LINES = 20_000

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_MOVING: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "0x…"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b\d\d:\d\d:\d\d(\.\d+)?\b"), "<time>"),
    (re.compile(r"(?<![\w.])/(?:var/)?tmp/[^\s:'\"`)\],;]+"), "<tmp>"),
    (re.compile(r"(?<![\w.>])(?:/[\w.+@~-]+)+/([\w.+@~-]+)"), r"\1"),
    (re.compile(r"\b\d+(\.\d+)?\s?(ns|µs|us|ms|secs?|seconds?|s|minutes?|m)\b"), "<duration>"),
    (re.compile(r"\b(line|column|col)s? \d+"), r"\1 #"),
    (re.compile(r"(?<=[\w)]):\d+(:\d+)?(?=\D|$)"), ""),
    (re.compile(r"\(\d+ > \d+\)"), "(# > #)"),
    (re.compile(r"\b(pid|PID|port)([ =:]+)\d+"), r"\1\2#"),
)


def plain_lines(output: str, root: str = "", most: int | None = LINES) -> list[str]:
    """Without colours and control characters, and with paths below `root` made relative; the last ones, at most."""
    text = _ANSI.sub("", output)
    if root:
        text = text.replace(root.rstrip("/") + "/", "")
    # Nothing but a line feed ends a line: `splitlines` knows others, which may stand in the code a tool quotes.
    lines = text.removesuffix("\n").split("\n") if text else []
    lines = lines if most is None else lines[-most:]
    return [_CONTROL.sub("", line[:LINE_CHARACTERS]).rstrip() for line in lines]


def normalised(message: str) -> str:
    for pattern, replacement in _MOVING:
        message = pattern.sub(replacement, message)
    return " ".join(message.split())
