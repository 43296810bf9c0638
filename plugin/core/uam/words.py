"""Which pipeline a prompt asks for, and what to call it (C-09, C-83, X-39, X-62)."""

from __future__ import annotations

import re

FULL, SMALL, BUGFIX = "full", "small", "bugfix"
ESTIMATES = {FULL: 167_000, SMALL: 70_000, BUGFIX: 30_000}
"""Tokens."""
_WORD = re.compile(r"(?<![A-Za-z0-9_])uam(?![A-Za-z0-9_])(?:[ \t]+(bugfix|small|quick|light)(?![A-Za-z0-9_]))?", re.I)
_PARTICLE = re.compile(r"^(?:으로|로|을|를|은|는|이|가|에|의)(?=\s|$)")
_NO_WORD = re.compile(r"[^0-9a-z가-힣]+")
_LONGEST_NAME = 40
UNNAMED = "work"
_NOT_A_PERSON = ("/", "<task-notification")


def by_a_person(prompt: str) -> bool:
    """Not a command, and no notice of the program itself."""
    return not prompt.lstrip().startswith(_NOT_A_PERSON)


def pipeline(prompt: str) -> str | None:
    """None: the prompt does not ask for UAM."""
    if not by_a_person(prompt):
        return None
    found = _WORD.search(prompt)
    if found is None:
        return None
    route = (found[1] or "").lower()
    return BUGFIX if route == "bugfix" else SMALL if route else FULL


def feature(prompt: str) -> str:
    """A short name of what is asked for, without the words that called UAM."""
    found = _WORD.search(prompt)
    rest = prompt if found is None else f"{prompt[: found.start()]} {_PARTICLE.sub('', prompt[found.end() :])}"
    name = _NO_WORD.sub("-", rest.lower()).strip("-")
    if len(name) > _LONGEST_NAME:
        name = name[:_LONGEST_NAME].rpartition("-")[0] or name[:_LONGEST_NAME]
    return name or UNNAMED


def pipeline_id(prompt: str, day: str) -> str:
    """`day` is YYYYMMDD."""
    return f"uam-{day}-{feature(prompt)}"
