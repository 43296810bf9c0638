"""What a person sees while the suite runs: one line of progress, each failure at once, and what the program said."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from warm import FINISHED, Finished

EVERY = 1.0
"""Seconds between two lines on a terminal, where one replaces the other."""
EVERY_IN_A_FILE = 30.0
FAILURE_LINES = 12
"""Of a failure, when it happens. All of it is shown at the end."""
LINES = 40
COMMANDS = 3


class Progress:
    """A pytest plugin in place of 11,000 dots, for runs with parallel workers."""

    def __init__(self) -> None:
        self.began = self.shown = time.monotonic()
        self.done = self.failed = self.all = 0
        self.terminal = sys.stdout.isatty()

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.all = len(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        if report.passed and report.when != "call":
            return "", "", ""
        kind = "error" if report.failed and report.when != "call" else report.outcome
        return kind, "", kind.upper()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed += 1
            self._write(f"failed: {report.nodeid}\n{_indent(report.longreprtext)}")
        if report.when != "teardown":
            return
        self.done += 1
        now = time.monotonic()
        if now - self.shown >= (EVERY if self.terminal else EVERY_IN_A_FILE):
            self.shown = now
            minutes, seconds = divmod(int(now - self.began), 60)
            place = report.nodeid.removeprefix("tests/").split("::")[0]
            line = f"{minutes:3}:{seconds:02}  {self.done:,} of {self.all:,}, {self.failed} failed  {place}"
            self._write(line if self.terminal else f"{line}\n")

    def _write(self, text: str) -> None:
        print(f"\r\033[K{text}" if self.terminal else text, end="", flush=True)

    def pytest_sessionfinish(self) -> None:
        if self.terminal:
            self._write("")


def _indent(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines()[-FAILURE_LINES:])


class Said:
    """A pytest plugin that shows, with a failure, what the last commands of andon in that test wrote."""

    def pytest_runtest_setup(self) -> None:
        FINISHED.clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Iterator[None]:
        report: Any = yield
        if report.failed:
            told = [ran for value in getattr(item, "funcargs", {}).values() for ran in getattr(value, "commands", ())]
            for ran in [*told, *FINISHED][-COMMANDS:]:
                words = ran.args if isinstance(ran, Finished) else ("andon", *ran.words)
                report.sections.append((f"{' '.join(words)}: exit code {ran.code}", _shown(ran.stdout, ran.stderr)))
        return report


def _shown(*outputs: str) -> str:
    return "\n".join(line for text in outputs for line in text.splitlines()[-LINES:])
