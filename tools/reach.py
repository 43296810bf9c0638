"""What each file of tests reaches, as `make test-record` saw it; and which of them a change concerns.

A function is known by the line it began on in the commit that was recorded. What lies outside every function of a file
concerns whoever reaches any of it.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".test-reach.json.gz"
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)
_SHOWN_BY_NO_TEST = ("docs/images/",)


def git(*words: str) -> str:
    return subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=True).stdout


@dataclass(frozen=True)
class Reach:
    """A record: the commit it was made on, and for each file of tests the functions and files that it reached."""

    commit: str
    reached: Mapping[str, frozenset[str]]

    @classmethod
    def load(cls) -> Reach | None:
        """Read the kept record. None where there is none, or where its commit is gone."""
        if not KEPT.exists():
            return None
        kept = json.loads(gzip.decompress(KEPT.read_bytes()))
        lines = kept["lines"]
        reached = {test: frozenset(lines[index] for index in indexes) for test, indexes in kept["tests"].items()}
        known = subprocess.run(("git", "cat-file", "-e", kept["commit"]), cwd=ROOT, capture_output=True, check=False)
        return None if known.returncode else cls(kept["commit"], reached)

    def keep(self) -> None:
        lines = sorted({line for reached in self.reached.values() for line in reached})
        index = {line: number for number, line in enumerate(lines)}
        tests = {test: sorted(index[line] for line in reached) for test, reached in sorted(self.reached.items())}
        kept = {"commit": self.commit, "lines": lines, "tests": tests}
        KEPT.write_bytes(gzip.compress(json.dumps(kept).encode(), mtime=0))

    def of_lines(self, path: str, changed: Iterable[int]) -> set[str]:
        """The files of tests that reach the functions around these lines of the recorded commit."""
        spans = _functions(git("show", f"{self.commit}:{path}")) if path.endswith(".py") else []
        wanted = [_innermost(spans, line) for line in changed]
        return {test for test, reached in self.reached.items() if _touches(path, reached, wanted)}


def _touches(path: str, reached: frozenset[str], wanted: Sequence[tuple[int, int] | None]) -> bool:
    if None in wanted and path in reached:
        return True
    begun = {int(line.rpartition(":")[2]) for line in reached if line.startswith(f"{path}:")}
    return any(bool(begun) if span is None else any(span[0] <= line <= span[1] for line in begun) for span in wanted)


def _functions(source: str) -> list[tuple[int, int]]:
    """First line (of its decorators) and last line of each function."""
    return [
        (min(node.lineno, *(each.lineno for each in node.decorator_list), node.lineno), node.end_lineno or node.lineno)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def _innermost(spans: Iterable[tuple[int, int]], line: int) -> tuple[int, int] | None:
    around = [span for span in spans if span[0] <= line <= span[1]]
    return max(around, default=None)


@dataclass(frozen=True)
class Selection:
    """Which files of tests a change concerns, why, and which changed files nothing is known about."""

    why: Mapping[str, tuple[str, ...]]
    unknown: tuple[str, ...]


def select(reach: Reach) -> Selection:
    """Compare the working tree with the recorded commit."""
    why: dict[str, list[str]] = {}
    unknown: list[str] = []
    seen = {line.partition(":")[0] for reached in reach.reached.values() for line in reached}
    for path, lines in _changes(reach.commit):
        if path.startswith(_SHOWN_BY_NO_TEST):
            continue
        concerned = reach.of_lines(path, lines) if path in seen and lines else set[str]()
        if _is_test(path):
            concerned = {path} if (ROOT / path).exists() else set[str]()
        elif path not in seen:
            unknown.append(path)
        for test in concerned:
            if (ROOT / test).exists():
                why.setdefault(test, []).append(path)
    return Selection({test: tuple(paths) for test, paths in why.items()}, tuple(unknown))


def _is_test(path: str) -> bool:
    return path.startswith("tests/") and path.rpartition("/")[2].startswith("test_") and path.endswith(".py")


def _changes(commit: str) -> Iterable[tuple[str, list[int]]]:
    """Each changed file, and which lines of the recorded commit were changed, or have something new behind them."""
    names = git("diff", "--name-only", "--no-renames", commit).splitlines()
    names += git("ls-files", "--others", "--exclude-standard").splitlines()
    for path in names:
        lines: list[int] = []
        for first, count in _HUNK.findall(git("diff", "-U0", "--no-renames", commit, "--", path)):
            lines += range(int(first), int(first) + int(count or 1)) if count != "0" else [int(first)]
        yield path, lines
