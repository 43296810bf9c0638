"""The chat page through the server: a conversation is begun, answered in the background, gone on with, rated, ended."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from andon.app.access import Access, Role
from andon.app.conversations import MOST_CHARACTERS, Turn, as_task, conversation
from andon.app.demo import make_sample
from andon.app.queries import open_store
from andon.app.starting import StartOptions
from andon.app.store import Store
from andon.app.tasks import Wish, host_task, task_of
from andon.domain.tasks.phases import TaskType
from andon.web.server import create_app
from andon.web.site import Site
from patience import until

STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-custom.yaml"
HOST = "127.0.0.1:3811"
SECOND = "And what about a hyphen?"
QUESTION = "Explain how words() splits a text, with an example"
pytestmark = pytest.mark.xdist_group("chat-page")


@dataclass
class Talk:
    store: Store
    run: str
    client: TestClient
    tokens: dict[str, str]

    def answered(self, count: int) -> None:
        def enough() -> bool:
            task = task_of(self.store, self.store.runs.get(self.run))
            said = [each for each in conversation(self.store, task) if each.author == "agent"]
            return len(said) == count and task.run.status.ended

        until(f"answer {count}", enough)

    def twice_answered(self) -> None:
        """Whichever test comes first asks the second question."""
        said = conversation(self.store, task_of(self.store, self.store.runs.get(self.run)))
        if sum(each.author == "person" for each in said) < 2:
            assert self.post("say", text=SECOND).status_code == 204
        self.answered(2)

    def page(self, role: str = "reviewer") -> str:
        headers = {"authorization": f"Bearer {self.tokens[role]}", "accept": "text/html"}
        return self.client.get(f"/chat/{self.run}", headers=headers).text

    def post(self, what: str, role: str = "reviewer", **given: str) -> Any:
        headers = {"authorization": f"Bearer {self.tokens[role]}", "hx-request": "true"}
        return self.client.post(f"/chat/{self.run}/{what}" if what else "/chat", data=given, headers=headers)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Talk]:
    tmp = tmp_path_factory.mktemp("chat")
    scenario = tmp / "scenario.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": yaml.safe_load(STORY.read_text())["rules"]}))
    environment = {**os.environ, "ANDON_HOME": str(tmp / "home"), "HOME": str(tmp), "USER": "ann"}
    settings = {"runtime": "scripted", "scenario": str(scenario)}
    options = StartOptions(("task",), make_sample(tmp), settings=settings)
    row = host_task(options, Wish(QUESTION, TaskType.CUSTOM), environment)
    store = open_store(environment)
    access = Access(store.home)
    tokens = {role.value: access.token(role.value, role) for role in Role}
    with TestClient(create_app(Site.of(store, environment), frozenset({HOST})), base_url=f"http://{HOST}") as client:
        made = Talk(store, row.id, client, tokens)
        made.answered(1)
        yield made


def test_D_53_D_54_the_answer_is_shown_and_the_next_message_goes_on(talk: Talk) -> None:
    before = talk.page()
    talk.twice_answered()
    after = talk.page()

    assert QUESTION in before and '<pre class="term"><code>' in before and "no phases, no review" in before
    assert SECOND in after and "A hyphen stays where it is" in after


def test_D_56_D_62_the_newest_answer_is_scored_by_dimension_and_accuracy_waits_for_a_person(talk: Talk) -> None:
    talk.twice_answered()

    page = talk.page()

    for name in ("Relevance", "Completeness", "Clarity", "Actionability", "Accuracy"):
        assert f"<span>{name}</span>" in page
    assert "Not assessed" in page


def test_D_63_a_rating_is_kept_and_is_the_accuracy_from_then_on(talk: Talk) -> None:
    talk.twice_answered()

    bad = talk.post("rate", rating="6")
    good = talk.post("rate", rating="4", comment="Short")

    assert bad.status_code == 422 and "1 to 5" in bad.json()["error"]["title"]
    assert good.status_code == 204
    page = talk.page()
    assert "rated 4 of 5" in page and "Short" in page and "Not assessed" not in page


def test_D_53_a_conversation_becomes_the_draft_of_a_task(talk: Talk) -> None:
    talk.twice_answered()
    headers = {"authorization": f"Bearer {talk.tokens['reviewer']}", "accept": "text/html"}
    address = f"/tasks/new?conversation={talk.run}"

    form = talk.client.get(address, headers=headers).text
    nowhere = talk.client.get("/tasks/new?conversation=nothing2", headers=headers)

    assert f'href="{address}"' in talk.page() and address not in talk.page("viewer")
    draft = form[form.index("<textarea") : form.index("</textarea>")]
    assert draft.index(QUESTION) < draft.index("A hyphen stays where it is")
    assert talk.store.runs.get(talk.run).repository in form and 'value="task:modify_app" checked' in form
    assert nowhere.status_code == 404


def test_D_53_a_long_conversation_is_cut_to_what_a_task_may_have() -> None:
    long = [Turn("person", "ann", "Why?", 1.0), Turn("agent", "helper", "word " * 9_000 + "end", 2.0)]

    text = as_task(long)

    assert len(text) <= MOST_CHARACTERS and text.startswith("Why?\n\n…") and text.endswith("end")
    assert as_task([]) == "" and as_task(long[:1]) == "Why?"


def test_D_53_who_only_looks_may_not_write_and_strange_input_is_told(talk: Talk) -> None:
    assert talk.post("say", role="viewer", text="x").status_code == 403
    assert 'id="compose"' not in talk.page("viewer")
    assert talk.post("say", text="  ").status_code == 422
    assert talk.post("", text="Hello", repository="/etc").status_code == 422  # no folder but those andon knows
    headers = {"authorization": f"Bearer {talk.tokens['reviewer']}"}
    assert talk.client.get("/chat/nothing", headers=headers).status_code == 404
    assert "Mean rating" in talk.client.get("/chat", headers=headers).text


def test_D_54_a_person_ends_it(talk: Talk) -> None:
    talk.twice_answered()

    assert talk.post("end", back="").status_code == 204

    assert task_of(talk.store, talk.store.runs.get(talk.run)).state == "completed"
