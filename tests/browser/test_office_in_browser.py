"""A person makes a team in a browser: looks what there is, has a workflow analysed, writes the proposed team."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from andon.app.home import Home
from andon.app.serving import link
from andon.app.teams import check
from patience import until

from .looking import readable, signed_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]
FILES: Mapping[str, str] = {
    "docs/flow.md": "---\nname: research\ndescription: Looks and writes\n---\n"
    "## Step 1 Ask\nAskUserQuestion(topic)\n## Step 2 Read\nIn parallel.\n"
    "### 논문 읽기\nRead(papers)\n### Code\nGrep(x)\n"
    "## Step 3 Merge\nmcp__drawio__create_new_diagram\noutputs: `report/final.md`\n",
    "docs/circle.md": "## Step 1\nblockedBy: [Step 2]\n## Step 2\nblockedBy: [Step 1]\n",
    ".claude/skills/km-one.md": "---\nname: km-one\ndescription: First\n---\n",
    ".claude/skills/km-two.md": "---\nname: km-two\ndescription: '<b>Second</b>'\n---\n",
    ".claude/agents/broken.md": "---\nname: [\n---\n",
    ".mcp.json": json.dumps({"mcpServers": {"notes": {"command": "/nowhere/notes", "args": ["--all"]}, "odd": 1}}),
}


class House:
    """A project, and the server that was started in it."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        for path, text in FILES.items():
            (self.project / path).parent.mkdir(parents=True, exist_ok=True)
            (self.project / path).write_text(text)
        self.environment = {**os.environ, "ANDON_HOME": str(folder / "home"), "HOME": str(folder)}
        words = [sys.executable, "-m", "andon", "serve", "--port", "0"]
        self.process = subprocess.Popen(
            words, env=self.environment, cwd=self.project, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        found = re.search(r"http://127.0.0.1:(\d+)", self.process.stdout.readline())
        assert found, "the server said where it listens"
        self.base = found[0]

    def link(self) -> str:
        return link(Home.of(self.environment), self.base, "ann")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    made = House(tmp_path_factory.mktemp("officewithalongnamethatnothingbreaks"))
    yield made
    made.close()


def test_B_13_B_32_from_the_office_to_a_written_team(browser: Browser, house: House) -> None:
    page, said = signed_in(browser, house.link())
    page.goto(f"{house.base}/office?tab=skills")
    expect(page.locator("#office-there")).to_contain_text("<b>Second</b>")  # the scan ended while it was looked at
    page.get_by_role("link", name="MCP servers").click()
    page.get_by_text("Ask the servers for their tools…").click()
    expect(page.locator(".asking code")).to_have_text("/nowhere/notes --all")
    page.get_by_role("button", name="Start what is ticked").click()
    expect(page.locator("#office-there")).to_contain_text("there is no program")
    page.get_by_role("link", name="Propose a team…").click()
    page.get_by_role("link", name="Analyse docs/flow.md").click()
    expect(page.locator("h1")).to_have_text("research")
    expect(page.locator(".dag rect")).to_have_count(5)
    expect(page.locator(".p-office")).to_contain_text("npx -y drawio-mcp-server")
    page.get_by_role("link", name="Propose a team…").click()
    page.get_by_role("button", name="Write team.yaml").click()
    expect(page.locator("#write")).to_contain_text(f"{house.project}/team.yaml")

    until("file", (house.project / "team.yaml").exists)
    assert {each.name for each in check(house.project / "team.yaml").members} >= {"lead", "code"}
    assert said == []
    page.context.close()


def test_D_77_the_pages_of_a_team_are_readable_in_every_look_and_without_scripts(
    browser: Browser, house: House
) -> None:
    file = quote(str(house.project / "docs" / "flow.md"))
    circle = quote(str(house.project / "docs" / "circle.md"))
    tabs = tuple(f"/office?tab={tab}" for tab in ("agents", "skills", "servers", "tools", "workflows"))
    pages = (
        *tabs,
        "/office/memory",
        f"/office/workflow?file={file}",
        f"/office/team?file={file}",
        f"/office/workflow?file={circle}",
    )

    readable(browser, house.link, house.base, pages)

    page, _ = signed_in(browser, house.link(), java_script_enabled=False)
    page.goto(f"{house.base}/office/team?file={file}&path=teams/other.yaml")
    page.get_by_role("button", name="Write teams/other.yaml").click()
    expect(page.locator("#write")).to_contain_text(f"{house.project}/teams/other.yaml")
    page.context.close()
