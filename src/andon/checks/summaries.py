"""Whether a known test runner's own summary says that something was tested. An exit code of 0 alone does not.

Reads text that code under test may have printed: every pattern keeps to one line. Unknown commands have no summary.
"""

from __future__ import annotations

import re
from pathlib import Path

from andon.checks.plain_text import plain_lines
from andon.checks.reading import read_table, table

# The second form of pytest's is that of pytest-sugar.
PASSES = {
    "pytest": re.compile(r"(?:=+ )?(?:\d+ \w+, )*[1-9]\d* passed\b.* in [\d.]+s|\s+[1-9]\d* passed$"),
    "jest": re.compile(r"\s*Tests:\s.*\b[1-9]\d* passed\b"),
    "vitest": re.compile(r"\s*Tests\s+.*\b[1-9]\d* passed\b"),
    "node": re.compile(r"(?:#|ℹ) pass [1-9]\d*$"),
    "go": re.compile(r"\s*--- PASS: \S"),
    "cargo": re.compile(r"test result: ok\. [1-9]\d* passed;"),
    "mvn": re.compile(r"(?:\[\w+\] )?Tests run: (?P<run>\d+), Failures: 0, Errors: 0, Skipped: (?P<skipped>\d+)"),
    "gradle": re.compile(r"(?:> Task )?:(?:\S+:)?\w*[tT]est$"),
    "playwright": re.compile(r"\s+[1-9]\d* passed \([\d.]+(?:ms|s|m|h)\)$"),
}
TEST_GOALS = ("test", "e2e", "e2e-details", "coverage")
"""Goals that prove nothing unless a test passed."""
_ONLY_SKIPPED = re.compile(
    r"(?:=+ )?(?:\d+ (?:skipped|deselected|xfailed|warnings?)(?:, )?)+ in [\d.]+s|\s+\d+ skipped$"
)
_NO_TESTS = re.compile(
    r"(?:#|ℹ) tests 0$|(?:Error: )?No tests? (?:test )?(?:files )?found|(?:=+ )?no tests (?:ran|collected)"
    r"|\?? *\t?\S*\t\[no test files\]|test result: ok\. 0 passed; 0 failed; 0 ignored|(?:> Task )?:\S*[tT]est NO-SOURCE"
    r"|(?:\[INFO\] )?No tests to run"
)
BUILD_TOOLS = ("go", "cargo", "mvn", "gradle", "make")
_NOTHING_MADE = re.compile(r"make(?:\[\d+\])?: (?:Nothing to be done for|'\S+' is up to date)")
PLAYWRIGHT = ("npx", "--no-install", "playwright", "test")
_NODE_TEST = re.compile(r"\bnode\b.*\s--test\b")


def runner_of(argv: tuple[str, ...], tree: Path) -> str:
    """The runner a command starts, looked up before it runs: npm starts what package.json says."""
    words = " ".join(argv)
    if argv[:4] == PLAYWRIGHT:
        return "playwright"
    if argv[0] in BUILD_TOOLS:
        return argv[0]
    if argv[:2] == ("npm", "test"):
        manifest = read_table(tree, "package.json")
        words = str(table(table(manifest).get("scripts")).get("test", ""))
    known = next((name for name in ("pytest", "vitest", "jest") if re.search(rf"(?<![\w-]){name}(?![\w-])", words)), "")
    return known or ("node" if _NODE_TEST.search(words) else "")


def nothing_proven(runner: str, output: str, *, truncated: bool) -> str:
    """Why a run that ended well proves nothing; empty when its summary names a test that passed."""
    if runner == "make":
        return _nothing_made(plain_lines(output))
    if runner not in PASSES:
        return ""
    if truncated:
        return f"{runner} printed more than is kept, so its summary cannot be read"
    lines = plain_lines(output)
    if any(_passes(runner, line) for line in lines):
        return ""
    if any(_NO_TESTS.match(line) for line in lines):
        return "no tests collected"
    if any(_ONLY_SKIPPED.match(line) for line in lines):
        return "every test was skipped"
    return f"{runner} ended without a summary that names a passed test"


def _passes(runner: str, line: str) -> bool:
    match = PASSES[runner].match(line)
    if match and runner == "mvn":
        return int(match["run"]) > int(match["skipped"])
    return match is not None


def _nothing_made(lines: list[str]) -> str:
    """make says nothing of tests: it is enough that it did something, unless a runner it started says otherwise."""
    if any(_passes(runner, line) for runner in PASSES for line in lines):
        return ""
    if any(_NO_TESTS.match(line) for line in lines):
        return "no tests collected"
    if any(_ONLY_SKIPPED.match(line) for line in lines):
        return "every test was skipped"
    told = [line for line in lines if line.strip() and not _NOTHING_MADE.match(line)]
    return "" if told else "make had nothing to do"
