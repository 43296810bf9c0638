"""A person with a browser and `andon serve` itself: start a task, watch it, stop and resume it, lose the server."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, Page, expect

from andon.app.access import Access, Role
from andon.app.demo import make_sample
from andon.app.home import Home
from andon.app.queries import open_store
from andon.app.serving import link
from andon.app.store import Store
from andon.app.tasks import task_of
from andon.domain.order import Question
from andon.domain.run import RunRow, Status
from patience import until

from .looking import readable, signed_in

STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-modify.yaml"
EVENTS = 5_000
DIRECTED = {"match": {"prompt": "Keep it short"}, "reply": "It is short.\n=== PHASE 1 COMPLETE ===\n"}
"""What a person directs is worked on before the phase is presented again."""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
PAGES = ("/", "/?view=columns", "/runs", "/tasks/new", "/reviews", "/chat", "/office", "/settings")
pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]


class House:
    """A data folder, a repository, and the server as a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.environment: Mapping[str, str] = {**os.environ, "ANDON_HOME": str(folder / "home"), "HOME": str(folder)}
        self.repository = make_sample(folder)
        self.scenario = folder / "scenario.json"
        rules = [DIRECTED, *yaml.safe_load(STORY.read_text())["rules"]]
        self.scenario.write_text(json.dumps({"scenario": 1, "rules": rules}))
        self.store: Store = open_store(self.environment)
        self.port = 0
        self.process = self.serve()

    def serve(self) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "andon", "serve", "--port", str(self.port)]
        process = subprocess.Popen(words, env=dict(self.environment), stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found = re.search(r"http://127.0.0.1:(\d+)", process.stdout.readline())
        assert found, "the server said where it listens"
        self.port = int(found[1])
        return process

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def link(self, name: str = "ann") -> str:
        return link(Home.of(self.environment), self.base, name)

    def newest(self) -> RunRow:
        return self.store.runs.newest(1)[0]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    folder = tmp_path_factory.mktemp("pages") / "a_folder_whose_name_has_no_place_to_break_a_line"
    folder.mkdir()
    made = House(folder)
    yield made
    made.close()


def test_D_121_a_task_is_started_from_the_page_watched_live_stopped_and_resumed(browser: Browser, house: House) -> None:
    page, said = signed_in(browser, house.link())
    expect(page.get_by_role("heading", name="No task yet")).to_be_visible()

    page.keyboard.press("c")
    page.get_by_label("The task").fill("Count how often each word occurs")
    page.get_by_label("Repository").fill(str(house.repository))
    page.get_by_role("radio", name="Change an application").check()
    page.get_by_label("Who works").select_option("scripted")
    page.get_by_text("More…").click()
    page.get_by_label("Scenario of the scripted runtime").fill(str(house.scenario))
    page.get_by_role("button", name="Start").click()

    expect(page).to_have_url(re.compile(r"/runs/\w+$"))
    stays = page.evaluate("window.marked = 'not loaded again'")
    expect(page.get_by_role("heading", name="Phase 1 waits for your review")).to_be_visible(timeout=60_000)
    assert page.evaluate("window.marked") == stays
    run = house.newest()
    until("park", lambda: house.store.parked(house.store.runs.get(run.id)))
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="Why it stopped: a person")).to_be_visible()
    assert house.store.status(house.newest()) is Status.STOPPED
    page.get_by_label("Direction").fill("Keep it short")
    page.get_by_role("button", name="Give a direction and resume").click()
    expect(page.get_by_role("heading", name="Phase 1 waits for your review")).to_be_visible(timeout=60_000)
    assert [e.data["text"] for e in house.store.journal.entries(run.id) if e.kind == "directed"] == ["Keep it short"]
    assert said == []
    page.context.close()


