"""`andon team` as people type it: what there is, what a workflow needs, who should do it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from andon.app.teams import office_runs
from andon.cli.text import width
from andon.domain.language import Language
from andon.domain.teams.resources import Inventory
from andon.domain.teams.telling import Teller
from published import mistakes
from warm import Finished

Andon = Callable[..., Finished]
FLOW = """---
name: knowledge-manager
description: Collects what is known and writes it down
allowedTools: Read, Write, mcp__obsidian__create_note, mcp__drawio__create_new_diagram
model: opus
---
## STEP 0 (환경확인)
## STEP 1 (선호수집)
AskUserQuestion("Which topic?")
## STEP 2 (복잡도판정)
## STEP 3 (팀구성)
세 에이전트를 병렬로 실행한다.
### graph-navigator
Grep(links)
### retrieval-specialist
Grep(words)
### deep-reader
Read(notes)
## STEP 4 (결과수집)
## STEP 5 (노트생성)
mcp__obsidian__create_note, mcp__drawio__create_new_diagram
산출물: notes/result.md
## STEP 6 (연결강화)
Edit(notes/result.md)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for path, text in {
        "flow.md": FLOW,
        ".claude/skills/km-one.md": "---\nname: one\ndescription: First\n---\n",
        ".claude/skills/km-two/SKILL.md": "---\nname: two\ndescription: Second\n---\n",
        ".claude/agents/reader.md": "---\nname: reader\nmodel: haiku\nallowedTools: Read, Grep\n---\n",
        ".claude/agents/broken.md": "---\nname: [\n---\n",
        ".claude/commands/go.md": "---\ndescription: Goes\nallowedTools: TeamCreate\n---\n",
        ".mcp.json": json.dumps({"mcpServers": {"obsidian": {"command": "/nowhere/touch", "args": ["started"]}}}),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_B_01_B_14_what_there_is_is_listed_with_its_counts_and_nothing_is_started(
    run_andon: Andon, project: Path
) -> None:
    told = json.loads(run_andon("team", "scan", "--only", "--json", cwd=project).stdout)
    document = run_andon("team", "scan", "--only", "--markdown", cwd=project).stdout
    screen = run_andon("team", "scan", "--only", cwd=project)

    assert [each["name"] for each in told["skills"]] == ["one", "two"]
    assert {each["name"]: bool(each["problem"]) for each in told["agents"]} == {"broken": True, "reader": False}
    assert told["commands"][0]["teams"] is True
    assert told["servers"][0]["status"] == "not asked" and told["tool_paths"]["vault"]["server"] == "obsidian"
    assert mistakes("tool-paths", told["tool_paths"]) == []
    found = sum(bool(each["path"]) for each in told["programs"])
    heads = (
        "MCP servers (1 active)",
        "Skills (2)",
        "Agents (2)",
        "Commands (1)",
        f"Command-line tools ({found} found)",
    )
    assert all(f"### {head}\n" in document for head in (*heads, "Elsewhere", "What could not be read (1)"))
    assert "1 could not be read" in screen.stderr and "--ask-servers" in screen.stderr


def test_B_06_of_several_servers_those_that_are_named_are_asked(run_andon: Andon, project: Path) -> None:
    servers = {name: {"command": "touch", "args": [str(project / name)]} for name in ("one", "two")}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))

    named = run_andon("team", "scan", "--only", "--ask-servers", "two", "--json", cwd=project)
    lost = run_andon("team", "scan", "--only", "--ask-servers", "three", cwd=project)

    assert [each["status"] for each in json.loads(named.stdout)["servers"]] == ["not asked", "problem"]
    assert lost.code == 3 and "There: one, two." in lost.stderr
    assert (project / "two").exists() and not (project / "one").exists()
    every = run_andon("team", "scan", "--only", "--ask-servers", "--json", cwd=project)
    assert every.code == 0 and (project / "one").exists()


def test_B_15_the_inventory_names_where_more_is_found() -> None:
    for language in Language:
        text = Teller(language).inventory(Inventory())
        assert all(
            url in text
            for url in ("https://registry.modelcontextprotocol.io/", "https://skills.sh", "https://mcpservers.org/")
        )


def test_B_13_a_dashboard_that_answers_is_named_first_and_the_text_is_supplementary() -> None:
    class Office(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"name": "andon"}' if self.path == "/api/status" else b"no")

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Office) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert office_runs(address)
        server.shutdown()
    assert not office_runs(address)

    shown = Teller().inventory(Inventory(), dashboard=True)
    assert "http://localhost:3747" in shown and "supplementary" in shown
    assert "supplementary" not in Teller().inventory(Inventory())


def test_S_13_B_16_B_21_B_23_a_workflow_is_analysed_beside_what_there_is(run_andon: Andon, project: Path) -> None:
    told = json.loads(run_andon("team", "analyse", "flow.md", "--only", "--json", cwd=project).stdout)
    screen = run_andon("team", "analyse", "flow.md", "--only", cwd=project).stdout
    graph = run_andon("team", "analyse", "flow.md", "--only", "--graph", cwd=project).stdout

    assert (told["name"], told["model"]) == ("knowledge-manager", "opus") and len(told["allowedTools"]) == 4
    assert [len(group) for group in told["groups"]] == [1, 1, 1, 1, 3, 1, 1, 1]
    assert told["groups"][4] == ["graph-navigator", "retrieval-specialist", "deep-reader"]
    assert {each["needed"]: each["available"] for each in told["resources"]} == {"obsidian": True, "drawio": False}
    assert "side by side" in screen and "drawio" in screen and "missing" in screen
    assert graph.startswith("flowchart TD\n") and graph.count("-->") == 11


