"""What a person does before anything else on a page, and what a program sees that they may not: faults of access."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LOOKS = {"en": (("light", 1440), ("dark", 390)), "ko": (("dark", 1440), ("light", 390))}
"""Theme and width, by language."""
SECONDS = 30.0
TOO_WIDE = """() => {
    const screen = document.documentElement;
    if (screen.scrollWidth <= screen.clientWidth) return [];
    const wide = [...document.querySelectorAll("main *")]
        .filter(each => each.getBoundingClientRect().right > screen.clientWidth);
    return [screen.scrollWidth - screen.clientWidth, ...wide.slice(0, 5).map(each => each.outerHTML.slice(0, 200))];
}"""
"""What makes the page wider than the screen, and by how much."""


def signed_in(browser: Browser, link: str, **more: Any) -> tuple[Page, list[str]]:
    """The page behind a link of `andon serve`, and everything its console complains of."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US", **more).new_page()
    page.set_default_timeout(SECONDS * 1000)
    expect.set_options(timeout=SECONDS * 1000)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(link)
    return page, said


def problems(page: Page, of: str = "html") -> list[str]:
    """What axe holds against a part of the page."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found = page.evaluate("([of, rules]) => axe.run(of, {runOnly: rules})", [of, RULES])
    return [f"{each['id']}: {[node['target'] for node in each['nodes']]}" for each in found["violations"]]


def readable(browser: Browser, link: Callable[[], str], base: str, paths: tuple[str, ...], of: str = "html") -> None:
    """In every look: nothing that axe finds, nothing wider than the screen, no complaint in the console."""
    for language, looks in LOOKS.items():
        page, said = signed_in(browser, link())
        page.context.add_cookies([{"name": "andon-language", "value": language, "url": base}])
        for path in paths:
            page.goto(base + path)
            expect(page.locator("h1")).to_be_visible()
            for theme, width in looks:
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # else colours are on their way
                page.set_viewport_size({"width": width, "height": 844})
                assert problems(page, of) == [], (path, theme, language, width)
                assert page.evaluate(TOO_WIDE) == [], (path, theme, language, width)
        assert said == []
        page.context.close()
