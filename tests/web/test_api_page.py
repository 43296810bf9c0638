"""docs/api.md cannot lie: its commands are run against a real server."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from andon.app.access import Role
from andon.app.stopping import stop
from patience import until

from .conftest import House, rows

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    joined = "".join(blocks).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.startswith("curl")]


def test_the_commands_of_the_page_work(house: House) -> None:
    run = rows(house.store, "document", house.task, entries=10)
    token = house.site.access.token("page", Role.REVIEWER)
    environment = {**house.environment, "TOKEN": token, "ANDON": house.url, "RUN": run, "REVIEW": "none"}

    for command in commands():
        shown = command.replace("curl -s", "curl -s -S -w '\\n%{http_code}'", 1)
        done = subprocess.run(["sh", "-c", shown], env=environment, capture_output=True, text=True, timeout=60)
        body, _, status = done.stdout.rpartition("\n")
        if "$REVIEW" in command:  # the review of the other tests stays open
            assert status == "404", done.stdout
        elif "/events" in command:
            expected = range(4, 11) if "Last-Event-ID" in command else range(1, 11)
            assert re.findall(r"^id: (\d+)$", body, re.MULTILINE) == [str(number) for number in expected]
        else:
            assert status in ("200", "201", "202"), (command, done.stdout, done.stderr)
            assert json.loads(body)
    begun = next(row for row in house.store.runs.newest(5) if row.task == "Explain WebSockets")
    until("rest", lambda: house.store.status(house.store.runs.get(begun.id)).ended)
    stop(house.store, house.store.runs.get(run), lambda entry: None)


def test_every_refusal_of_the_description_is_on_the_page(house: House) -> None:
    with house.client() as client:
        paths = client.get("/api/openapi.json").json()["paths"]
    described = {status for path in paths.values() for told in path.values() for status in told["responses"]}

    listed = set(re.findall(r"^\| (\d{3}) \|", PAGE.read_text(), re.MULTILINE))
    assert {status for status in described if status >= "400"} == listed
