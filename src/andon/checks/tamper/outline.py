"""What a test file says, the same for every language: its tests, what each checks, and what stands around them.

Extractors read text into this model and run nothing; what a difference between two outlines means is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module


@dataclass(frozen=True, slots=True)
class TestCase:
    __test__ = False  # not one of pytest's, whatever its name

    name: str
    """Within its file, stable: "TestX::test_y", "describe › it", "TestAdd", "tests::adds", "CalcTest::adds"."""
    line: int
    skipped: bool = False
    """Never run, or only under a condition it had not before."""
    expected_to_fail: bool = False
    focused: bool = False
    """it.only, fit …"""
    checks: tuple[str, ...] = ()
    """Every assertion, normalised source text, in order."""
    parameters: int | None = None
    """How many sets of parameters; None: not parametrised, or not known."""
    replaces: tuple[str, ...] = ()
    """What it mocks or patches: "pkg.mod.name"."""
    body: str = ""
    """Digest of its normalised code (without comments and formatting)."""
    conditions: tuple[str, ...] = ()
    """Under what it is skipped, where that is known: one text for each place that can skip it."""
    sets: tuple[tuple[str, ...], ...] = ()
    """The sets of parameters themselves, normalised source text, where they are known."""
    shapes: tuple[str, ...] = ()
    """For each check the same without how the test got the objects it is about; none: as the checks."""


@dataclass(frozen=True, slots=True)
class Outline:
    cases: tuple[TestCase, ...]
    duplicates: tuple[tuple[str, int], ...] = ()
    """Names defined a second time, which hide the first."""
    support: str = ""
    """Digest of the normalised code outside test cases (imports, fixtures, helpers)."""
    others: tuple[TestCase, ...] = ()
    """Functions that no runner collects: where a test may have gone that is no longer one."""
    origins: tuple[tuple[str, str], ...] = ()
    """Names the file has from elsewhere, and from where: ("add", "pkg.calc.add"); "" where it defines them itself."""


Extract = Callable[[str], Outline | None]
"""None: the text cannot be parsed."""

_HERE = "andon.checks.tamper"
_SCRIPT = f"{_HERE}.script_tests:outline"

EXTRACTORS: dict[str, str] = {
    ".py": f"{_HERE}.python_tests:outline",
    **{f".{ending}": _SCRIPT for ending in ("js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts")},
    ".go": f"{_HERE}.go_tests:outline",
    ".rs": f"{_HERE}.rust_tests:outline",
    ".java": f"{_HERE}.java_tests:outline",
}
"""File ending → "module:function", imported when the first file of that kind is met."""


def extractor(path: str) -> Extract | None:
    """None: files of this kind are not read."""
    name = path.rpartition("/")[2]
    found = EXTRACTORS.get("." + name.rpartition(".")[2]) if "." in name else None
    return _load(found) if found else None


@cache
def _load(target: str) -> Extract:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
