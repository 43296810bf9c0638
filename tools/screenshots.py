"""`make screenshots`: every page in both themes and languages, from real runs, into docs/images. Names make only those.

The runs are those of the demos, made in a folder of their own with the scripted runtime: no key, no account.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlencode

import yaml
from playwright.sync_api import Browser, sync_playwright

from andon.app.demo import Demo, host_demo, make_sample
from andon.app.home import Home
from andon.app.memory import memory_of
from andon.app.queries import open_store
from andon.app.serving import link
from andon.app.starting import StartOptions
from andon.app.store import Store
from andon.app.tasks import Verdict, Wish, decide, host_task, task_of
from andon.app.wishing import new_wish, submit
from andon.domain.journal import Entry
from andon.domain.learning import Lesson, Origin
from andon.domain.tasks.phases import TaskType
from andon.domain.teams.deciding import NO, YES, Decision, Stand
from andon.domain.teams.shared import decision_row
from andon.memory.sqlite import Database

STORY = Path(__file__).parents[1] / "tests" / "pipelines" / "stories" / "task-custom.yaml"
IMAGES = Path(__file__).parents[1] / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
LOOKS = [(theme, language) for theme in ("light", "dark") for language in ("en", "ko")]
DEADLINE = 120.0
WORKFLOW = "docs/release-notes.md"
LESSONS = (
    Lesson("The order of entries in CHANGELOG.md is relied on by the site.", ("judgement",), "critic"),
    Lesson("pytest failed: notes without a date have no order.", ("failure", "test")),
)
PROJECT = {
    WORKFLOW: """---
