"""Reads test coverage out of what pytest-cov, jest and vitest print: the percentage, and what no test reached (A-121).

Pure. Text that holds no such table has no coverage; nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Uncovered:
    path: str
    lines: str
    """As the tool names them: "3, 8-9". Its own shortening ("...4,17-20") is kept."""


@dataclass(frozen=True, slots=True)
class Coverage:
    percent: float
    """Of the whole project; where several tools measured, that of the least covered part."""
    uncovered: tuple[Uncovered, ...] = ()


_PYTEST_HEAD = re.compile(r"Name\s+Stmts\s+Miss\s.*\bCover\b")
_PYTEST_ROW = re.compile(r"(?P<path>\S.*?)(?:\s+\d+){2,4}\s+(?P<percent>\d+(?:\.\d+)?)%(?:\s+(?P<lines>\S.*))?$")
_NODE_HEAD = re.compile(r"File\s*\|\s*% Stmts\s*\|.*\|\s*% Lines\s*\|\s*Uncovered Line #s")
_NODE_ROW = re.compile(r"(?P<name> *\S.*?)\s*\|(?:[^|]*\|){3}\s*(?P<percent>\d+(?:\.\d+)?)\s*\|\s*(?P<lines>.*?)\s*$")
_RULE = re.compile(r"[-|]+$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def read_coverage(output: str) -> Coverage | None:
    lines = [_COLOUR.sub("", line).rstrip() for line in output.splitlines()]
    read = [_pytest(lines[at + 1 :]) for at, line in enumerate(lines) if _PYTEST_HEAD.match(line)]
    read += [_node(lines[at + 1 :]) for at, line in enumerate(lines) if _NODE_HEAD.match(line)]
    tables = [table for table in read if table is not None]
    if not tables:
        return None
    return Coverage(min(each.percent for each in tables), tuple(file for each in tables for file in each.uncovered))


def _pytest(lines: list[str]) -> Coverage | None:
    """Rows until TOTAL. A table of one file has no TOTAL in older versions, and needs none."""
    uncovered: list[Uncovered] = []
    percent: float | None = None
    for line in lines:
        if _RULE.match(line):
            continue
        row = _PYTEST_ROW.match(line)
        if row is None:
            break
        percent = float(row["percent"])
        if row["path"] == "TOTAL":
            break
        if row["lines"]:
            uncovered.append(Uncovered(row["path"], row["lines"]))
    return None if percent is None else Coverage(percent, tuple(uncovered))


def _node(lines: list[str]) -> Coverage | None:
    """Rows until the table ends; a folder stands before its files, which are indented further than it."""
    uncovered: list[Uncovered] = []
    percent: float | None = None
    folder, depth = "", 0
    for line in lines:
        if _RULE.match(line):
            continue
        row = _NODE_ROW.match(line)
        if row is None:
            break
        name = row["name"].strip()
        indent = len(row["name"]) - len(row["name"].lstrip())
        if name == "All files":
            percent = float(row["percent"])
        elif row["lines"]:
            uncovered.append(Uncovered(f"{folder}/{name}" if folder and indent > depth else name, row["lines"]))
        elif "." not in name.rpartition("/")[2]:
            folder, depth = name, indent
    return None if percent is None else Coverage(percent, tuple(uncovered))
