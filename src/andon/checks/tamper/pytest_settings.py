"""What a change of pytest's settings does: which ones can only add tests or make them stricter, and which cannot.

Judges values, not files.
"""

from __future__ import annotations

import fnmatch
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from andon.checks.tamper.settings_values import lines, words
from andon.checks.tamper.test_paths import is_test_file

_HARMLESS = (
    "markers",
    "minversion",
    "console_output_style",
    "cache_dir",
    "timeout",
    "required_plugins",
    "faulthandler_timeout",
)
_HARMLESS_STARTS = ("log_", "junit_", "verbosity_", "tmp_path_retention", "truncation_")
_GROWING = ("testpaths", "python_files", "python_classes", "python_functions")
_SHRINKING = ("norecursedirs", "collect_ignore", "collect_ignore_glob")
_HARMLESS_OPTIONS = (
    *("-v", "-vv", "-q", "-qq", "-l", "-s", "--strict", "--strict-markers", "--strict-config", "--showlocals"),
    *(
        "--tb",
        "--color",
        "--durations",
        "--durations-min",
        "--capture",
        "--import-mode",
        "--doctest-modules",
        "-n",
        "--dist",
    ),
    *("--cov", "--cov-report", "--cov-branch", "--cov-fail-under", "--cov-config", "--cov-append", "--cov-context"),
    *(
        "--no-header",
        "--benchmark-disable",
        "--timeout",
        "--numprocesses",
        "--junitxml",
        "--html",
        "--self-contained-html",
    ),
)
_STRICT_OPTIONS = (
    "--strict",
    "--strict-markers",
    "--strict-config",
    "--doctest-modules",
    "--doctest-glob",
    "-W",
    "--runxfail",
)
_VALUED = (
    "-k",
    "-m",
    "-p",
    "-W",
    "-o",
    "-c",
    "-n",
    "--deselect",
    "--ignore",
    "--ignore-glob",
    "--rootdir",
    "--confcutdir",
)


def eased(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, tests: frozenset[str]) -> Iterator[str]:
    """What could keep tests from being run, or from failing. `tests` are the paths of the base."""
    before, after = old or {}, new or {}
    for key in sorted({*before, *after}):
        first, second = before.get(key), after.get(key)
        if first == second or key in _HARMLESS or key.startswith(_HARMLESS_STARTS):
            continue
        if key == "addopts":
            yield from _options(first, second)
        elif key in _GROWING:
            yield from _fewer(key, first, second, tests)
        elif key in _SHRINKING:
            if {*words(second)} - {*words(first)}:
                yield f"{key}: {' '.join(sorted({*words(second)} - {*words(first)}))} added"
        elif key == "filterwarnings":
            yield from _warnings(lines(first), lines(second))
        elif key in ("xfail_strict", "strict"):
            if _true(first) and not _true(second):
                yield f"{key} is off"
        else:
            yield f"{key}: {_told(first)} → {_told(second)}"


def _fewer(key: str, old: object, new: object, tests: frozenset[str]) -> Iterator[str]:
    """A list whose absence means everything, or what pytest has by itself."""
    first, second = words(old), words(new)
    if key == "testpaths":
        if second and not first:
            outside = [
                each
                for each in sorted(tests)
                if each.endswith(".py") and is_test_file(each) and not _within(each, second)
            ]
            if outside:
                yield f"testpaths leaves out {outside[0]}"
        elif second and {*first} - {*second} and not all(_within(f"{each.rstrip('/')}/x", second) for each in first):
            yield f"testpaths: {' '.join(sorted({*first} - {*second}))} removed"
        return
    known = {"python_files": ["test_*.py", "*_test.py"], "python_classes": ["Test"], "python_functions": ["test"]}
    first, second = first or known[key], second or known[key]
    gone = [each for each in first if each not in second and not any(_wider(each, other) for other in second)]
    if gone:
        yield f"{key}: {' '.join(gone)} removed"


def _wider(pattern: str, other: str) -> bool:
    return (
        other in ("*", "*.py") or (other.endswith("*") and pattern.startswith(other[:-1])) or pattern.startswith(other)
    )


def _within(path: str, places: list[str]) -> bool:
    return (
        any(
            path.startswith(f"{place.strip('./').rstrip('/')}/") or path == place or fnmatch.fnmatch(path, f"{place}*")
            for place in (each.removeprefix("./") for each in places)
            if place not in ("", ".")
        )
        or "." in places
    )


def _warnings(old: list[str], new: list[str]) -> Iterator[str]:
    """They matter where warnings are failures."""
    errors = [each for each in old if each.startswith("error")]
    gone = [each for each in errors if each not in new]
    if gone:
        yield f"filterwarnings: {gone[0]} removed"
    fresh = [each for each in new if each not in old and not each.startswith("error")]
    if errors and not gone and fresh:
        yield f"filterwarnings: {fresh[0]} added"


def _options(old: object, new: object) -> Iterator[str]:
    first, second = _tokens(old), _tokens(new)
    for each in second:
        name = each.partition("=")[0].partition(" ")[0]
        harmless = name in _HARMLESS_OPTIONS or name.startswith("-r") or each in ("-W error", "-Werror")
        if each not in first and not harmless:
            yield f"addopts: {each} added"
    for each in first:
        name = each.partition("=")[0].partition(" ")[0]
        if each not in second and (name in _STRICT_OPTIONS or not name.startswith("-")):
            yield f"addopts: {each} removed"


def _tokens(value: object) -> list[str]:
    text = " ".join(lines(value))
    try:
        parts = shlex.split(text)
    except ValueError:
        parts = text.split()
    found: list[str] = []
    for each in parts:
        if found and found[-1] in _VALUED:
            found[-1] += f" {each}"
        else:
            found.append(each)
    return found


def _true(value: object) -> bool:
    return str(value).strip().lower() in ("true", "1", "yes", "on")


def _told(value: object) -> str:
    return " ".join(str(value).split())[:60] if value is not None else "not set"
