"""The office: what a scan found, as a person sees it; and what is started only when an admin has seen it."""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from andon.app.access import Role
from andon.app.inventories import Found
from andon.app.office import office
from andon.domain.language import Language
from andon.domain.teams.panes import Platform, Terminal, panes_for
from andon.domain.teams.tool_paths import MATRIX
from andon.teamify.programs import KNOWN
from andon.web.words import table
from patience import until

from .small import Small, small

pytestmark = pytest.mark.xdist_group("office-page")
SERVER = """
import pathlib, sys
pathlib.Path(sys.argv[1]).write_text("started")
from mcp.server import MCPServer
made = MCPServer("three")
for name in ("create_note", "search_vault", "read_note"):
    made.tool(name=name)(lambda: "x")
made.run("stdio")
"""
FILES: Mapping[str, str] = {
    ".claude/skills/km-one.md": "---\nname: km-one\ndescription: First\n---\n## STEP 1\n## STEP 2\n",
    ".claude/skills/km-two/SKILL.md": "---\nname: km-two\ndescription: Second\n---\n",
    ".claude/skills/evil.md": '---\nname: "<script>alert(1)</script>"\ndescription: "<img src=x onerror=a()>"\n---\n',
    ".claude/skills/مهارة.md": "---\nname: مهارة\ndescription: 한국어 설명\n---\n",
    ".claude/agents/reader.md": "---\nname: reader\nmodel: haiku\ntools: Read, Grep, Glob, Bash, X, TeamCreate\n---\n",
    ".claude/agents/broken.md": "---\nname: [\n---\n",
    ".claude/commands/go.md": "---\ndescription: Goes\nallowedTools: TeamCreate\n---\n",
    "docs/plan.md": "# Plan\n## Phase 1 Look\n## Phase 2 Write\n",
    "docs/notes.md": "# Notes\n## About\n## More\n",
}


def project(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    root = folder / "project"
    root.mkdir()
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    servers = {
        "obsidian": {
            "command": sys.executable,
            "args": ["-c", SERVER, str(folder / "started")],
            "env": {"VAULT_KEY": "SECRET"},
        },
        "notion": {"type": "sse", "url": "https://me:SECRET@127.0.0.1:9/sse?key=SECRET"},
        "odd": 3,
    }
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    return root


def programs(folder: Path, **texts: str) -> str:
    """A PATH with small programs of our own before those of the machine."""
    (folder / "bin").mkdir()
    for name, text in texts.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / "bin" / name).chmod(0o755)
    return f"{folder / 'bin'}:/usr/bin:/bin"


def found(made: Small) -> Found:
    """What the first scan of the project found."""
    kept = made.site.inventories.of(made.site.inventories.project(""))
    return until("scan", kept.now, 60)


def rows(page: str) -> list[str]:
    """Rows of the table with the tabs, as text."""
    inside = page.partition('id="office-there"')[2].partition("</section>")[0]
    return [html.unescape(re.sub(r"<[^>]+>", " ", row)) for row in re.findall(r"<tr>.*?</tr>", inside, re.S)][1:]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    folder = tmp_path_factory.mktemp("office")
    path = programs(folder, playwright="echo Version 1.49.0", gh="echo gh version 2.60.1", npx="exit 1")
    with small(folder, here=project(folder), PATH=path) as made:
        assert made.site.inventories.asking(folder / "project").starts
        found(made)
        yield made


def page(made: Small, tab: str, role: Role = Role.VIEWER, **more: str) -> str:
    with made.client(role) as client:
        answer = client.get("/office", params={"tab": tab, **more})
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_B_33_every_role_says_which_door_uses_it() -> None:
    doors = {each.name: each.used_by for each in office({}, [], None).roles}

    assert {name: door for name, door in doors.items() if name.startswith("team-")} == {
        **dict.fromkeys(("team-lead", "team-reader", "team-reviewer", "team-worker"), "team")
    }
    assert {door for name, door in doors.items() if name.startswith("task-")} == {"task"}
    assert "auto" in doors["planner"] and "uam" in doors["uam-worker"]


