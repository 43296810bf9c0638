"""Where a failed check points: file and line of each failure, for people. Decides no verdict.

Reads text that code under test may have printed: every pattern keeps to one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from andon.checks.signatures import plain_lines

_PYTEST_SECTION = re.compile(r"_{3,} (?:ERROR (?:collecting|at \w+ of) )?(?P<name>\S.*?) _{3,}$")
_PYTEST_PLACE = re.compile(r"(?P<path>\S+\.py):(?P<line>\d+): (?:in |\w)")
_PYTEST_SUMMARY = re.compile(r"(?P<how>FAILED|ERROR) (?P<path>\S+?\.py)(?:::(?P<name>\S.*?))?(?: - (?P<why>.*))?$")
_RUFF = re.compile(r"(?P<path>\S+\.(?:pyi?|ipynb|toml)):(?P<line>\d+):\d+: (?P<why>.*)")
_ESLINT = re.compile(r"\s+(?P<line>\d+):\d+\s+error\s+(?P<why>.*\S)\s*$")
_ESLINT_FILE = re.compile(r"\S.*\.(?:[cm]?[jt]sx?|vue|svelte|json)$")
_COMPILER = re.compile(
    r"(?P<path>\S+?\.\w+)(?:\((?P<one>\d+),\d+\)|:(?P<two>\d+)(?::\d+)?)(?::| -) error:? (?P<why>.*)"
)


def places(goal: str, output: str, signatures: tuple[str, ...], *, root: str = "") -> tuple[str, ...]:
    """`file:line: what` for every failure that names its place; the check's own names of failures where none does."""
    lines = plain_lines(output, root)
    found = {"test": _pytest, "lint": _lint}.get(goal, _compiler)(lines)
    return tuple(dict.fromkeys(found)) or tuple(each.removeprefix(f"{goal}:") for each in signatures)


def _pytest(lines: list[str]) -> Iterator[str]:
    seen: dict[str, str] = {}
    section = ""
    for line in lines:
        if match := _PYTEST_SECTION.match(line):
            section = match["name"]
        elif section and (match := _PYTEST_PLACE.match(line)):
            seen.setdefault(section, f"{match['path']}:{match['line']}")
    for line in lines:
        if match := _PYTEST_SUMMARY.match(line):
            name = (match["name"] or "").replace("::", ".")
            place = seen.get(name or match["path"], match["path"])
            why = f" ({match['why']})" if match["why"] else ""
            yield f"{place}: {name + ' ' if name else ''}{match['how']}{why}"


def _lint(lines: list[str]) -> Iterator[str]:
    path = ""
    for line in lines:
        if match := _RUFF.match(line):
            yield f"{match['path']}:{match['line']}: {match['why']}"
        elif _ESLINT_FILE.match(line):
            path = line
        elif path and (match := _ESLINT.match(line)):
            yield f"{path}:{match['line']}: {match['why']}"


def _compiler(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := _COMPILER.match(line):
            yield f"{match['path']}:{match['one'] or match['two']}: {match['why']}"
