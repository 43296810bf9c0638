"""The page's part of docs/tutorial.md, with a browser, from the first click to an approved change.

What it names in bold is what is pressed: a button that is called otherwise fails here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from andon.app.queries import open_store

from .looking import signed_in

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
[TEN_MINUTES] = re.findall(r"^# Ten minutes.*?\n(.*?)^# ", TUTORIAL.read_text("utf-8"), re.DOTALL | re.MULTILINE)
NAMES = re.findall(r"\*\*(.+?)\*\*", TEN_MINUTES)
TITLE = re.findall(r"\*(Count [^*]+)\*", TEN_MINUTES)[0]
PHASES = ("Analysis", "Planning", "Implementation", "Verification")
pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]


@contextmanager
def serving(environment: dict[str, str]) -> Generator[str]:
    """The link that `andon serve` prints."""
    words = [sys.executable, "-m", "andon", "serve", "--port", "0"]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield next(line.strip() for line in process.stdout if "/login?token=" in line)
    finally:
        process.terminate()
        process.wait(20)


def test_D_121_the_tutorial_leads_from_an_empty_board_to_an_approved_change(browser: Browser, tmp_path: Path) -> None:
    run_the_demo, open_review, request_changes, approve, new_task = NAMES
    environment = {**os.environ, "ANDON_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    with serving(environment) as link:
        page, said = signed_in(browser, link)
        page.get_by_role("button", name=run_the_demo).click()
        expect(page.get_by_role("heading", name=TITLE)).to_be_visible()
        run = page.url
        for phase in PHASES:
            page.goto(run)
            page.get_by_role("link", name=open_review).first.click(timeout=120_000)
            comment(page, phase)
            wanted_otherwise(page, request_changes, 1)
            if phase == PHASES[0]:  # as often as they like
                page.get_by_label("What you say about all of it").fill("And once more")
                wanted_otherwise(page, request_changes, 2)
            page.get_by_role("button", name=approve).click()
            expect(page.locator("#decide-h")).to_contain_text("approved v")
        page.goto(run)
        expect(page.locator("#head").get_by_text("Done")).to_be_visible(timeout=120_000)
        page.goto(re.sub("/runs/.*", "", run))
        page.get_by_role("link", name=new_task).click()
        page.get_by_role("button", name=run_the_demo).click()
        expect(page).not_to_have_url(run)
        page.get_by_role("button", name="Stop the line").click()
        expect(page.get_by_role("heading", name="Why it stopped: a person")).to_be_visible(timeout=60_000)
        assert said == []
        page.context.close()
    store = open_store(environment)
    _, done = store.runs.newest()
    commits = subprocess.run(
        ["git", "-C", done.repository, "log", "--oneline", done.branch], capture_output=True, text=True, check=True
    )
    assert done.status == "done" and done.branch in TEN_MINUTES and len(commits.stdout.splitlines()) > 1


def comment(page: Page, phase: str) -> None:
    """On the first line there is, as the tutorial has it: click its number, write."""
    page.locator("a.num[data-line]").first.click()
    page.keyboard.type(f"{phase}: say it in other words")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".draft")).to_have_count(1)


def wanted_otherwise(page: Page, request_changes: str, version: int) -> None:
    """The next version appears by itself."""
    page.get_by_role("button", name=request_changes).click()
    opened = page.get_by_role("link", name=f"Open v{version + 1}")
    opened.click(timeout=120_000)
    expect(page.locator("#decide-why")).to_contain_text(f"You decide on v{version + 1}")