def test_E_25_whoever_types_an_answer_is_waited_for(browser: Browser, house: House) -> None:
    run = house.newest()
    until("review", lambda: task_of(house.store, house.newest()).pending)
    hold = f"{run.id}/{run.leg}.999"
    house.store.holds.open(hold, run.id, Question("Which name?", default="tally", timeout=300))
    page, said = signed_in(browser, house.link())
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url) if "keep-waiting" in request.url else None)
    page.goto(f"{house.base}/runs/{run.id}")
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^[45]:\d\d$"))

    field = page.get_by_label("Answer", exact=True)
    field.press_sequentially("words")

    expect(page.get_by_text("Waits for ann. No default is taken.")).to_be_visible()
    expect(field).to_have_value("words")
    expect(field).to_be_focused()
    expect(page.get_by_role("timer")).to_have_count(0)
    assert len(asked) == 1 and said == []
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.get_by_role("heading", name="Which name?")).to_have_count(0)
    answered = house.store.holds.get(hold)
    assert answered is not None and (answered.answer, answered.kept_by) == ("words", "ann")
    page.context.close()


def test_D_102_of_two_reviewers_the_second_is_told_who_decided_and_keeps_their_text(
    browser: Browser, house: House
) -> None:
    review = until("review", lambda: task_of(house.store, house.newest()).pending)
    first, _ = signed_in(browser, house.link("ann"))
    second, _ = signed_in(browser, house.link("bob"))
    for page in (first, second):
        page.goto(f"{house.base}/reviews/{review.id}")
    second.route("**/live*", lambda route: route.abort())  # bob's page does not hear of it in time
    second.reload()
    second.get_by_label("About all of it").fill("I would have it shorter")

    first.get_by_role("button", name="Approve").click()
    until("decision", lambda: not house.store.reviews.get(review.id).pending)
    second.get_by_role("button", name="Request changes").click()

    expect(second.get_by_text("ann").first).to_be_visible()
    expect(second.locator("textarea").first).to_have_value("I would have it shorter")
    assert house.store.reviews.get(review.id).decided_by == "ann"
    first.context.close()
    second.context.close()


def test_D_121_a_page_says_that_the_server_is_gone_and_catches_up_when_it_is_back(
    browser: Browser, house: House
) -> None:
    run = house.newest()
    page, _ = signed_in(browser, house.link())
    page.goto(f"{house.base}/runs/{run.id}")
    expect(page.locator("#offline")).to_be_hidden()
    stays = page.evaluate("window.marked = 'not loaded again'")

    house.process.send_signal(signal.SIGKILL)
    house.process.wait(20)
    expect(page.locator("#offline")).to_be_visible()
    house.store.journal.append(run.id, "9.1", "notice", "", {"text": "said while nobody listened"})
    house.process = house.serve()

    expect(page.locator("#offline")).to_be_hidden(timeout=60_000)
    expect(page.locator(".jrow", has_text="said while nobody listened")).to_have_count(1)
    assert page.evaluate("window.marked") == stays
    page.context.close()


def test_D_77_every_page_is_readable_in_both_themes_languages_and_widths(browser: Browser, house: House) -> None:
    run = house.newest()
    weeks_ago = time.time() - 20 * 86_400
    Access(Home.of(house.environment), lambda: weeks_ago).token(
        "the-program-that-makes-releases-at-night", Role.REVIEWER
    )
    readable(browser, house.link, house.base, (*PAGES, f"/runs/{run.id}"))


def test_D_121_a_run_with_five_thousand_events_is_painted_as_soon_as_one_with_fifty(
    browser: Browser, house: House
) -> None:
    run = house.newest()
    page, _ = signed_in(browser, house.link())
    few = painted(page, f"{house.base}/runs/{run.id}")
    told = [(f"9.{n}", "notice", {"text": f"event {n}"}) for n in range(2, EVENTS)]
    house.store.journal.append_all(run.id, "", told)

    many = painted(page, f"{house.base}/runs/{run.id}")

    assert page.locator(".jrow").count() == 200 and many < 2 * few, (few, many)
    page.get_by_role("link", name="Load 200 older").click()
    expect(page.locator(".jrow")).to_have_count(400)
    page.context.close()


def painted(page: Page, address: str) -> float:
    """Milliseconds until something is seen: the best of five, the first of which fetches what is kept from then on."""
    seen = list[float]()
    for _ in range(5):
        page.goto(address)
        expect(page.locator(".jrow").first).to_be_visible()
        seen.append(until("paint", lambda: page.evaluate(PAINTED)))
    return min(seen)
