"""docs/api.md cannot lie: its commands are run against a real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from andon.app.access import Role
from andon.app.stopping import stop
from patience import until

from .conftest import House, rows
from .small import small

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    joined = "".join(blocks).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.startswith("curl")]


def answered(command: str, environment: Mapping[str, str], folder: Path) -> tuple[str, str]:
    """What comes of a command of the page: the answer's body and its status."""
    shown = command.replace("curl -s", "curl -s -S -w '\\n%{http_code}'", 1)
    done = subprocess.run(["sh", "-c", shown], env=environment, cwd=folder, capture_output=True, text=True, timeout=60)
    body, _, status = done.stdout.rpartition("\n")
    return body, status or done.stderr


def test_the_commands_of_the_page_work(house: House) -> None:
    run = rows(house.store, "document", house.task, entries=10)
    token = house.site.access.token("page", Role.REVIEWER)
    environment = {**house.environment, "TOKEN": token, "ANDON": house.url, "RUN": run, "REVIEW": "none"}

    teams = [command for command in commands() if "POST" in command and "/api/teams" in command]
    assert len(teams) == 2  # played below, in a project of their own
    for command in commands():
        if command in teams:
            continue
        body, status = answered(command, environment, house.folder)
        if "$REVIEW" in command:  # the review of the other tests stays open
            assert status == "404", body
        elif "/events" in command:
            expected = range(4, 11) if "Last-Event-ID" in command else range(1, 11)
            assert re.findall(r"^id: (\d+)$", body, re.MULTILINE) == [str(number) for number in expected]
        else:
            assert status in ("200", "201", "202"), (command, status, body)
            assert json.loads(body)
    begun = next(row for row in house.store.runs.newest(5) if row.task == "Explain WebSockets")
    until("rest", lambda: house.store.status(house.store.runs.get(begun.id)).ended)
    stop(house.store, house.store.runs.get(run), lambda entry: None)


def test_a_program_makes_a_team_and_lets_it_work_with_the_commands_of_the_page(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "workflow.md").write_text("---\nname: look\n---\n## Step 1 Read\n## Step 2 Tell\n")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    for words in (("init", "-q"), ("add", "--all"), (*who, "commit", "-qm", "The beginning")):
        subprocess.run(["git", *words], cwd=project, check=True, timeout=60)
    reply = {"status": "DONE", "summary": "Read", "items": []}
    (tmp_path / "scenario.yaml").write_text(json.dumps({"scenario": 1, "rules": [{"reply": reply}]}))
    played = {"ANDON_RUNTIME": "scripted", "ANDON_SCENARIO": str(tmp_path / "scenario.yaml")}

    with small(tmp_path, here=project, **played) as house:
        told = {"PATH": os.environ["PATH"], "TOKEN": house.tokens[Role.REVIEWER.value], "ANDON": house.url}
        teams = [command for command in commands() if "POST" in command and "/api/teams" in command]
        (_, written), (body, started) = [answered(command, told, project) for command in teams]
        assert (written, started) == ("201", "201"), body
        until("end of the run", lambda: house.store.runs.get(json.loads(body)["run"]).status.ended)

    assert (project / "team.yaml").exists()


def test_every_refusal_of_the_description_is_on_the_page(house: House) -> None:
    with house.client() as client:
        paths = client.get("/api/openapi.json").json()["paths"]
    described = {status for path in paths.values() for told in path.values() for status in told["responses"]}

    listed = set(re.findall(r"^\| (\d{3}) \|", PAGE.read_text(), re.MULTILINE))
    assert {status for status in described if status >= "400"} == listed
