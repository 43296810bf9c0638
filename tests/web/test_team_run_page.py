"""A team that is let work from the page: its run, and who may not."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml

from andon.app.access import Role
from andon.domain.teams.deciding import Decision, Stand
from andon.domain.teams.shared import decision_row
from andon.memory.sqlite import Database
from patience import until

from .small import small

TEAM = {
    "team": "custom.look",
    "name": "Look around",
    "members": [{"name": "lead", "place": "lead", "type": "general-purpose"}, {"name": "reader"}, {"name": "second"}],
    "units": [
        {"id": "read", "title": "Read it", "member": "reader", "outputs": ["what there is"]},
        {"id": "again", "title": "Read <b>again</b>", "member": "second", "after": ["read"]},
    ],
}
REPLY = {"status": "DONE", "summary": "Read", "items": [{"item": "what there is", "analysis": "All", "sources": []}]}
FLOW = "---\nname: look\n---\n## Step 1 Read\n## Step 2 Tell\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "team.yaml").write_text(yaml.safe_dump(TEAM))
    (root / "flow.md").write_text(FLOW)
    (tmp_path / "outside.yaml").write_text(yaml.safe_dump(TEAM))
    (root / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    rules = [{"match": {"name": "*"}, "reply": REPLY}]
    (tmp_path / "scenario.yaml").write_text(yaml.safe_dump({"scenario": 1, "rules": rules}))
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    for words in (("init", "-q"), ("add", "--all"), (*who, "commit", "-qm", "The beginning")):
        subprocess.run(["git", *words], cwd=root, check=True, timeout=60)
    return root


def test_B_53_a_written_team_works_in_the_background_and_its_page_shows_its_units(project: Path) -> None:
    played = {"ANDON_RUNTIME": "scripted", "ANDON_SCENARIO": str(project.parent / "scenario.yaml")}
    with small(project.parent, here=project, **played) as house, house.client(Role.REVIEWER) as client:
        page = {"accept": "text/html"}
        given = {"project": str(project), "file": str(project / "flow.md")}
        started = client.post("/office/team/run", data={**given, "path": "team.yaml"}, headers=page)
        assert started.status_code == 303, started.text[:500]
        run = started.headers["location"].rpartition("/")[2]
        until("end of the run", lambda: house.store.runs.get(run).status.ended)
        shown = client.get(started.headers["location"]).text
        refused = {
            path: client.post("/office/team/run", data={**given, "path": path}, headers=page).status_code
            for path in ("link.yaml", "../outside.yaml", "team.txt", "none.yaml")
        }

    assert house.store.runs.get(run).reason == "goal_met"
    assert "Units" in shown and "2 of 2 done" in shown and "Read &lt;b&gt;again" in shown
    assert set(refused.values()) <= {404, 422}, refused


def test_B_46_proposals_and_votes_are_on_the_page_of_a_teams_run(project: Path) -> None:
    played = {"ANDON_RUNTIME": "scripted", "ANDON_SCENARIO": str(project.parent / "scenario.yaml")}
    votes = {"reader": "yes", "second": "no"}
    with small(project.parent, here=project, **played) as house, house.client(Role.REVIEWER) as client:
        run = client.post("/api/teams/run", json={"project": str(project), "path": "team.yaml"}).json()["run"]
        until("end of the run", lambda: house.store.runs.get(run).status.ended)
        before = client.get(f"/runs/{run}", headers={"accept": "text/html"}).text
        made = [Decision("Read <b>less</b>", "reader", 1, votes), Decision("Stop", "lead", 2, {}, Stand.REJECTED)]
        Database(project / ".team-artifacts" / "memory.db").share([decision_row(each) for each in made], 0)
        shown = client.get(f"/runs/{run}", headers={"accept": "text/html"}).text

    assert "Proposals" not in before and "Read &lt;b&gt;less" in shown and ">rejected<" in shown
    assert "<bdi>second</bdi> no" in shown and f"/office/memory?project={quote(str(project))}#decisions" in shown


def test_B_32_B_53_a_program_writes_a_proposed_team_and_lets_it_work(project: Path) -> None:
    played = {"ANDON_RUNTIME": "scripted", "ANDON_SCENARIO": str(project.parent / "scenario.yaml")}
    with small(project.parent, here=project, **played) as house, house.client(Role.REVIEWER) as client:
        wanted = {"file": str(project / "flow.md")}
        other = client.post("/api/teams", json=wanted)  # team.yaml is there, and is another team
        outside = client.post("/api/teams", json=wanted | {"path": "../team.yaml"})
        made = client.post("/api/teams", json=wanted | {"path": "teams/look.yaml"})
        again = client.post("/api/teams", json=wanted | {"path": "teams/look.yaml"})
        started = client.post("/api/teams/run", json={"project": str(project), "path": "teams/look.yaml"})
        assert started.status_code == 201, started.text
        run = started.json()["run"]
        until("end of the run", lambda: house.store.runs.get(run).status.ended)
        nothing = client.post("/api/teams/run", json={"path": "none.yaml"})

    assert (other.status_code, outside.status_code, made.status_code, again.status_code) == (409, 422, 201, 201)
    assert (project / "teams" / "look.yaml").read_text() == made.json()["yaml"]
    assert yaml.safe_load((project / "team.yaml").read_text()) == TEAM and not (project.parent / "team.yaml").exists()
    assert started.status_code == 201 and started.headers["location"] == f"/api/runs/{run}"
    assert house.store.runs.get(run).reason == "goal_met"
    assert nothing.status_code in (404, 422)


def test_who_only_looks_starts_no_team(project: Path) -> None:
    with small(project.parent, here=project) as house, house.client(Role.VIEWER) as client:
        answer = client.post("/office/team/run", data={"project": str(project), "path": "team.yaml"})

    assert answer.status_code == 403 and not house.store.runs.newest(5)
