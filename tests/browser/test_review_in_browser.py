"""A person with a browser: comments on a line, requests changes, sees the next version come, approves it."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
import yaml
from playwright.sync_api import Browser, expect

from andon.app.access import Access
from andon.app.controlling import stop_soon
from andon.app.demo import make_sample
from andon.app.queries import open_store
from andon.app.starting import StartOptions
from andon.app.store import Store
from andon.app.tasks import Verdict, Wish, decide, host_task, task_of
from andon.domain.tasks.phases import TaskType
from andon.web.server import create_app
from andon.web.site import Site
from patience import until

from .looking import readable, signed_in

STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-modify.yaml"
PLAN = "docs/planning/modification_plan.md"
DIAGRAM = "```mermaid\nflowchart LR\n  text --> count --> Counter\n```\n\n## Approach"
pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def rules() -> list[dict[str, Any]]:
    """The story of a task, with a diagram in its plan."""
    text = STORY.read_text().replace("## Approach", DIAGRAM.replace("\n", "\n        "))
    return yaml.safe_load(text)["rules"]


class Waiting:
    """A hosted task whose plan waits for a review, and a server that shows it."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "ANDON_HOME": str(folder / "home"), "HOME": str(folder)}
        scenario = folder / "scenario.json"
        scenario.write_text(json.dumps({"scenario": 1, "rules": rules()}))
        settings = {"runtime": "scripted", "scenario": str(scenario)}
        options = StartOptions(("task",), make_sample(folder), settings=settings)
        self.run = host_task(options, Wish("Count words", TaskType.MODIFY_APP), environment).id
        self.store: Store = open_store(environment)
        decide(self.store, self.task(1), Verdict(True, "ann"))
        self.task(2)
        opened = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{opened.getsockname()[1]}"
        app = create_app(Site.of(self.store, environment), frozenset({self.base.removeprefix("http://")}))
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [opened]}, daemon=True)
        self._thread.start()
        until("server", lambda: self._server.started)

    def task(self, phase: int, version: int = 1) -> Any:
        def found() -> Any:
            task = task_of(self.store, self.store.runs.get(self.run))
            same = [each for each in task.reviews if each.phase == phase]
            there = task.pending is not None and task.pending.phase == phase and len(same) == version
            return task if there and self.store.parked(self.store.runs.get(self.run)) else None

        return until(f"v{version} of phase {phase}", found)

    def link(self) -> str:
        return f"{self.base}/login?token={Access(self.store.home).link('ann')}"

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        stop_soon(self.store, self.store.runs.get(self.run))
        until("end", lambda: self.store.runs.get(self.run).status.ended)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Generator[Waiting]:
    made = Waiting(tmp_path_factory.mktemp("browser"))
    yield made
    made.close()


def test_D_77_G_33_every_theme_language_and_width_is_readable(browser: Browser, waiting: Waiting) -> None:
    review = waiting.task(2).pending
    seen = (f"/reviews/{review.id}", f"/reviews/{review.id}?diff=unified&source={PLAN}", "/reviews", "/chat")

    readable(browser, waiting.link, waiting.base, seen, "main")


def test_D_77_D_101_D_103_a_line_is_commented_changes_come_and_the_next_version_is_approved(
    browser: Browser, waiting: Waiting
) -> None:
    first = waiting.task(2).pending
    page, said = signed_in(browser, waiting.link())
    page.goto(f"{waiting.base}/reviews/{first.id}#{PLAN}:L8")
    frame = page.frame_locator("figure.diagram iframe")
    expect(frame.locator("svg[aria-roledescription]")).to_be_visible()  # drawn where nothing can be reached

    page.locator(f'a[id="{PLAN}:L8"]').focus()
    page.keyboard.press("c")
    page.keyboard.type("Four cases")
    page.keyboard.press("Control+Enter")
    page.locator(f'section[data-file="{PLAN}"] button', has_text="Comment").click()
    page.keyboard.type("Name the test")
    page.keyboard.press("Control+Enter")
    page.reload()  # drafts outlive it
    expect(page.locator(".draft")).to_have_count(2)
    page.locator(".draft", has_text="Name the test").get_by_role("button", name="Edit").click()
    page.keyboard.press("End")
    page.keyboard.type(" file")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".draftlist")).to_contain_text("Name the test file")
    page.get_by_role("button", name="Request changes").click()

    expect(page.locator("#decide-h")).to_have_text("ann requested changes of v1.")
    decided = waiting.store.reviews.get(first.id)
    told = {(each.path, each.line, each.text) for each in decided.comments}
    assert told == {(PLAN, 8, "Four cases"), (PLAN, 0, "Name the test file")}
    expect(page.locator("#decide-h")).to_have_text("v2 is here. You are looking at v1.", timeout=60_000)
    page.get_by_role("link", name="Open v2").click()
    expect(page.locator("#decide-why")).to_contain_text("You decide on v2")
    expect(page.locator(".told")).to_contain_text("Four cases")
    second = waiting.task(2, 2).pending
    page.keyboard.press("a")
    expect(page.locator("#decide-h")).to_have_text("ann approved v2.")
    assert waiting.store.reviews.get(second.id).status == "approved"
    assert said == []
    page.context.close()


def test_D_102_who_comes_second_is_told_who_was_first_and_keeps_the_text(browser: Browser, waiting: Waiting) -> None:
    task = waiting.task(3)
    page, _ = signed_in(browser, waiting.link())
    page.goto(f"{waiting.base}/reviews/{task.pending.id}")
    page.locator("#decide-text").fill("Looks right to me")
    page.context.set_offline(True)  # the page is not told that somebody else decides
    decide(waiting.store, task, Verdict(False, "bob", "Not yet"))
    page.context.set_offline(False)
    page.get_by_role("button", name="Approve").click()

    expect(page.locator("#decide-h")).to_contain_text("bob requested changes of v1.")
    expect(page.locator("#kept textarea")).to_have_value("Looks right to me")
    page.context.close()
