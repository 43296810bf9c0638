"""Names a failure so that the same failure has the same name: free of timings, places on disk and moving line numbers.

Reads text that code under test may have printed: every pattern keeps to one line. Decides no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from andon.checks import compiled_failures
from andon.checks.plain_text import normalised, plain_lines

SIGNATURE_CHARACTERS = 240
SIGNATURES = 100


def signatures(goal: str, output: str, *, root: str = "") -> tuple[str, ...]:
    """Stable names of every failure in `output`, sorted; one made of its last telling line when none is recognised."""
    lines = plain_lines(output, root)
    found = {core for parse in PARSERS.get(goal, ()) for core in parse(lines)}
    cores = sorted(found)[:SIGNATURES] or [_last_telling_line(lines)]
    return tuple(f"{goal}:{core}"[:SIGNATURE_CHARACTERS] for core in cores)


_PYTEST = re.compile(r"(?P<how>FAILED|ERROR) (?P<id>\S.*?)(?: - (?P<why>.*))?$")
_PYTEST_ID = re.compile(r"\S+\.py(::.+)?$|\S+::.+$")


def _pytest(lines: list[str]) -> Iterator[str]:
    for line in lines:
        match = _PYTEST.match(line)
        if not match or not _PYTEST_ID.match(match["id"]):
            continue
        name = normalised(match["id"])
        if match["how"] == "FAILED":
            yield f"{name} FAILED"
        else:
            yield f"{name} ERROR {normalised(match['why'] or '')}".rstrip()


_RUFF_ONE_LINE = re.compile(
    r"(?P<path>[^\s:|][^:|]*\.(?:pyi?|ipynb|toml)):\d+:\d+: (?P<code>[A-Z]+\d+|invalid-syntax):? (?P<why>.*)"
)
_RUFF_HEADING = re.compile(r"(?P<code>[A-Z]+\d+|invalid-syntax):? (?P<why>\S.*)")
_RUFF_PLACE = re.compile(r"\s*--> (?P<path>\S.*?):\d+:\d+$")


def ruff(lines: list[str]) -> Iterator[str]:
    heading: re.Match[str] | None = None
    for line in lines:
        if match := _RUFF_ONE_LINE.match(line):
            yield _ruff_core(match["path"], match)
        elif match := _RUFF_PLACE.match(line):
            if heading:
                yield _ruff_core(match["path"], heading)
            heading = None
        elif match := _RUFF_HEADING.match(line):
            heading = match


def _ruff_core(path: str, match: re.Match[str]) -> str:
    return f"{path} {match['code']} {normalised(match['why'].removeprefix('[*] '))}"


_ESLINT = re.compile(r"\s+\d+:\d+\s+error\s+(?P<why>.*\S)\s*$")
_ESLINT_FILE = re.compile(r"\S.*\.[cm]?[jt]sx?$|\S.*\.(?:vue|svelte|json)$")


def eslint(lines: list[str]) -> Iterator[str]:
    path = ""
    for line in lines:
        if _ESLINT_FILE.match(line):
            path = line
        elif path and (match := _ESLINT.match(line)):
            yield f"{path} {normalised(match['why'])}"


_MYPY = re.compile(r"(?P<path>[^\s:][^:]*\.pyi?):\d+(?::\d+)?: error: (?P<why>.*)")
_TSC = re.compile(r"(?P<path>\S+?\.[cm]?[jt]sx?)(?:\(\d+,\d+\):|:\d+:\d+ -) error (?P<why>TS\d+: .*)")
_TSC_GLOBAL = re.compile(r"error (?P<why>TS\d+: .*)")


def mypy(lines: list[str]) -> Iterator[str]:
    return (f"{match['path']} {normalised(match['why'])}" for line in lines if (match := _MYPY.match(line)))


def tsc(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := _TSC.match(line):
            yield f"{match['path']} {normalised(match['why'])}"
        elif match := _TSC_GLOBAL.match(line):
            yield normalised(match["why"])


_JEST_FILE = re.compile(r"\s*FAIL\s+(?P<path>\S+\.[cm]?[jt]sx?)(?: \(.*\))?$")
_JEST_TEST = re.compile(r"\s*● (?P<name>\S.*)$")
_VITEST = re.compile(r"\s*FAIL\s+(?P<path>\S+\.[cm]?[jt]sx?)(?: \[.*\])? > (?P<name>.*)$")


def _jest(lines: list[str]) -> Iterator[str]:
    path, named = "", False
    for line in lines:
        if match := _JEST_FILE.match(line):
            if path and not named:
                yield f"{path} FAILED"
            path, named = match["path"], False
        elif path and (match := _JEST_TEST.match(line)) and match["name"] != "Console":
            named = True
            yield f"{path} {normalised(match['name'])} FAILED"
    if path and not named:
        yield f"{path} FAILED"


def _vitest(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := _VITEST.match(line):
            yield f"{match['path']} > {normalised(match['name'])} FAILED"


_TAP = re.compile(r"\s*not ok \d+ - (?P<name>.*?)(?P<excused> # (?:TODO|SKIP)\b.*)?$")
_SPEC = re.compile(r"\s*✖ (?P<name>.*?) \(\d+(?:\.\d+)?ms\)$")


def _node(lines: list[str]) -> Iterator[str]:
    for line in lines:
        match = _TAP.match(line) or _SPEC.match(line)
        if match and not match.groupdict().get("excused"):
            yield f"{normalised(match['name'])} FAILED"


_PLAYWRIGHT = re.compile(r"\s+\d+\) (?P<name>\S.*?) ─+$")


def _playwright(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := _PLAYWRIGHT.match(line):
            yield f"{normalised(match['name'])} FAILED"


Parser = Callable[[list[str]], Iterable[str]]
PARSERS: dict[str, tuple[Parser, ...]] = {
    "lint": (ruff, eslint, *compiled_failures.COMPILERS),
    "test": (_pytest, _jest, _vitest, _node, *compiled_failures.TESTS, *compiled_failures.COMPILERS),
    "build": (tsc, mypy, *compiled_failures.COMPILERS),
    "typecheck": (mypy, tsc, *compiled_failures.COMPILERS),
    "e2e": (_playwright,),
    "e2e-details": (_playwright,),
    "coverage": (_pytest, _jest, _vitest),
}

_DECORATION = re.compile(r"[\s=\-_*#~^|+.…]*$")
_NPM_NOISE = re.compile(
    r"npm (?:error|ERR!|notice|warn)\b.*(?:complete log|Lifecycle script|code \d|path |workspace |location )|> "
)


# What a build tool says after the message that counts.
_BUILD_NOISE = re.compile(
    r"make(?:\[\d+\])?: (?:\*\*\* \[|Target|Entering|Leaving)|error: could not compile|exit status \d+$"
    r"|\[ERROR\](?: (?:->|Re-run|To see|For more|\[Help|After correcting).*)?$|\[(?:INFO|WARNING)\]"
    r"|\* (?:Try|Get more help)|> (?:Run|Get) |BUILD FAILED"
)


def _last_telling_line(lines: list[str]) -> str:
    telling = [line for line in lines if not _DECORATION.match(line) and not _NPM_NOISE.match(line.strip())]
    own = [line for line in telling if not _BUILD_NOISE.match(line.strip())]
    return normalised((own or telling)[-1]) if telling else "no output"
