"""Which pipeline a prompt asks for (C-09, C-83, X-39)."""

from __future__ import annotations

import re

FULL, SMALL, BUGFIX = "full", "small", "bugfix"
ESTIMATES = {FULL: 167_000, SMALL: 70_000, BUGFIX: 30_000}
"""Tokens."""
_WORD = re.compile(r"(?<![A-Za-z0-9_])uam(?![A-Za-z0-9_])(?:[ \t]+(bugfix|small|quick|light)(?![A-Za-z0-9_]))?", re.I)
_NOT_A_PERSON = ("/", "<task-notification")


def pipeline(prompt: str) -> str | None:
    """None: the prompt does not ask for UAM. Commands and notices of the program itself never do."""
    if prompt.lstrip().startswith(_NOT_A_PERSON):
        return None
    found = _WORD.search(prompt)
    if found is None:
        return None
    route = (found[1] or "").lower()
    return BUGFIX if route == "bugfix" else SMALL if route else FULL