def test_B_03_B_04_agents_and_commands_show_model_tools_and_whether_they_make_teams(house: Small) -> None:
    agents, commands = rows(page(house, "agents")), rows(page(house, "commands"))

    [reader] = [row.split() for row in agents if row.split()[0] == "reader"]
    assert {"haiku", "Read", "Grep", "+1", "yes"} <= set(reader)
    assert "Cannot be read" in agents[0] and "broken" in agents[0]
    assert any({"go", "yes", "Goes"} <= set(row.split()) for row in commands)


def test_B_02_skills_stand_under_their_prefix_in_any_script_and_as_text(house: Small) -> None:
    everything, own = page(house, "skills"), page(house, "skills", family="km")

    assert [row.split()[0] for row in rows(own)] == ["km-one", "km-two"]
    assert "<script>alert" not in everything and "<img src=x" not in everything
    assert "&lt;script&gt;alert(1)" in everything and "مهارة" in everything and "한국어 설명" in everything


def test_B_05_B_10_a_broken_server_is_a_row_and_nothing_secret_is_shown(house: Small) -> None:
    shown = page(house, "servers")

    first, *others = rows(shown)
    assert "odd" in first and "Does not work" in first and "its entry is not a table" in first
    assert any({"notion", "sse", "Not", "asked"} <= set(row.split()) for row in others)
    assert "SECRET" not in shown and not (house.folder / "started").exists()


def test_B_09_B_11_B_12_programs_have_versions_and_the_matrix_says_which_way_is_taken(house: Small) -> None:
    shown = page(house, "tools")

    assert any({"playwright", "1.49.0"} <= set(row.split()) for row in rows(shown))
    assert any({"gh", "2.60.1"} <= set(row.split()) for row in rows(shown))
    machine = re.sub(r"<[^>]+>", " ", shown.partition('id="office-machine"')[2])
    assert re.search(r"browser automation\s+playwright\s+npx playwright\s+There\s+CLI\s+npx playwright", machine)
    assert re.search(r"Obsidian vault\s+obsidian\s+There\s+obsidian-cli\s+MCP\s+obsidian\s+file system", machine)


def test_B_08_B_15_B_51_the_platform_its_panes_and_places_elsewhere_are_named(house: Small) -> None:
    shown = page(house, "roles")

    assert ">linux<" in shown or ">macos<" in shown or ">wsl<" in shown
    assert "Split panes" in shown and "https://registry.modelcontextprotocol.io/" in shown
    assert "broken.md" in shown, "what could not be read is on every tab"


def test_B_17_workflow_documents_are_those_with_steps(house: Small) -> None:
    listed = rows(page(house, "workflows", q="docs/")) + rows(page(house, "workflows", q="km-"))

    assert [row.split()[0] for row in listed] == ["docs/plan.md", "km-one"]
    first, *_, last = rows(page(house, "workflows"))
    assert "this project" in first and "uam" in last, "the project's own come first"


def test_a_link_out_of_the_project_is_listed_and_not_read(tmp_path: Path) -> None:
    root = project(tmp_path, {})
    (tmp_path / "secret.md").write_text("## Step 1 Secret\n## Step 2 Secret\n")
    (root / ".claude" / "skills").mkdir(parents=True)
    (root / ".claude" / "skills" / "out.md").symlink_to(tmp_path / "secret.md")
    with small(tmp_path, here=root) as made:
        [row] = [each for each in found(made).documents if each.name == "out"]
        assert row.problem == "it is a link out of the project"
        assert "link out of the project" in rows(page(made, "workflows"))[0]


