"""A person follows a link to a page of andon: from a mail, from a page on another port, before they are signed in."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from andon.domain.run import Status
from web.small import small

from .looking import signed_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(200)]


@contextmanager
def elsewhere(target: str) -> Generator[int]:
    """A page of somebody else that links to ours."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(f'<a href="{target}">the run</a>'.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    made = HTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    try:
        yield made.server_port
    finally:
        made.shutdown()
        thread.join(20)


def test_a_link_to_a_line_opens_there_also_from_elsewhere_and_through_signing_in(
    browser: Browser, tmp_path: Path
) -> None:
    """What stands behind the # reaches no server: the pages on the way keep it."""
    with small(tmp_path) as server:
        server.add("linked22", Status.DONE)
        target = f"{server.url}/runs/linked22?q=one#L12"
        with elsewhere(target) as port:
            page, _ = signed_in(browser, f"{server.url}/login?token={server.site.access.link('ann')}")
            page.goto(f"http://localhost:{port}/")
            page.get_by_role("link", name="the run").click()
            expect(page).to_have_url(target)

            for start in (f"http://localhost:{port}/", ""):  # followed, and typed
                stranger, _ = signed_in(browser, start or target)
                if start:
                    stranger.get_by_role("link", name="the run").click()
                expect(stranger.get_by_text("/runs/linked22?q=one")).to_be_visible()
                other = stranger.context.new_page()  # a link that a terminal opens comes in a tab of its own
                other.goto(f"{server.url}/login?token={server.site.access.link('bob')}")
                expect(other).to_have_url(target)
                other.goto(f"{server.url}/runs/linked22?q=one")
                expect(other.get_by_role("heading", name="Task of linked22")).to_be_visible()
                expect(other).to_have_url(f"{server.url}/runs/linked22?q=one")  # once, and no more
                stranger.context.close()
        page.context.close()


def test_a_link_from_elsewhere_opens_the_page_it_names(browser: Browser, tmp_path: Path) -> None:
    with small(tmp_path) as server:
        server.add("linked22", Status.DONE)
        target = f"{server.url}/runs/linked22?q=one"
        with elsewhere(target) as port:
            page, _ = signed_in(browser, f"{server.url}/login?token={server.site.access.link('ann')}")
            for host in ("127.0.0.1", "localhost"):  # another port, and another site
                page.goto(f"http://{host}:{port}/")
                page.get_by_role("link", name="the run").click()
                expect(page.get_by_role("heading", name="Task of linked22")).to_be_visible()
                expect(page).to_have_url(target)

            stranger, _ = signed_in(browser, f"http://localhost:{port}/")
            stranger.get_by_role("link", name="the run").click()
            expect(stranger.get_by_text("/runs/linked22?q=one")).to_be_visible()
            stranger.goto(f"{server.url}/login?token={server.site.access.link('bob')}")
            expect(stranger.get_by_role("heading", name="Task of linked22")).to_be_visible()
            expect(stranger).to_have_url(target)
        page.context.close()
        stranger.context.close()
