"""A run that stopped at its budget goes on from its page, with a higher one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest

from andon.app.demo import make_sample
from andon.app.start import start_auto
from andon.app.starting import StartOptions
from andon.app.stopping import stop
from andon.domain.run import RunRow, Status
from patience import until

from .small import Small, small

pytestmark = pytest.mark.xdist_group("over-budget")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small(tmp_path_factory.mktemp("budget")) as made:
        yield made


@pytest.fixture(scope="module")
def run(server: Small) -> Iterator[RunRow]:
    """Its first agents use more than it may."""
    scenario = server.folder / "scenario.json"
    rules = [{"reply": "Done.", "usage": {"input_tokens": 5_000, "money": 0.5}}]
    scenario.write_text(json.dumps({"scenario": 1, "rules": rules}))
    settings = {"runtime": "scripted", "scenario": str(scenario), "budget": {"tokens": 1_000, "money": 0.2}}
    options = StartOptions(("Add a farewell",), make_sample(server.folder), settings=settings)
    made = start_auto(options, server.site.environment, lambda entry: None).run
    yield server.store.runs.get(made.id)
    stop(server.store, server.store.runs.get(made.id), lambda entry: None)


def resumed(server: Small, run: RunRow, **fields: str) -> httpx.Response:
    with closing(server.browser()) as browser:
        token = re.search(r'name="csrf" content="([^"]+)"', browser.get("/").text)
        assert token is not None
        given = {"csrf": token[1], **{f"budget_{name}": value for name, value in fields.items()}}
        headers = {"origin": server.url, "accept": "text/html"}
        return browser.post(f"/runs/{run.id}/resume", data=given, headers=headers)


def test_E_17_the_page_says_what_was_used_and_offers_a_higher_limit(server: Small, run: RunRow) -> None:
    assert (run.status, run.reason) == (Status.NEEDS_PERSON, "budget")

    with closing(server.browser()) as browser:
        html = browser.get(f"/runs/{run.id}").text

    [tokens] = re.findall(r'name="budget_tokens"[^>]* value="(\d+)"', html)
    assert int(tokens) > 5_000
    assert re.search(r"\d+,000 tokens used, the limit was 1,000 tokens", html)
    assert re.search(r"\$\d+\.\d\d used, the limit was \$0\.20", html)
    assert "budget_seconds" not in html and "Raise the budget and resume" in html


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"tokens": "1000"}, "used already: a limit of 1,000 tokens stops the run again at once"),
        ({"tokens": "900000", "money": "0.3"}, "used already: a limit of $0.30 stops the run again at once"),
        ({"tokens": "many"}, "many is no limit of tokens"),
        ({"money": "nan"}, "nan is no limit of money"),
    ],
)
def test_E_17_a_limit_that_is_used_already_is_refused_with_the_reason(
    server: Small, run: RunRow, fields: dict[str, str], told: str
) -> None:
    answer = resumed(server, run, **fields)

    assert answer.status_code == 422 and told in answer.text
    with server.client() as client:
        same = client.post(f"/api/runs/{run.id}/resume", json={"budget": {"tokens": 1_000}})
    assert same.status_code == 422 and "used already" in same.json()["error"]["title"]
    assert server.store.runs.get(run.id).leg == 1


def test_E_17_with_a_higher_limit_it_goes_on(server: Small, run: RunRow) -> None:
    answer = resumed(server, run, tokens="90,000", money="9")

    assert answer.status_code == 303
    until(
        "agent",
        lambda: [e for e in server.store.journal.entries(run.id) if e.key.startswith("2.") and e.kind == "spawn"],
    )
    budget = server.store.runs.get(run.id).spec["budget"]
    assert (budget["tokens"], budget["money"]) == (90_000, 9.0)