def test_ten_thousand_skills_are_paged_and_filtered_on_the_server(tmp_path: Path) -> None:
    skills = {f".claude/skills/x{n % 700:03}-{n:05}.md": f"---\ndescription: Number {n}\n---\n" for n in range(10_000)}
    with small(tmp_path, here=project(tmp_path, skills)) as made:
        found(made)
        first, last, one = (
            page(made, "skills"),
            page(made, "skills", page="99999"),
            page(made, "skills", q="number 9999"),
        )

    assert len(rows(first)) == 100 and len(first) < 200_000 and "Page 1 of" in first
    assert 0 < len(rows(last)) <= 100 and len(rows(one)) == 1
    assert first.count('class="pick"') <= 13


def test_a_scan_goes_on_in_the_background_and_is_made_once(tmp_path: Path) -> None:
    go, count = tmp_path / "go", tmp_path / "count"
    waits = f'echo x >> {count}\nwhile [ ! -e {go} ]; do sleep 0.05; done\necho "gh version 7.7.7"'
    with small(tmp_path, here=project(tmp_path), PATH=programs(tmp_path, gh=waits, npx="exit 1")) as made:
        first = page(made, "tools")
        again = [page(made, "tools") for _ in range(3)]
        assert all("scanning now" in each and "7.7.7" not in each for each in (first, *again))
        go.touch()
        until("scan", lambda: "7.7.7" in page(made, "tools"), 60)
        shown = page(made, "tools")
        at = found(made).scanned_at

        assert "scanned" in shown and "scanning now" not in shown
        before = count.read_text()
        assert page(made, "skills") and found(made).scanned_at == at and count.read_text() == before
        with made.client(Role.REVIEWER) as client:
            assert client.post("/office/scan", data={"tab": "tools"}).status_code == 303
        assert found(made).scanned_at > at


def test_only_projects_that_andon_knows_are_looked_at(house: Small) -> None:
    with house.client() as client:
        assert client.get("/office", params={"project": "/etc"}).status_code == 404
        assert client.post("/office/scan", data={"project": "/etc"}).status_code == 404
        assert client.get("/office", params={"project": str(house.folder / "project")}).status_code == 200


# --- asking the servers ---------------------------------------------------------------------------------------------


def test_B_06_what_asking_would_start_is_shown_to_admins_line_by_line_before(house: Small) -> None:
    shown = html.unescape(page(house, "servers", Role.ADMIN))

    live = shown.partition('id="office-there"')[2].partition("</section>")[0]
    assert "/office/ask-servers" not in live, "what is started is what stood there when the page was opened"
    assert str(house.folder / "started") in shown and "import pathlib, sys" in shown and sys.executable in shown
    assert "VAULT_KEY" in shown and "SECRET" not in shown and "https://127.0.0.1:9/sse" in shown
    assert not (house.folder / "started").exists()
    for role in (Role.VIEWER, Role.REVIEWER):
        assert "/office/ask-servers" not in page(house, "servers", role)


def test_B_06_others_than_admins_start_nothing(house: Small) -> None:
    mark = house.site.inventories.asking(house.folder / "project").mark
    for role in (Role.VIEWER, Role.REVIEWER):
        with house.client(role) as client:
            assert client.post("/office/ask-servers", data={"seen": mark}).status_code == 403
    with closing(house.browser()) as browser:  # signed in, but not from our page
        headers = {"origin": house.url}
        assert browser.post("/office/ask-servers", data={"seen": mark}, headers=headers).status_code == 403
    assert not (house.folder / "started").exists()