name: release-notes
description: Collects what has changed since the last release, and writes it down for people
---
## Step 1: Choose the release
AskUserQuestion(which tag?)
## Step 2: Collect
Three readers in parallel.
### Commits
Bash(git log)
outputs: commits.md
### Issues
mcp__github__list_issues
outputs: issues.md
### Pages
mcp__hyperbrowser__scrape_webpage
outputs: pages.md
## Step 3: Merge what was found
inputs: commits.md, issues.md, pages.md
outputs: `notes/draft.md`
## Step 4: Verify every link
Grep(http)
## Step 5: Write the notes
outputs: `notes/release.md`
mcp__notion__API-post-page
""",
    ".claude/skills/km-collect.md": "---\nname: km-collect\ndescription: Collects notes on a subject\n---\n",
    ".claude/skills/km-link.md": "---\nname: km-link\ndescription: Links notes with each other\n---\n",
    ".claude/agents/reader.md": "---\nname: reader\nmodel: haiku\ntools: Read, Grep, Glob\n---\n",
    ".mcp.json": json.dumps(
        {
            "mcpServers": {
                "github": {"command": "npx", "args": ["-y", "github-mcp"], "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}},
                "notion": {"type": "sse", "url": "https://mcp.notion.com/sse"},
                "obsidian": {"args": []},
                "playwright": {"command": "npx", "args": ["-y", "@playwright/mcp"]},
            }
        }
    ),
}


def until(what: str, asked: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not asked():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.1)


def unseen(entry: Entry) -> None:
    """Nobody looks on: the pictures are of what is left."""


def filled(environment: Mapping[str, str], workflow: Path) -> dict[str, str]:
    """Runs of every kind, in the states in which people meet them; and the paths of their pages."""
    store = open_store(environment)
    done = Demo(make_sample(), "auto").run(environment, unseen).run
    planned = Demo(make_sample(), "uam").run(environment, unseen).run
    talk = _talk(store, environment)
    task = host_demo(environment)
    for phase in (1, 2):
        _review(store, task.id, phase)
        decide(store, task_of(store, store.runs.get(task.id)), Verdict(True, "ann"))
    review = _review(store, task.id, 3)
    host_demo(environment)
    submit(store, new_wish("Rate limit the public endpoints", str(make_sample()), "ann", draft=True, type="modify_app"))
    return {
        "board": "/",
        "new-task": "/tasks/new",
        "runs": "/runs",
        "run": f"/runs/{done.id}",
        "run-uam": f"/runs/{planned.id}",
        "run-waiting": f"/runs/{task.id}",
        "reviews": "/reviews",
        "review": f"/reviews/{review}",
        "chat": f"/chat/{talk}",
        "office": "/office?tab=servers",
        "workflow": f"/office/workflow?{urlencode({'file': workflow})}",
        "team": f"/office/team?{urlencode({'file': workflow})}",
        "memory": "/office/memory?q=order",
        "settings": "/settings",
    }


def project(folder: Path) -> Path:
    """Where the server is started: a project with skills, servers and a workflow."""
    for path, text in PROJECT.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def remembered(folder: Path, environment: Mapping[str, str]) -> None:
    """What a team proposed and runs learned there."""
    now = time.time()
    votes = {"writer": YES, "reviewer": YES, "reader": NO}
    told = (
        Decision("Say in the plan that notes are ordered by date, the newest first.", "writer", int(now) - 600, votes),
        Decision("Leave drafts out of the release notes.", "reader", int(now) - 4000, {"reader": YES}),
    )
    team = Database(folder / ".team-artifacts" / "memory.db")
    team.share([decision_row(each) for each in told], now)
    team.decide(1, Stand.APPROVED, "ann")
    kept = memory_of(folder, environment, server=False)
    kept.learnings.remember("r", LESSONS, Origin("k3v9q2xa", "auto", "Write release notes", "passed"))
    kept.add("Links to issues are checked by hand before a release.", ("release",), "ann")


def _talk(store: Store, environment: Mapping[str, str]) -> str:
    """A conversation with one answer."""
    rules = yaml.safe_load(STORY.read_text("utf-8"))["rules"]
    scenario = Path(environment["HOME"]) / "talk.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": rules}))
    settings = {"runtime": "scripted", "scenario": str(scenario)}
    options = StartOptions(("task",), make_sample(), settings=settings)
    run = host_task(options, Wish("Explain how words() splits a text, with an example", TaskType.CUSTOM), environment)
    until("answer", lambda: store.runs.get(run.id).status.ended)
    return run.id


def _review(store: Store, run: str, phase: int) -> str:
    def waits() -> bool:
        found = task_of(store, store.runs.get(run)).pending
        return found is not None and found.phase == phase and store.parked(store.runs.get(run))

    until(f"review of phase {phase}", waits)
    found = task_of(store, store.runs.get(run)).pending
    assert found is not None
    return found.id


def picture(browser: Browser, base: str, sign_in: str, pages: Mapping[str, str], theme: str, language: str) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=theme, locale="en-US")
    context.add_cookies([{"name": "andon-language", "value": language, "url": base}])
    page = context.new_page()
    page.goto(sign_in)
    for name, path in pages.items():
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(base + path)
        page.wait_for_timeout(600)
        page.screenshot(path=IMAGES / f"{name}-{theme}-{language}.png")
        if name in ("board", "run-waiting", "review") and (theme, language) in (("light", "en"), ("dark", "ko")):
            page.set_viewport_size({"width": 390, "height": 844})
            page.wait_for_timeout(300)
            page.screenshot(path=IMAGES / f"{name}-{theme}-{language}-phone.png")
    context.close()


def looked(browser: Browser, base: str, sign_in: str) -> None:
    """The office has looked at everything before it is pictured."""
    page = browser.new_page()
    page.goto(sign_in)
    page.goto(f"{base}/office?tab=skills")
    page.get_by_text("km-collect").wait_for(timeout=DEADLINE * 1000)
    page.close()


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="andon-pictures-") as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        environment = {**os.environ, "HOME": folder, "ANDON_HOME": f"{folder}/home", "USER": "ann"}
        started_in = project(Path(folder) / "project")
        remembered(started_in, environment)
        pages = filled(environment, started_in / WORKFLOW)
        pages = {name: path for name, path in pages.items() if name in sys.argv[1:] or not sys.argv[1:]}
        words = [sys.executable, "-m", "andon", "serve", "--port", "0"]
        with subprocess.Popen(words, env=environment, cwd=started_in, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            assert found
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                looked(browser, found[0], link(Home.of(environment), found[0], "ann"))
                for theme, language in LOOKS:
                    sign_in = link(Home.of(environment), found[0], "ann")
                    picture(browser, found[0], sign_in, pages, theme, language)
                browser.close()
            server.terminate()


if __name__ == "__main__":
    main()
