"""Turns how a command ended into a verdict. Pure: what it printed and its exit are all that counts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from andon.checks.environment_errors import environment_error
from andon.checks.error_lines import error_line, last_line
from andon.checks.interactive import NO_TERMINAL, NOT_ENDED, told
from andon.checks.plain_text import plain_lines
from andon.checks.summaries import TEST_GOALS, nothing_proven
from andon.domain.goal import Goal
from andon.domain.testing import TestReport
from andon.domain.verdict import Verdict
from andon.ports import Exit

NO_TESTS_COLLECTED = 5
PYTEST_GAVE_UP = (2, 3, 4)
"""Interrupted, by an error of collection for instance; an error of its own; used in a wrong way."""
_RAN_TESTS = re.compile(
    r"(?!\s*Test (?:Suites|Files)\b).*\b[1-9]\d* (?:passed|failed|xfailed|xpassed|passing|failing)\b"
    r"|\s*--- (?:PASS|FAIL): |(?:#|ℹ) (?:pass|fail) [1-9]|test result: |not ok \d"
)
"""A summary or a line of some runner that says that a test was run, whether or not andon's reporter was told."""
UNTOLD = {NOT_ENDED: "the interactive command had not ended in time", NO_TERMINAL: "tmux could not open a terminal"}
NO_PLAYWRIGHT_TESTS = "Error: No tests found"


@dataclass(frozen=True, slots=True)
class Ran:
    """One command of a goal, and what it came to."""

    argv: tuple[str, ...]
    exit: Exit
    output: str
    verdict: Verdict
    reason: str = ""
    environment_error: bool = False
    report: TestReport | None = None


def judged(
    goal: Goal, argv: tuple[str, ...], exit: Exit, output: str, runner: str, report: TestReport | None = None
) -> Ran:
    """`runner`: the test runner it starts, where that is known; `report`: what it told of each test, where it can."""
    ran = _judged(goal, argv, exit, output, runner, report)
    return ran if report is None else replace(ran, report=report)


def _judged(goal: Goal, argv: tuple[str, ...], exit: Exit, output: str, runner: str, report: TestReport | None) -> Ran:
    if exit.reason != "exited":
        reason = {
            "timeout": "stopped at the time limit",
            "memory": "stopped at the memory limit",
            "disk": "stopped at the disk limit",
            "cancelled": "stopped by a person",
            "lease": "stopped because the orchestrator was gone",
            "lost": "lost: something killed its supervisor",
        }.get(exit.reason, f"could not be started: {exit.detail}")
        return Ran(argv, exit, output, Verdict.NOT_MEASURED, reason, exit.reason == "unstartable")
    if goal.name == "interactive" and exit.code in UNTOLD:
        return Ran(argv, exit, output, Verdict.NOT_MEASURED, UNTOLD[exit.code], exit.code == NO_TERMINAL)
    if goal.pattern:
        return _judged_by_pattern(goal, argv, exit, output)
    if report is not None and (doubt := doubted(report, exit)):
        return Ran(argv, exit, output, Verdict.FAILED, doubt)
    if exit.code == 0 and report is not None:
        empty = _told_nothing(report)
        return Ran(argv, exit, output, Verdict.NOT_MEASURED if empty else Verdict.PASSED, empty)
    if exit.code == 0:
        empty = nothing_proven(runner, output, truncated=exit.truncated) if goal.sort in TEST_GOALS else ""
        return Ran(argv, exit, output, Verdict.NOT_MEASURED if empty else Verdict.PASSED, empty)
    if argv[0] == "pytest" and exit.code == NO_TESTS_COLLECTED:
        return Ran(argv, exit, output, Verdict.NOT_MEASURED, "no tests collected")
    if runner == "playwright" and NO_PLAYWRIGHT_TESTS in plain_lines(output):
        return Ran(argv, exit, output, Verdict.NOT_MEASURED, "no tests collected")
    if broken := environment_error(output, exit.code):
        return Ran(argv, exit, output, Verdict.NOT_MEASURED, broken, environment_error=True)
    if _never_began(runner, exit, output, report):
        problems = error_line("\n".join(report.problems)) if report else ""
        why = problems or error_line(output) or f"exit code {exit.code}; its last line: {last_line(output) or 'none'}"
        return Ran(argv, exit, output, Verdict.NOT_MEASURED, f"{told(argv)} ran no test: {why}")
    ended = f"exit code {exit.code}" if exit.signal is None else f"ended by signal {exit.signal}"
    return Ran(argv, exit, output, Verdict.FAILED, f"{told(argv)}: {ended}")


MOST_NAMED = 3


def _never_began(runner: str, exit: Exit, output: str, report: TestReport | None) -> bool:
    """Whether a runner gave up before the first test: nothing was measured, so nothing has failed either."""
    if exit.signal is not None or any(map(_RAN_TESTS.match, plain_lines(output))):
        return False
    if report is not None:
        return not (report.outcomes or report.forged)
    return runner == "pytest" and exit.code in PYTEST_GAVE_UP


def doubted(report: TestReport, exit: Exit) -> str:
    """Why an end that looks well is not: code under test can end the process, but not tell the rest of the results."""
    if report.forged:
        return report.forged
    if exit.code not in (0, NO_TESTS_COLLECTED):
        return ""
    if not report.finished:
        return f"{report.runner} ended before it told its results: {len(report.unfinished)} tests have none"
    if report.status != exit.code:
        return f"{report.runner} meant to end with status {report.status}, and the process ended with {exit.code}"
    if report.failed:
        return f"the process ended well, and tests failed: {_some(report.failed)}"
    return f"tests were collected and never run: {_some(report.unfinished)}" if report.unfinished else ""


def _told_nothing(report: TestReport) -> str:
    if report.passed:
        return ""
    return "every test was skipped" if report.outcomes else "no tests collected"


def _some(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    return ", ".join(ids[:MOST_NAMED]) + more


def _judged_by_pattern(goal: Goal, argv: tuple[str, ...], exit: Exit, output: str) -> Ran:
    """A person's own criterion: the pattern, not the exit code, which another goal judges."""
    text = "\n".join(plain_lines(output))
    try:
        found = goal.pattern in text or re.search(goal.pattern, text, re.MULTILINE) is not None
    except re.error:
        found = False
    if found:
        return Ran(argv, exit, output, Verdict.PASSED)
    if exit.truncated:
        return Ran(argv, exit, output, Verdict.NOT_MEASURED, "it printed more than is kept, so not all was looked at")
    if exit.code != 0 and (broken := environment_error(output, exit.code)):
        return Ran(argv, exit, output, Verdict.NOT_MEASURED, broken, environment_error=True)
    return Ran(argv, exit, output, Verdict.FAILED, f"the output does not contain {goal.pattern!r}")
