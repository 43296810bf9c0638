"""The steps of a phase while its agent is at work, as command, API, stream and pages tell them (S-26)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from andon.app.access import Access, Role
from andon.app.queries import open_store, worktree_of
from andon.app.starting import StartOptions
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.tasks import Verdict, Wish, decide, host_task, task_of
from andon.domain.tasks.phases import TaskType
from patience import until
from task_floor import documents, judging, working
from warm import outside, warm

TYPE = TaskType.CREATE_APP
LATER = "docs/design/04_api.md"
UNTIL_TOLD = f"n=0; until [ -e {LATER} ]; do n=$((n+1)); [ $n -lt 1800 ] || exit 1; sleep 0.05; done"
pytestmark = pytest.mark.xdist_group("steps")


def rules() -> list[dict[str, Any]]:
    """Phase 1 as it should be; in phase 2 the agent writes three documents, waits, and writes the other two."""
    second = working(2, 2, documents(TYPE, 2))
    second["do"].insert(3, {"run": {"command": UNTIL_TOLD, "or_fail": True}})
    return [working(1, 1, documents(TYPE, 1)), second, judging(TYPE, 1), judging(TYPE, 2)]


@dataclass(frozen=True)
class Site:
    store: Store
    task: str
    client: httpx.Client
    environment: Mapping[str, str]

    def shown(self) -> dict[str, Any]:
        words = ("task", "show", self.task, "--json")
        return json.loads(warm().start(*words, cwd=Path("/"), env=self.environment).finish(60).stdout)

    def told(self, *kinds: str) -> list[tuple[str, Any]]:
        entries = [each for each in self.store.journal.entries(self.task) if each.phase == "design"]
        return [(each.kind, each.data) for each in entries if each.kind in kinds]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, serving: Any) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("steps")
    environment = outside() | {"ANDON_HOME": str(folder / "home"), "HOME": str(folder)}
    scenario = folder / "scenario.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": rules()}))
    options = StartOptions(("task",), folder, settings={"runtime": "scripted", "scenario": str(scenario)})
    task = host_task(options, Wish("Lend tools", TYPE, into=folder / "lend"), environment).id
    store = open_store(environment)
    served = serving(store, environment)[1]
    headers = {"authorization": f"Bearer {Access(store.home).token('ann', Role.ADMIN)}"}
    try:
        until("review", lambda: task_of(store, store.runs.get(task)).pending)
        decide(store, task_of(store, store.runs.get(task)), Verdict(True, "ann"))
        with httpx.Client(base_url=served.url, headers=headers, timeout=30) as client:
            yield Site(store, task, client, environment)
    finally:
        served.close()
        stop(store, store.runs.get(task), lambda entry: None)


def test_S_26_D_120_phase_2_step_3_of_5_is_40_percent_wherever_one_looks(site: Site) -> None:
    # Given an agent in phase 2 that has written three of five documents, and is still at work
    until("third step", lambda: [data for _, data in site.told("step_ended") if data["number"] == 3])

    shown, told = site.shown(), site.client.get(f"/api/tasks/{site.task}").json()

    for each in (shown, told):
        assert (each["phase"], each["steps_done"], each["steps"], each["progress"]) == (2, 3, 5, 0.4)
        assert each["state"] == "in_progress"
    html = {"accept": "text/html"}
    assert "40 %" in site.client.get(f"/runs/{site.task}", headers=html).text
    assert "design · 40 %" in site.client.get("/", headers=html).text.casefold()


def test_D_121_steps_and_documents_come_in_order_and_a_late_subscriber_catches_up(site: Site) -> None:
    # When the agent goes on to the end of the phase
    (worktree_of(site.store.home, site.store.runs.get(site.task)) / LATER).touch()
    until("second review", lambda: task_of(site.store, site.store.runs.get(site.task)).pending)

    # Then each step began before it ended, its document came before its end, and progress only rose
    steps = site.told("step_started", "step_ended", "document_created")
    for number in range(1, 6):
        began, ended = (
            next(i for i, (kind, data) in enumerate(steps) if kind == f"step_{what}" and data["number"] == number)
            for what in ("started", "ended")
        )
        path = f"docs/design/{steps[ended][1]['name']}.md"
        assert began < ended and ("document_created", {"path": path}) in steps[:ended]
    done = [data["done"] for kind, data in steps if kind != "document_created"]
    assert done == sorted(done) and done[-1] == 5
    assert site.shown()["progress"] == 0.5

    # and whoever comes late, after any of them, hears the rest under the names of the stream
    entries = site.store.journal.entries(site.task)
    first = next(each.seq for each in entries if each.kind == "step_ended" and each.phase == "design")
    names = {"step_started": "step_start", "step_ended": "step_end", "document_created": "document_created"}
    wanted = [(str(e.seq), names[e.kind]) for e in entries if e.seq > first and e.kind in names]
    assert heard(site, first, entries[-1].seq, names) == wanted and len(wanted) >= 6


def heard(site: Site, after: int, until_seq: int, kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    message: dict[str, str] = {}
    path = f"/api/runs/{site.task}/events"
    with site.client.stream("GET", path, headers={"last-event-id": str(after)}) as answer:
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            message = {**message, name: value} if line else message
            if line or "id" not in message:
                continue
            if json.loads(message["data"])["kind"] in kinds:
                found.append((message["id"], message["event"]))
            if int(message["id"]) >= until_seq:
                return found
            message = {}
    return found
