"""Steps 4.2 to 4.4 in a Next.js project with Playwright: rules for judges, end-to-end tests, and their debugging."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node and npm, which setup.sh looks for")


def plainly(story: Any) -> None:
    story.auto()


def test_A_117_X_13_a_front_end_is_judged_by_the_vercel_rules(story: Callable[..., Any]) -> None:
    told = story("front-end", plainly)

    assert "Vercel rules" in told.of("spawn", name="quality-checker")[0].data["prompt"]


def test_A_119_X_70_end_to_end_tests_run_in_standard_where_playwright_is_configured(story: Callable[..., Any]) -> None:
    told = story("front-end", plainly)

    runs = told.of("check", goal="e2e")
    assert runs[0].data["command"] == ["npx", "--no-install", "playwright", "test", "--reporter=list"]
    assert [e.data["verdict"] for e in runs] == ["failed", "passed"]
    assert told.first.code == 0


def test_A_120_X_08_a_failure_is_looked_at_in_detail_debugged_and_everything_is_measured_again(
    story: Callable[..., Any],
) -> None:
    told = story("front-end", plainly)

    failed, passed = told.of("check", goal="e2e")
    [details] = told.of("check", goal="e2e-details")
    assert details.data["command"][-1] == "--reporter=line"
    [debugging] = told.of("spawn", name="fixer")
    assert failed.seq < details.seq < debugging.seq < passed.seq
    assert all(step in debugging.data["prompt"] for step in ("D0", "D1", "D2", "D3", "D4", "costs two"))
    again = [e.data["name"] for e in told.of("spawn") if e.seq > passed.seq]
    assert again == ["qa-runner-2", "verifier", "gap-checker", "quality-checker", "reporter"]