def test_B_06_servers_are_asked_when_they_are_those_that_were_seen(tmp_path: Path) -> None:
    with small(tmp_path, here=project(tmp_path)) as made, made.client() as admin:
        found(made)
        seen = re.findall(r'name="seen" value="(\w+)"', page(made, "servers", Role.ADMIN))
        assert len(seen) == 1
        other = json.loads((tmp_path / "project" / ".mcp.json").read_text())
        (tmp_path / "project" / ".mcp.json").write_text(json.dumps({"mcpServers": {"x": {"command": "touch"}}}))
        changed = admin.post("/office/ask-servers", data={"seen": seen[0], "server": "0"})
        nothing = admin.post("/office/ask-servers", data={"tab": "servers"})
        assert (changed.status_code, nothing.status_code) == (409, 422)
        assert "not those that you saw" in changed.text and not (tmp_path / "started").exists()
        (tmp_path / "project" / ".mcp.json").write_text(json.dumps(other))

        for none in ({}, {"server": "x"}, {"server": "99"}):
            assert admin.post("/office/ask-servers", data={"seen": seen[0], **none}).status_code == 422
        assert not (tmp_path / "started").exists()
        asked = admin.post("/office/ask-servers", data={"seen": seen[0], "server": box(made, "obsidian")})

        assert asked.status_code == 303 and asked.headers["location"].endswith("tab=servers")
        kept = made.site.inventories.of(tmp_path / "project")
        told = until("answers", lambda: kept.known if kept.known and kept.known.asked_at else None, 60)
        assert {each.name: len(each.tools or ()) for each in told.inventory.servers}["obsidian"] == 3
        assert {each.name: each.status for each in told.inventory.servers}["notion"] == "not asked"
        assert any({"obsidian", "Answers", "3"} <= set(row.split()) for row in rows(page(made, "servers")))
        assert admin.post("/office/scan", data={"tab": "servers"}).status_code == 303
        assert "search_vault" in page(made, "servers"), "a scan keeps what the same servers have told"
        admin.post("/office/ask-servers", data={"seen": seen[0], "server": box(made, "notion")})
        told = until(
            "the other one", lambda: now if (now := kept.known) and _status(now, "notion") == "problem" else None, 60
        )
        assert _status(told, "obsidian") == "active", "who is not asked again keeps what it told"


def box(made: Small, server: str) -> str:
    """What the box of a server sends; all are ticked when the page is opened."""
    shown = page(made, "servers", Role.ADMIN)
    boxes = re.findall(r'name="server" value="(\d+)" checked> <b><bdi>(\w+)<', shown)
    assert len(boxes) == 2, "those that can be asked"
    return next(number for number, name in boxes if name == server)


def _status(now: Found, server: str) -> str:
    return next(each.status for each in now.inventory.servers if each.name == server)


# --- words ----------------------------------------------------------------------------------------------------------


def test_E_05_what_the_scan_says_in_words_has_its_korean() -> None:
    said = {text for each in MATRIX for text in (each.title, each.why, each.otherwise) if text}
    said |= {each.use for each in KNOWN}
    terminals = [
        Terminal(platform, tmux, program=program)
        for platform in Platform
        for tmux in (True, False)
        for program in ("", "vscode", "iTerm.app")
    ]
    said |= {hint for each in terminals if (hint := panes_for(each).hint)}

    assert sorted(said - table(Language.KO).keys()) == []


def test_the_status_for_other_programs_has_what_the_scan_found(house: Small) -> None:
    with house.client() as client:
        told = client.get("/api/status").json()["office"]

    assert {"km-one", "km-two"} <= {each["name"] for each in told["skills"]}
    assert {"git", "python", "gh"} <= {each["name"] for each in told["tools"]} or not told["scanned_at"]
    used = {each["name"]: each["used_by"] for each in told["agents"]}
    assert (used["planner"], used["team-reader"], used["task-agent"]) == ("auto", "team", "task")
    assert httpx.get(f"{house.url}/api/status").json()["office"] is None


def test_G_10_the_page_goes_by_the_tables_of_the_settings_too(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.toml").write_text(f'team_tables = "{tmp_path}/tables"\n')
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "tools.yaml").write_text("[{name: x, title: Reading history, program: git, first: cli}]")
    with small(tmp_path, here=project(tmp_path)) as made:
        functions = found(made).tables.tools
        shown = page(made, "servers")
        (tmp_path / "tables" / "tools.yaml").write_text("nothing like it")
        made.site.inventories.of(tmp_path / "project").again().result(60)
        broken = page(made, "servers")

    assert [each.title for each in functions] == ["Reading history"]
    assert "Reading history" in shown and "Obsidian vault" not in shown
    assert "Obsidian vault" in broken and "team_tables" in broken, "those that are built in, and why"
