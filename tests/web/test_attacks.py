"""What attackers tried on the server, each once more: it refuses in a sentence, keeps its time and its memory."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from andon.app.access import Role
from andon.app.wishing import new_wish, submit
from andon.domain.errors import UserError
from andon.domain.language import Language
from andon.web import live, security, streaming
from andon.web.feed import Feed
from andon.web.rendering import Reader
from andon.web.running import Server
from andon.web.security import Visitor
from patience import until

from .small import Small, small

pytestmark = pytest.mark.xdist_group("attacks")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small(tmp_path_factory.mktemp("attacks")) as made:
        made.add("quiet222")
        yield made


def raw(url: str, *lines: str, body: bytes = b"", wait: float = 20.0) -> bytes:
    """What is answered to a request exactly as it stands here."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=wait) as line:
        line.sendall("\r\n".join([lines[0], f"Host: {place.netloc}", *lines[1:], "", ""]).encode("latin-1") + body)
        answer = b""
        while b"\r\n\r\n" not in answer and (more := line.recv(65536)):
            answer += more
        return answer


def sent(server: Small, browser: httpx.Client, path: str, **given: str) -> httpx.Response:
    csrf = browser.get("/").text.partition('name="csrf" content="')[2].partition('"')[0]
    return browser.post(path, data={"csrf": csrf, **given}, headers={"origin": server.url})


@pytest.mark.parametrize("path", ["/api/runs", "/login", "/"])
def test_a_cookie_that_takes_long_to_read_takes_nobodys_time(server: Small, path: str) -> None:
    bomb = 'andon-session="' + "\\" * 60_000 + '"; andon-theme="' + "\\" * 1_000 + '"'
    began = time.monotonic()

    answer = raw(server.url, f"GET {path} HTTP/1.1", f"Cookie: {bomb}")

    assert answer.startswith((b"HTTP/1.1 401", b"HTTP/1.1 200", b"HTTP/1.1 303")), answer[:100]
    assert time.monotonic() - began < 1.5


@pytest.mark.parametrize("path", ["//[", "http://[", "/runs/%00", "\0", "//evil.example/", "/" + "a" * 9_000])
def test_a_stream_of_no_page_is_refused(server: Small, path: str) -> None:
    with server.client(Role.VIEWER) as client:
        answer = client.get("/live", params={"path": path})

    assert answer.status_code in (404, 422), answer.text


def test_pages_that_nobody_looks_at_are_not_kept(server: Small) -> None:
    drawing, reader = live.Drawing(server.site), Reader(Language.EN, "", Visitor("ann", Role.ADMIN, "x"))

    async def many() -> None:
        for number in range(live.MOST_DRAWN + 40):
            await drawing.draw(f"/runs?q={number}", reader)
            with pytest.raises(UserError):
                await drawing.draw(f"/nowhere/{number}", reader)

    asyncio.run(many())
    assert drawing.kept <= live.MOST_DRAWN


def test_one_visitor_opens_so_many_streams_and_others_still_theirs(
    server: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "MOST_OF_ONE", 3)
    with server.client(Role.VIEWER) as client, server.client(Role.ADMIN) as other:
        opened = [client.send(client.build_request("GET", "/api/events"), stream=True) for _ in range(3)]
        heard = [each.iter_lines() for each in opened]
        assert [next(each) for each in heard] == [": quiet"] * 3

        refused = client.get("/live", params={"path": "/"})
        assert refused.status_code == 503 and "streams" in refused.json()["error"]["title"]
        with other.stream("GET", "/api/events") as allowed:
            assert allowed.status_code == 200
        for each in opened:
            each.close()
        until("room", lambda: _opens(client))


def _opens(client: httpx.Client) -> bool:
    with client.stream("GET", "/api/events") as stream:
        return stream.status_code == 200


def test_a_body_that_does_not_come_is_not_waited_for(server: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "BODY_SECONDS", 0.5)
    words = (f"Authorization: Bearer {server.tokens['admin']}", "Content-Type: application/json", "Content-Length: 100")

    answer = raw(server.url, "POST /api/tasks HTTP/1.1", *words, body=b"{")

    assert answer.startswith(b"HTTP/1.1 408"), answer[:100]


@pytest.mark.parametrize("begun", [b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: a"])
def test_a_head_that_does_not_come_is_not_waited_for(server: Small, begun: bytes) -> None:
    listening = socket.create_server(("127.0.0.1", 0))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    made = Server(uvicorn.Config(app, lifespan="off", log_level="error"), Feed(server.store), patience=0.5)
    thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    with closing(socket.create_connection(listening.getsockname(), timeout=15)) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert line.recv(1000).startswith(b"HTTP/1.1 204")
        line.sendall(begun)
        rest = line.recv(1000)
    made.should_exit = True
    thread.join(15)
    listening.close()

    assert rest == b""  # it hung up


def test_also_a_failure_says_what_a_browser_may_do_with_it(server: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(type(server.store.runs), "index", broken)
    with server.client() as client:
        answer = client.get("/api/status")

    assert answer.status_code == 500
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "given",
    [
        {"repository": "~nosuchperson/x"},
        {"repository": "/tmp", "how": "task:nonsense"},
        {"repository": "/tmp", "how": "nonsense:"},
        {"repository": "/tmp", "into": "~nosuchperson/x", "how": "task:create_app"},
        {"repository": "/tmp", "money": "much"},
        {"repository": "/tmp\0/x"},
    ],
)
def test_a_strange_task_is_refused_in_words(server: Small, given: dict[str, str]) -> None:
    with closing(server.browser()) as browser:
        answer = sent(server, browser, "/tasks", **{"text": "Count words", "how": "task:modify_app", **given})

    assert answer.status_code == 303 and "problem=" in answer.headers["location"], answer.text[:300]
    assert not [each for each in server.store.wishes.waiting() if each.state == "starting"]


def test_a_kind_of_task_that_there_is_not_is_never_queued(server: Small) -> None:
    with pytest.raises(UserError, match="nonsense"):
        submit(server.store, new_wish("Count words", "/tmp", "ann", type="nonsense"))


@pytest.mark.parametrize("version", ["9" * 6_000, "9" * 30])
def test_a_decision_about_a_version_with_many_digits_is_refused(server: Small, version: str) -> None:
    with closing(server.browser()) as browser:
        answer = sent(server, browser, "/reviews/x/decide", decision="approve", version=version, tree="x")

    assert answer.status_code in (404, 422), answer.text[:200]


def test_a_name_that_would_write_into_a_terminal_is_no_name(server: Small) -> None:
    with server.client() as client:
        answer = client.post("/api/tokens", json={"name": "red\x1b[31m\nline", "role": "viewer"})

    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize("key", ["serve.folders", "worktree_root", "scenario"])
def test_a_folder_of_nobody_is_not_kept_as_a_setting(server: Small, key: str) -> None:
    """It would make every command fail from then on."""
    with closing(server.browser()) as browser:
        answer = sent(server, browser, "/settings/set", key=key, value="~nosuchperson/x")
        after = browser.get("/settings")

    assert answer.status_code == 422, answer.text[:200]
    assert after.status_code == 200


def test_every_cookie_is_for_this_server_alone(server: Small) -> None:
    with closing(server.browser()) as browser:
        told = sent(server, browser, "/preferences", language="ko").headers.get_list("set-cookie")

    assert told and all("samesite=strict" in each.lower() for each in told)
