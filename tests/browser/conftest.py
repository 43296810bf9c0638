"""One browser for each file of tests."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    """Start Chromium. It ends with its file: while Playwright runs, no other test of this worker can use asyncio."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()
