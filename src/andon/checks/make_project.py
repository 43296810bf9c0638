"""Reads which targets a Makefile has, from its text: make itself would run what stands there. Runs nothing."""

from __future__ import annotations

import re
from pathlib import Path

from andon.checks.facts import Make
from andon.checks.goal_parts import not_needed, runs
from andon.checks.reading import Unreadable, is_present, read_text
from andon.domain.goal import Goal

# In the order in which make itself looks for them.
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
TARGETS = {"lint": ("lint",), "test": ("test", "check"), "build": ("build", "all"), "typecheck": ("typecheck",)}
_RULE = re.compile(r"(?P<targets>[^\s:#=$][^:#=$]*?)\s*::?(?![:=])(?P<rest>.*)$")
_VARIABLE = re.compile(r"\s*(?:override |export |private )*[\w.-]+\s*(?:[:+?!]|::)?=")


def detect_make(folder: Path) -> tuple[Make | None, tuple[Unreadable, ...]]:
    name = next((name for name in MAKEFILES if is_present(folder, name)), "")
    text = read_text(folder, name) if name else None
    if isinstance(text, Unreadable):
        return Make(), (text,)
    return (Make(_targets(text)), ()) if text is not None else (None, ())


def _targets(text: str) -> frozenset[str]:
    """Names before a colon, at the start of a line; a variable that is set for one target alone makes it no rule."""
    found: set[str] = set()
    for line in text.replace("\\\n", " ").splitlines():
        rule = None if line.startswith("\t") else _RULE.match(line)
        if rule and not _VARIABLE.match(rule["rest"]):
            found.update(name for name in rule["targets"].split() if not name.startswith("."))
    return frozenset(found)


def make_goal(name: str, make: Make) -> Goal:
    target = next((target for target in TARGETS[name] if target in make.targets), "")
    if not target:
        return not_needed(name, f"the Makefile has no target {' or '.join(TARGETS[name])}")
    return runs(name, "make", target)
