"""Finds what a failed program's output says is wrong, among its progress and its surroundings. Decides no verdict.

Reads text that code under test may have printed: every pattern keeps to one line.
"""

from __future__ import annotations

import re

from andon.checks.plain_text import plain_lines

SHOWN = 300
"""Characters of a line."""
_ERROR_NAME = r"(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)\b"
MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '(?P<name>\w+)")
_TELLING = (
    re.compile(rf"E\s+(?P<error>{_ERROR_NAME}.*)"),  # of a traceback as pytest prints it
    re.compile(r"(?:\S+: )?(?P<error>error: .*)"),
    re.compile(r"(?P<error>ERROR: (?!usage:|found no collectors).*)"),
    re.compile(rf"(?:INTERNALERROR> )?(?P<error>{_ERROR_NAME}: .*)"),
    re.compile(r"(?P<error>(?:[Ee]rror|npm (?:error|ERR!))[: ].*)"),
    re.compile(r"E\s+(?P<error>\S.*)"),
)
"""The first of these that some line matches is believed, and of those lines the first."""
_NO_ERROR = re.compile(r"npm (?:error|ERR!) (?:A complete log|code \d)|.*\bwarnings? summary\b", re.IGNORECASE)
_PROGRESS = re.compile(
    r"npm notice|Using (?:CPython|Python)|(?:Resolved|Prepared|Installed) \d"
    r"|(?:Downloading|Downloaded|Updating|Built|Building|Creating) "
)
_BEGINS = re.compile(r"\s*(?:×|error\b|Error\b|ERROR\b|npm (?:error|ERR!))")
_FRAME = " ×╰─▶│├·"


def error_line(output: str) -> str:
    """Return the line that names the error, or "" where none is recognised."""
    lines = [line.strip() for line in plain_lines(output)]
    lines = [line for line in lines if line and not _NO_ERROR.match(line)]
    for pattern in _TELLING:
        for line in lines:
            if match := pattern.match(line):
                return match["error"][:SHOWN]
    return ""


def last_line(output: str) -> str:
    return next((line.strip()[:SHOWN] for line in reversed(plain_lines(output)) if line.strip()), "")


def error_text(output: str) -> str:
    """Return everything from the line where an error begins, on one line: a resolver explains itself in many."""
    lines = plain_lines(output)
    begin = next((number for number, line in enumerate(lines) if _BEGINS.match(line)), 0)
    told = (line.strip(_FRAME) for line in lines[begin:])
    return " ".join(line for line in told if line and not (_PROGRESS.match(line) or _NO_ERROR.match(line)))
