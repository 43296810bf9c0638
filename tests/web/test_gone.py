"""A stream ends when whoever opened it is not let in any more, or may do something else than before; and says so."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import httpx
import pytest

from andon.app.access import Access, Role
from andon.workspace.files import write_atomic

from .small import Small, small

pytestmark = pytest.mark.xdist_group("gone")
SOON = 6.0
"""Seconds in which it has to be over, although nothing else happens."""
STREAMS = ("/live?path=/", "/live?path=/runs/quiet222", "/api/events", "/api/runs/quiet222/events")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small(tmp_path_factory.mktemp("gone")) as made:
        made.add("quiet222")
        yield made


class Listening:
    """Reads a stream to its end, in a thread of its own."""

    def __init__(self, client: httpx.Client, path: str) -> None:
        self._client, self._path = client, path
        self._begun, self.over = threading.Event(), threading.Event()
        self.text = ""
        threading.Thread(target=self._read, daemon=True).start()
        assert self._begun.wait(20)

    def _read(self) -> None:
        with suppress(httpx.ReadError), self._client.stream("GET", self._path) as stream:  # its client may be closed
            assert stream.status_code == 200, stream.read()
            for piece in stream.iter_text():
                self.text += piece
                self._begun.set()
        self.over.set()

    @property
    def gone(self) -> dict[str, Any]:
        """What the last message of the stream says."""
        last = self.text.strip().rsplit("\n\n", 1)[-1]
        assert last.startswith("event: gone\ndata: "), last
        return json.loads(last.partition("data: ")[2])


def as_token(server: Small, name: str, role: Role = Role.VIEWER) -> httpx.Client:
    headers = {"authorization": f"Bearer {server.site.access.token(name, role)}"}
    return httpx.Client(base_url=server.url, headers=headers, timeout=30)


@pytest.mark.parametrize("path", STREAMS)
def test_D_121_a_stream_ends_when_its_token_is_taken_back(server: Small, path: str) -> None:
    name = f"token of {path}"
    with as_token(server, name) as client:
        listening = Listening(client, path)
        Access(server.store.home).revoke(name)  # by another process: `andon token revoke`

        assert listening.over.wait(SOON), listening.text
    assert listening.gone["title"] == "You are not signed in any more"
    assert listening.gone["hint"]


@pytest.mark.parametrize("path", STREAMS)
def test_D_121_a_stream_ends_when_the_role_changes(server: Small, path: str) -> None:
    name = f"role of {path}"
    with as_token(server, name, Role.REVIEWER) as client:
        listening = Listening(client, path)
        file = server.store.home.root / "web" / "access.json"
        told = json.loads(file.read_text())
        for each in told["passes"]:
            each["role"] = "viewer" if each["name"] == name else each["role"]
        write_atomic(file, json.dumps(told), mode=0o600)

        assert listening.over.wait(SOON), listening.text
    assert listening.gone["title"] == "You may do other things now than when this was opened"


def test_D_121_signing_out_ends_the_streams_of_that_browser_and_of_no_other(server: Small) -> None:
    with closing(server.browser(name="ann")) as ann, closing(server.browser(name="ben")) as ben:
        mine, other = Listening(ann, "/live?path=/"), Listening(ben, "/live?path=/")
        csrf = ann.get("/").text.partition('name="csrf" content="')[2].partition('"')[0]
        headers = {"origin": server.url}

        answer = ann.post("/logout", data={"csrf": csrf}, headers=headers)

        assert (answer.status_code, answer.headers["location"]) == (303, "/login")
        assert "andon-session=" in answer.headers["set-cookie"]
        assert mine.over.wait(SOON)
        assert mine.gone["title"] == "You are not signed in any more"
        assert ann.get("/api/runs").status_code == 401
        assert ben.get("/api/runs").status_code == 200
        assert not other.over.is_set()


def test_D_121_the_secret_of_a_browser_that_signed_out_opens_nothing(server: Small) -> None:
    with closing(server.browser()) as browser:
        csrf = browser.get("/").text.partition('name="csrf" content="')[2].partition('"')[0]
        secret = browser.cookies["andon-session"]
        browser.post("/logout", data={"csrf": csrf}, headers={"origin": server.url})

    kept = httpx.get(f"{server.url}/api/runs", headers={"cookie": f"andon-session={secret}"})
    assert kept.status_code == 401


def test_D_121_nobody_is_signed_out_by_another_page(server: Small) -> None:
    with closing(server.browser()) as browser:
        refused = browser.post("/logout", data={"csrf": "guessed"}, headers={"origin": server.url})
        assert refused.status_code == 403
        assert browser.get("/api/runs").status_code == 200
