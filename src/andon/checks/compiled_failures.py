"""Names the failures that go, cargo, javac, Maven and Gradle report, so that the same failure has the same name.

Reads text that code under test may have printed: every pattern keeps to one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from andon.checks.plain_text import normalised

_GO_TEST = re.compile(r"\s*--- FAIL: (?P<name>\S+) \([\d.]+s\)$")
_GO_PACKAGE = re.compile(r"FAIL\t(?P<package>\S+)(?: \[(?P<why>\w+ failed)\]|\t[\d.]+s)$")
_GO_COMPILER = re.compile(r"(?:vet: )?(?:\./)?(?P<path>\S+\.go):\d+(?::\d+)?: (?P<why>\S.*)")


def _go_test(lines: list[str]) -> Iterator[str]:
    """A package's verdict stands after its tests; one that crashed names no test."""
    waiting: list[str] = []
    for line in lines:
        if match := _GO_TEST.match(line):
            waiting.append(match["name"])
        elif match := _GO_PACKAGE.match(line):
            if not waiting:
                yield f"{match['package']} {match['why'] or 'FAILED'}"
            yield from (f"{match['package']} {name} FAILED" for name in waiting)
            waiting = []
    yield from (f"{name} FAILED" for name in waiting)


def go_compiler(lines: list[str]) -> Iterator[str]:
    """Indented lines with a place are what a test logged, or a stack."""
    for line in lines:
        if match := _GO_COMPILER.match(line):
            yield f"{match['path']} {normalised(match['why'])}"


_CARGO_TEST = re.compile(r"test (?P<name>\S.*?)(?: - should panic)? \.\.\. FAILED$")
_RUST_HEADING = re.compile(r"error(?:\[(?P<code>E\d+)\])?: (?P<why>\S.*)")
_RUST_PLACE = re.compile(r"\s*--> (?P<path>\S+?):\d+:\d+$")


def _cargo_test(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := _CARGO_TEST.match(line):
            yield f"{normalised(match['name'])} FAILED"


def _rustc(lines: list[str]) -> Iterator[str]:
    heading: re.Match[str] | None = None
    for line in lines:
        if match := _RUST_HEADING.match(line):
            heading = match
        elif heading and (match := _RUST_PLACE.match(line)):
            code = f"{heading['code']} " if heading["code"] else ""
            yield f"{match['path']} {code}{normalised(heading['why'])}"
            heading = None
        elif not line:
            heading = None


_SUREFIRE = re.compile(
    r"(?:\[ERROR\]\s+)?(?!Tests run:)(?P<name>[\w.$]\S*.*?)\s+(?:-- )?Time elapsed: .* <<< (?P<how>FAILURE|ERROR)!$"
)
_GRADLE_TEST = re.compile(r"(?P<name>\w[\w.$]* > \S.*) FAILED$")
_MAVEN_JAVAC = re.compile(r"\[ERROR\] (?P<path>\S+\.(?:java|kt)):\[\d+,\d+\] (?P<why>\S.*)")
_JAVAC = re.compile(r"(?P<path>\S+\.java):\d+: error: (?P<why>\S.*)")
_KOTLIN = re.compile(r"e: (?:file://)?(?P<path>\S+?\.kts?):\d+:\d+:? (?P<why>\S.*)")
_CHECKSTYLE = re.compile(r"\[ERROR\] (?P<path>\S+\.java):\[\d+(?:,\d+)?\] (?P<why>\(\w+\) \w+: .*)")


def _surefire(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := _SUREFIRE.match(line):
            yield f"{normalised(match['name'])} {'FAILED' if match['how'] == 'FAILURE' else 'ERROR'}"


def _gradle_test(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := _GRADLE_TEST.match(line):
            yield f"{normalised(match['name'])} FAILED"


def _javac(lines: list[str]) -> Iterator[str]:
    for line in lines:
        match = _CHECKSTYLE.match(line) or _MAVEN_JAVAC.match(line) or _JAVAC.match(line) or _KOTLIN.match(line)
        if match:
            yield f"{match['path']} {normalised(match['why'])}"


TESTS = (_go_test, _cargo_test, _surefire, _gradle_test)
COMPILERS = (go_compiler, _rustc, _javac)