def test_S_13_B_32_B_33_B_34_a_team_is_proposed_written_and_checked(run_andon: Andon, project: Path) -> None:
    shown = run_andon("team", "compose", "flow.md", "--only", cwd=project)
    again = run_andon("team", "compose", "flow.md", "--only", cwd=project)
    checked = run_andon("team", "check", cwd=project)

    heads = ("Workflow analysis: knowledge-manager", "Resources", "Units (10)", "Proposed team", "Data flow")
    assert all(f"# {head}\n" in shown.stdout for head in (*heads, "What it needs"))
    assert "| Lead | lead | opus[1m] | general-purpose |" in shown.stdout and "| Split pane (tmux) |" in shown.stdout
    assert (again.code, "is there already" in again.stderr) == (3, True)
    assert checked.code == 0 and "can work" in checked.stdout
    made = json.loads(run_andon("team", "compose", "flow.md", "--only", "--force", "--json", cwd=project).stdout)
    role = made["prompts"]["graph-navigator"]["text"].partition("</role>")[0]
    expert = made["prompts"]["graph-navigator"]["expert"]
    assert expert in role and made["team"] in role and "graph-navigator" in role
    text = (project / "team.yaml").read_text()
    assert "worker deep-reader of the team" in text.replace("\n", " ").replace("      ", "")


def test_B_32_a_team_is_written_into_a_folder_that_is_not_there_yet(run_andon: Andon, project: Path) -> None:
    made = run_andon("team", "compose", "flow.md", "--only", "-o", "teams/research.yaml", cwd=project)
    checked = run_andon("team", "check", "teams/research.yaml", cwd=project)
    (project / "file").touch()
    odd = run_andon("team", "compose", "flow.md", "--only", "-o", "file/research.yaml", cwd=project)

    assert (made.code, checked.code) == (0, 0) and "andon team run teams/research.yaml" in checked.stderr
    assert odd.code == 3 and "file/research.yaml cannot be written" in odd.stderr


def test_B_32_a_team_names_its_workflow_by_its_place_in_the_project(run_andon: Andon, project: Path) -> None:
    run_andon("team", "compose", str(project / "flow.md"), "--repo", str(project), "--only", cwd=project)

    assert "workflow: flow.md\n" in (project / "team.yaml").read_text()


def test_B_32_B_34_programs_are_told_what_a_proposal_says(run_andon: Andon, project: Path) -> None:
    (project / "flow.md").write_text(FLOW.replace("Read(notes)", "Read(notes) after `marker_single` made them text"))
    made = json.loads(run_andon("team", "compose", "flow.md", "--only", "--json", cwd=project).stdout)

    assert {each["needed"]: each["available"] for each in made["resources"]}["drawio"] is False
    assert made["requirements"]["servers"] == ["obsidian", "drawio"]
    assert made["requirements"]["programs"] == ["marker_single"]
    assert made["graph"].startswith("flowchart TD") and made["memory"] == ["markdown", "sqlite", "mcp"]
    assert made["ralph"] is None and made["remarks"] == []


def test_B_24_how_to_get_what_is_missing_is_told_whole(person: Any, terminal: Callable[..., Any]) -> None:
    (person.repository / "flow.md").write_text(FLOW)

    told = terminal(80, 50).run("team", "analyse", "flow.md", "--only")

    assert "  drawio                    missing: the MCP server: npx -y drawio-mcp-server\n" in told
    hint = "missing; instead: file system. the MCP server of your vault, for example: npx -y mcp-obsidian FOLDER"
    assert hint in " ".join(told.split())


def test_B_32_a_proposal_is_read_in_a_terminal_and_is_markdown_elsewhere(
    person: Any, terminal: Callable[..., Any]
) -> None:
    (person.repository / "flow.md").write_text(FLOW)
    screen = terminal(80, 50)

    told = screen.run("team", "compose", "flow.md", "--only")
    document = screen.run("team", "compose", "flow.md", "--only", "--force", "--language", "ko")

    assert "| --- |" not in told and "Team (" in told and "Review loop" in told
    assert "  deep-reader\n    worker, haiku, Explore: deep-reader\n" in told
    assert max(map(width, told.splitlines())) <= 80
    assert "| --- |" in document


def test_tables_say_what_was_written_and_which_there_are(run_andon: Andon, project: Path) -> None:
    told = run_andon("team", "tables", "mine", "--only", "categories", "--json", cwd=project)
    odd = run_andon("team", "tables", "--only", "nope", cwd=project)

    assert json.loads(told.stdout) == {"written": ["mine/categories.yaml"]}
    assert odd.code == 3 and "categories, tools, purposes" in " ".join(odd.stderr.split())


def test_B_32_a_team_that_was_changed_for_the_worse_is_told_line_by_line(run_andon: Andon, project: Path) -> None:
    run_andon("team", "compose", "flow.md", "--only", cwd=project)
    file = project / "team.yaml"
    file.write_text(
        file.read_text().replace("member: deep-reader", "member: nobody").replace("version: 1", "version: 2")
    )

    first = run_andon("team", "check", cwd=project)
    file.write_text(file.read_text().replace("version: 2", "version: 1"))
    second = run_andon("team", "check", cwd=project)

    assert first.code == second.code == 3
    assert "version" in first.stderr and "there is no member nobody" in second.stderr


@pytest.mark.parametrize("text", ["", "# only a title\n", "just words", "---\nname: x\n---\n"])
def test_B_17_a_document_without_steps_is_one_unit(run_andon: Andon, project: Path, text: str) -> None:
    (project / "odd.md").write_text(text)

    told = run_andon("team", "analyse", "odd.md", "--only", cwd=project)

    assert told.code == 0 and "1 unit," in told.stdout and "no headings" in told.stderr
