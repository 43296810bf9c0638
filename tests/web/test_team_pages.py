"""From a workflow document to team.yaml, on the page: analysed, proposed, written by those who may."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from andon.app.access import Role
from andon.app.teams import check
from andon.domain.language import Language
from andon.domain.teams.ralph import MATRIX, Advice
from andon.teamify.reading import workflow_of
from andon.web.dag import MOST_UNITS, unit_graph
from andon.web.words import table

from .small import Small, small
from .test_office_page import found, programs

pytestmark = pytest.mark.xdist_group("team-pages")
FLOW = """---
name: knowledge-manager
description: Collects <b>what</b> is known
allowedTools: Read, Write
---
## STEP 1 (선호수집)
AskUserQuestion("Which topic?")
## STEP 2 Search the code
세 에이전트를 병렬로 실행한다.
### navigator
Grep(links)
### reader
Read(notes)
## STEP 3 Merge <script>alert(1)</script>
산출물: notes/result.md
검증: `grep -c "<b>" notes/result.md`
mcp__obsidian__create_note, mcp__drawio__create_new_diagram
"""
FILES: Mapping[str, str] = {
    "flow.md": FLOW,
    "docs/circle.md": "## Step 1 First\nblockedBy: [Step 2]\n## Step 2 Second\nblockedBy: [Step 1]\n",
    "docs/large.md": "".join(f"## Step {n} part\nRead(x)\n" for n in range(1, 401)),
    "docs/vague.md": "## Step 1 Write it all down\n## Step 2 Read it\n",
    "docs/ops.md": "## Step 1 Monitor the dashboard\n## Step 2 Collect events and logs\n",
    ".mcp.json": '{"mcpServers": {"obsidian": {"command": "/nowhere/obsidian"}}}',
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    folder = tmp_path_factory.mktemp("teams")
    for path, text in FILES.items():
        (folder / "project" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "project" / path).write_text(text)
    (folder / "secret.md").write_text("## Step 1\n## Step 2\n")
    with small(folder, here=folder / "project", PATH=programs(folder, npx="exit 1"), TMUX="x") as made:
        found(made)
        yield made


def file(house: Small, name: str = "flow.md") -> str:
    return str(house.folder / "project" / name)


def shown(house: Small, page: str, name: str = "flow.md", **more: str) -> str:
    with house.client(Role.VIEWER) as client:
        answer = client.get(
            f"/office/{page}", params={"file": file(house, name), **more}, headers={"accept": "text/html"}
        )
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def text(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


# --- analysis -------------------------------------------------------------------------------------------------------


def test_B_17_B_21_B_23_a_workflow_is_shown_with_units_graph_and_what_it_needs(house: Small) -> None:
    page = shown(house, "workflow")

    units = text(page.partition('id="units"')[2].partition("</section>")[0])
    assert re.search(r"1 STEP 1 \(선호수집\) line 6 asks a person", units)
    assert re.search(r"3 navigator .* Explore Read Glob Grep STEP 2 Search the code –", units)
    assert "STEP 3 Merge" in units and "navigator , reader" in units and "notes/result.md" in units
    assert page.count('<path class="edge ') == 5 and page.count("<rect") >= 5
    needed = text(page.partition("Needed and there")[2].partition("</section>")[0])
    assert "obsidian Best path: obsidian MCP There" in needed
    assert "drawio drawio: the MCP server: npx -y drawio-mcp-server Missing" in needed


def test_B_22_B_30_groups_categories_the_loop_and_the_mermaid_text_are_on_the_page(house: Small) -> None:
    page = shown(house, "workflow")

    groups = page.partition('class="groups"')[2].partition("</ol>")[0]
    assert [len(re.findall(r'class="tag"', each)) for each in groups.split("<li>")[1:]] == [1, 1, 2, 1]
    assert "flowchart TD" in page and "Review loop" in text(page) and "Storage" in text(page)


def test_a_hostile_document_is_shown_as_text(house: Small) -> None:
    for page in (shown(house, "workflow"), shown(house, "team")):
        assert "<script>alert" not in page and "<b>what</b>" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_B_21_units_that_wait_for_each_other_are_named(house: Small) -> None:
    for page in ("workflow", "team"):
        told = text(shown(house, page, "docs/circle.md"))
        assert "Step 1 First → Step 2 Second → Step 1 First" in told and "Take one of the dependencies out" in told


def test_a_large_document_is_bounded(house: Small) -> None:
    page = shown(house, "workflow", "docs/large.md")

    assert page.count('<tr id="unit-') == 300 and "100 more" in text(page) and page.count("<rect") < 200
    units = workflow_of(FILES["docs/large.md"], Path("large.md")).units
    assert (len(unit_graph(units).boxes), unit_graph(units).folded) == (MOST_UNITS, 400 - MOST_UNITS)


@pytest.mark.parametrize("odd", ["/etc/passwd", "../secret.md", "", "flow.md", "\0", "x" * 3000])
def test_only_listed_documents_are_read(house: Small, odd: str) -> None:
    with house.client() as client:
        for path in ("/office/workflow", "/office/team"):
            assert client.get(path, params={"file": odd}).status_code == 404
            assert client.get(path, params={"file": str(house.folder / "secret.md")}).status_code == 404
            assert client.get(path, params={"file": file(house), "project": odd or "/"}).status_code == 404


def test_a_document_that_became_a_link_out_of_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    own, secret = tmp_path / "project" / "flow.md", tmp_path / "secret.md"
    own.write_text(FLOW)
    secret.write_text("## Step 1 Hidden\n## Step 2 Hidden\n")
    with small(tmp_path, here=tmp_path / "project") as made, made.client() as client:
        found(made)
        own.unlink()
        own.symlink_to(secret)

        page = client.get("/office/workflow", params={"file": str(own)})

    assert "Hidden" not in page.text and "link out of the project" in page.text


def test_G_10_B_30_words_are_counted_for_the_kinds_of_work_that_the_tables_have(tmp_path: Path) -> None:
    kind = "[{name: Garden, words: [weed], prefix: g, purpose: coding/development, domain: 4.1 Tech/AI}]"
    for path, content in {
        "home/settings.toml": f'team_tables = "{tmp_path}/tables"\n',
        "tables/categories.yaml": kind,
        "project/flow.md": "## Step 1 Weed\n## Step 2 Test what you weeded\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(content)
    with small(tmp_path, here=tmp_path / "project") as made, made.client() as client:
        found(made)
        page = client.get("/office/workflow", params={"file": str(tmp_path / "project/flow.md")}).text

    assert "<b>Garden</b>" in page and ">QA<" not in page


# --- proposal -------------------------------------------------------------------------------------------------------


def test_B_32_B_33_B_34_a_team_is_proposed_with_roles_models_prompts_and_needs(house: Small) -> None:
    page = shown(house, "team")
    told = text(page)

    assert re.search(r"Lead lead opus\S* general-purpose STEP 1", told)
    assert re.search(r"Worker reader \S+ haiku Explore", told)
    needs = text(page.partition("What it needs")[2].partition("</section>")[0])
    assert "Required MCP obsidian, drawio" in needs and "Memory markdown" in needs
    assert "&lt;role&gt;" in page and "andon team run team.yaml" in page
    assert 'name="replace"' not in page
    assert '$ grep -c "<b>" notes/result.md' in told  # what andon will run


def test_B_25_who_writes_without_saying_where_may_write_everywhere(house: Small) -> None:
    assert "the whole project" in shown(house, "team", "docs/vague.md")
    assert "the whole project" not in shown(house, "team")


def test_B_40_what_is_said_about_it_changes_the_proposal(house: Small) -> None:
    def memory(**more: str) -> str:
        return text(shown(house, "team", **more).partition("Memory")[2].partition("</dd>")[0])

    assert "mcp" not in memory() and "mcp" in memory(request="a long-term project")


def written(client: httpx.Client, house: Small, **more: str) -> httpx.Response:
    page = client.get("/office/team", params={"file": file(house), **{k: v for k, v in more.items() if k == "path"}})
    seen = re.findall(r'name="seen" value="(\w+)"', page.text)
    given = {"file": file(house), "seen": seen[0] if seen else "x", **more}
    return client.post("/office/team", data=given, headers={"accept": "text/html"})


def test_B_32_team_yaml_is_written_once_and_replaced_only_when_that_is_said(house: Small) -> None:
    target = house.folder / "project" / "team.yaml"
    with house.client(Role.REVIEWER) as client:
        first = written(client, house)
        after = client.get(first.headers["location"])
        made = check(target)
        target.write_text("# mine\n")
        refused, kept = written(client, house), target.read_text()
        replaced = written(client, house, replace="yes")

    assert first.status_code == 303 and f"This team is written: {target}" in text(after.text)
    assert {each.name for each in made.members} >= {"lead", "navigator", "reader"}
    assert (refused.status_code, kept) == (409, "# mine\n")
    assert "is there already" in text(refused.text) and 'name="replace"' in refused.text
    told = yaml.safe_load(target.read_text())
    assert replaced.status_code == 303 and (told["name"], told["workflow"]) == ("knowledge-manager", "flow.md")
    target.unlink()


@pytest.mark.parametrize(
    "path", ["../team.yaml", "/tmp/team.yaml", "team.txt", ".git/x.yaml", "a/../../x.yaml", "link/x.yaml"]
)
def test_a_team_is_written_into_the_project_and_nowhere_else(house: Small, path: str) -> None:
    root = house.folder / "project"
    (house.folder / "elsewhere").mkdir(exist_ok=True)
    if not (root / "link").is_symlink():
        (root / "link").symlink_to(house.folder / "elsewhere")
    before = sorted(str(each) for each in house.folder.rglob("*.yaml"))
    with house.client() as client:
        answer = written(client, house, path=path)

    assert answer.status_code == 422, answer.text[:300]
    assert sorted(str(each) for each in house.folder.rglob("*.yaml")) == before


def test_what_is_written_is_what_was_seen(house: Small) -> None:
    with house.client() as client:
        answer = client.post("/office/team", data={"file": file(house), "seen": "0" * 64})

    assert answer.status_code == 409 and "not the one that you saw" in answer.text
    assert not (house.folder / "project" / "team.yaml").exists()


def test_who_may_not_writes_nothing(house: Small) -> None:
    with house.client(Role.VIEWER) as viewer:
        assert "A reviewer or an admin may write it" in text(shown(house, "team"))
        assert written(viewer, house).status_code == 403
    with closing(house.browser()) as browser:
        answer: Any = browser.post("/office/team", data={"file": file(house)}, headers={"origin": house.url})
        assert answer.status_code == 403
    assert not (house.folder / "project" / "team.yaml").exists()


def test_a_reviewer_writes_only_where_they_may_work(tmp_path: Path) -> None:
    own = tmp_path / "project" / "flow.md"
    own.parent.mkdir()
    own.write_text(FLOW)
    with small(tmp_path, here=tmp_path / "project", ANDON_SERVE_FOLDERS="/opt/x") as made:
        found(made)
        with made.client(Role.REVIEWER) as client:
            answer = client.post("/office/team", data={"file": str(own), "seen": "x"}, headers={"accept": "text/html"})

    assert answer.status_code == 403 and "serve.folders" in answer.text


def test_E_05_the_advice_has_its_korean() -> None:
    said = {kind for kind, _, _ in MATRIX} | {each.value for each in Advice}
    assert sorted(said - table(Language.KO).keys()) == []


# --- for programs ---------------------------------------------------------------------------------------------------


def asked(house: Small, name: str, **query: str) -> Any:
    with house.client(Role.VIEWER) as client:
        answer = client.get(f"/api/teams/{name}", params=query)
    assert answer.status_code == 200, answer.text[:500]
    return answer.json()


def test_B_12_B_14_programs_get_the_inventory_with_the_best_ways_and_the_documents(house: Small) -> None:
    told = asked(house, "inventory")

    assert told["tool_paths"]["vault"] == {
        "method": "mcp",
        "command": None,
        "server": "obsidian",
        "fallback": "file system",
    }
    assert file(house) in [each["path"] for each in told["documents"]]
    assert [(each["name"], each["status"], each["tools"]) for each in told["servers"]] == [
        ("obsidian", "not asked", None)
    ]
    assert told["project"] == str(house.folder / "project") and told["project"] in told["projects"]


def test_B_21_B_32_programs_get_the_analysis_and_the_proposal(house: Small, tmp_path: Path) -> None:
    flow = asked(house, "analysis", file=file(house))
    team = asked(house, "proposal", file=file(house), request="a long-term project")

    assert [len(group) for group in flow["groups"]] == [1, 1, 2, 1] and flow["allowedTools"] == ["Read", "Write"]
    assert {each["needed"]: each["available"] for each in flow["resources"]} == {"obsidian": True, "drawio": False}
    assert team["members"][0]["place"] == "lead" and "mcp" in team["memory"]
    assert team["requirements"]["servers"] == ["obsidian", "drawio"]
    assert flow["units"][-1]["checks"] == team["units"][-1]["checks"] == ['grep -c "<b>" notes/result.md']
    (tmp_path / "team.yaml").write_text(team["yaml"])
    assert check(tmp_path / "team.yaml").id == team["team"]


def test_B_53_a_team_of_dashboards_needs_no_panes(house: Small) -> None:
    ops = asked(house, "proposal", file=file(house, "docs/ops.md"))
    other = asked(house, "proposal", file=file(house))

    assert ops["team"].startswith("ops.dashboard.")
    assert (ops["requirements"]["panes"], other["requirements"]["panes"]) == (False, True)


def test_B_21_programs_are_told_what_is_wrong(house: Small) -> None:
    with house.client(Role.VIEWER) as client:
        circle = client.get("/api/teams/analysis", params={"file": file(house, "docs/circle.md")})
        other = client.get("/api/teams/analysis", params={"file": "/etc/passwd"})
        project = client.get("/api/teams/inventory", params={"project": "/etc"})
        large = client.get("/api/teams/proposal", params={"file": file(house, "docs/large.md")})

    assert (circle.status_code, other.status_code, project.status_code, large.status_code) == (422, 404, 404, 422)
    assert "wait for each other" in circle.text and "cannot be written" in large.text
    assert httpx.get(f"{house.url}/api/teams/inventory").status_code == 401
