"""The gate: what other pages, strangers and the wrong people try, and what they get. Each row is one request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from andon.app.access import LINK_SECONDS, Access, Role
from andon.app.serving import Address, checked
from andon.domain.errors import UserError

from .conftest import House

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


@dataclass(frozen=True)
class Attack:
    """One request. `cookie`: with a signed-in browser's cookie. `csrf`: with the token of its page."""

    method: str
    path: str
    refused: tuple[int, ...]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    cookie: bool = False
    csrf: bool = False
    role: Role = Role.ADMIN


OWN = "OWN"
"""Stands for the server's own origin."""
ATTACKS: Mapping[str, Attack] = {
    # Rebinding: a name of somebody else's that leads here.
    "foreign host": Attack("GET", "/", (421,), {"host": "evil.example"}, cookie=True),
    "foreign host with our port": Attack("GET", "/api/runs", (421,), {"host": "evil.example:PORT"}, cookie=True),
    "host with a suffix": Attack("GET", "/", (421,), {"host": "127.0.0.1.evil.example:PORT"}, cookie=True),
    "host without a port": Attack("GET", "/", (421,), {"host": "127.0.0.1"}, cookie=True),
    "host of another port": Attack("GET", "/", (421,), {"host": "127.0.0.1:1"}, cookie=True),
    "host with a user": Attack("GET", "/", (400, 421), {"host": "a@127.0.0.1:PORT"}, cookie=True),
    "empty host": Attack("GET", "/", (400, 421), {"host": ""}, cookie=True),
    "forwarded host": Attack("GET", "/", (421,), {"host": "evil.example", "x-forwarded-host": "127.0.0.1:PORT"}),
    "rebinding to a stream": Attack("GET", "/api/events", (421,), {"host": "evil.example:PORT"}, cookie=True),
    "rebinding to the open page": Attack("GET", "/login", (421,), {"host": "evil.example"}),
    # Another page in the same browser.
    "no origin with a cookie": Attack("POST", "/runs/RUN/stop", (403,), {"content-type": FORM}, b"", True, True),
    "foreign origin": Attack("POST", "/runs/RUN/stop", (403,), {"origin": "http://evil.example"}, b"", True, True),
    "null origin": Attack("POST", "/runs/RUN/stop", (403,), {"origin": "null"}, b"", True, True),
    "origin of another port": Attack(
        "POST", "/runs/RUN/stop", (403,), {"origin": "http://127.0.0.1:1"}, b"", True, True
    ),
    "origin of another scheme": Attack(
        "POST", "/runs/RUN/stop", (403,), {"origin": "https://127.0.0.1:PORT"}, b"", True, True
    ),
    "origin with a suffix": Attack(
        "POST", "/runs/RUN/stop", (403,), {"origin": f"{OWN}.evil.example"}, b"", True, True
    ),
    "foreign origin with a token": Attack(
        "POST", "/api/runs/RUN/stop", (403,), {"origin": "http://evil.example", "authorization": "TOKEN"}
    ),
    "cross-site fetch": Attack(
        "GET", "/api/runs", (403,), {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}, cookie=True
    ),
    "cross-site post": Attack(
        "POST", "/runs/RUN/stop", (403,), {"origin": OWN, "sec-fetch-site": "cross-site"}, b"", True, True
    ),
    "same-site fetch": Attack("GET", "/api/runs", (403,), {"sec-fetch-site": "same-site"}, cookie=True),
    "same-site navigation": Attack(
        "GET", "/", (403,), {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"}, cookie=True
    ),
    "cross-site image": Attack(
        "GET", "/runs/RUN", (403,), {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, cookie=True
    ),
    "cross-site navigation by post": Attack(
        "POST", "/preferences", (403,), {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, b"", True, True
    ),
    "cross-site stream": Attack(
        "GET", "/live", (403,), {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}, cookie=True
    ),
    "preflight": Attack(
        "OPTIONS",
        "/api/runs",
        (401, 403, 405),
        {"origin": "http://evil.example", "access-control-request-method": "POST"},
    ),
    "cookie with an empty authorization": Attack(
        "POST", "/api/runs/RUN/stop", (401, 403), {"authorization": "x"}, b"", True, True
    ),
    # Strangers.
    "no sign-in": Attack("GET", "/api/runs", (401,)),
    "no sign-in at a stream": Attack("GET", "/api/events", (401,)),
    "no sign-in at a page's stream": Attack("GET", "/live", (401,)),
    "no sign-in at the description": Attack("GET", "/api/openapi.json", (401,)),
    "token in the address": Attack("GET", "/api/runs?token=SECRET", (401,)),
    "token in the address as a header": Attack("GET", "/api/runs?authorization=Bearer%20SECRET", (401,)),
    "token as a cookie": Attack("GET", "/api/runs", (401,), {"cookie": "andon-session=SECRET"}),
    "token as basic": Attack("GET", "/api/runs", (401,), {"authorization": "Basic SECRET"}),
    "half a token": Attack("GET", "/api/runs", (401,), {"authorization": "Bearer HALF"}),
    "empty token": Attack("GET", "/api/runs", (401,), {"authorization": "Bearer"}),
    "token with a NUL": Attack("GET", "/api/runs", (400, 401), {"authorization": "Bearer a%00"}),
    "cookie as a token": Attack("GET", "/api/runs", (401,), {"authorization": "Bearer COOKIE"}),
    "forged cookie": Attack("GET", "/api/runs", (401,), {"cookie": "andon-session=forged"}),
    "broken cookie": Attack("GET", "/api/runs", (401,), {"cookie": 'andon-session="\\777; ;=;'}),
    "open path that is not open": Attack("GET", "/static/../api/runs", (401, 404)),
    "open path, encoded": Attack("GET", "/static/%2e%2e/%2e%2e/site.py", (404,)),
    "open path, encoded twice": Attack("GET", "/static/..%252f..%252fsite.py", (404,)),
    "static with a NUL": Attack("GET", "/static/a%00b", (404,)),
    # A page that is too old, or none of ours.
    "no csrf token": Attack("POST", "/runs/RUN/stop", (403,), {"origin": OWN, "content-type": FORM}, b"", True),
    "wrong csrf token": Attack(
        "POST", "/runs/RUN/stop", (403,), {"origin": OWN, "content-type": FORM}, b"csrf=wrong", True
    ),
    "csrf token that is no text": Attack(
        "POST", "/runs/RUN/stop", (403,), {"origin": OWN, "content-type": FORM}, b"csrf=%ff%fe%ed%a0%80", True
    ),
    "csrf header that is no ASCII": Attack(
        "POST", "/runs/RUN/stop", (403,), {"origin": OWN, "x-andon-csrf": "\xe9"}, b"", True
    ),
    "csrf header that is wrong beside a right field": Attack(
        "POST",
        "/runs/RUN/stop",
        (403,),
        {"origin": OWN, "content-type": FORM, "x-andon-csrf": "no"},
        b"csrf=CSRF",
        True,
    ),
    "api with a cookie and no csrf": Attack(
        "POST", "/api/runs/RUN/stop", (403,), {"origin": OWN, "content-type": JSON}, b"{}", True
    ),
    "api with a form and a cookie": Attack(
        "POST", "/api/runs/RUN/stop", (403,), {"origin": OWN, "content-type": FORM}, b"csrf=CSRF", True
    ),
    "form where JSON is expected": Attack(
        "POST", "/api/runs/RUN/resume", (415,), {"authorization": "TOKEN", "content-type": FORM}, b"direction=x"
    ),
    "text where JSON is expected": Attack(
        "PATCH",
        "/api/reviews/REVIEW",
        (415,),
        {"authorization": "TOKEN", "content-type": "text/plain"},
        b'{"action": "approve"}',
    ),
    "nothing said where JSON is expected": Attack(
        "PATCH", "/api/reviews/REVIEW", (415,), {"authorization": "TOKEN"}, b'{"action": "approve"}'
    ),
    "JSON where a form is expected": Attack(
        "POST", "/runs/RUN/stop", (422,), {"origin": OWN, "content-type": JSON}, b"{}", True, True
    ),
    "parts where a form is expected": Attack(
        "POST",
        "/runs/RUN/stop",
        (422,),
        {"origin": OWN, "content-type": "multipart/form-data; boundary=x"},
        b"--x--",
        True,
        True,
    ),
    # Too much of it.
    "large body with its length": Attack(
        "POST", "/api/tasks", (413,), {"authorization": "TOKEN", "content-type": JSON}, b"x" * 1_000_001
    ),
    "deep JSON": Attack(
        "POST", "/api/tasks", (400, 422), {"authorization": "TOKEN", "content-type": JSON}, b"[" * 100_000
    ),
    "deep JSON, closed": Attack(
        "POST",
        "/api/tasks",
        (400, 422),
        {"authorization": "TOKEN", "content-type": JSON},
        b"[" * 50_000 + b"]" * 50_000,
    ),
    "a number of many digits": Attack(
        "PATCH",
        "/api/reviews/REVIEW",
        (400, 422),
        {"authorization": "TOKEN", "content-type": JSON},
        b'{"action": "approve", "version": ' + b"9" * 10_000 + b"}",
    ),
    "a number out of range": Attack(
        "GET", "/api/runs/RUN/journal?before=99999999999999999999", (422,), {"authorization": "TOKEN"}
    ),
    "not a number": Attack(
        "PATCH",
        "/api/reviews/REVIEW",
        (400, 422),
        {"authorization": "TOKEN", "content-type": JSON},
        b'{"action": "approve", "version": NaN}',
    ),
    "half a character": Attack(
        "POST",
        "/api/tasks",
        (400, 422),
        {"authorization": "TOKEN", "content-type": JSON},
        b'{"text": "\\ud800", "\\udfff": 1, "inputs": {"\\ud800": "x"}}',
    ),
    "not UTF-8": Attack(
        "POST", "/api/tasks", (400, 422), {"authorization": "TOKEN", "content-type": JSON}, b'{"text": "\xff"}'
    ),
    "NUL in a text": Attack(
        "POST",
        "/api/tasks",
        (422,),
        {"authorization": "TOKEN", "content-type": JSON},
        b'{"text": "a\\u0000", "repository": "/tmp"}',
    ),
    "NUL in a folder": Attack(
        "POST",
        "/api/tasks",
        (422,),
        {"authorization": "TOKEN", "content-type": JSON},
        b'{"text": "a", "type": "modify_app", "repository": "/a\\u0000"}',
    ),
    "a folder from here": Attack(
        "POST",
        "/api/tasks",
        (422,),
        {"authorization": "TOKEN", "content-type": JSON},
        b'{"text": "a", "type": "modify_app", "repository": "../x"}',
    ),
    "a key that nobody knows": Attack(
        "POST",
        "/api/tasks",
        (422,),
        {"authorization": "TOKEN", "content-type": JSON},
        b'{"text": "a", "trust_host": true}',
    ),
}


@pytest.fixture(scope="module")
def browser(house: House) -> Iterator[tuple[str, str]]:
    """A signed-in browser's cookie, and the token of its page."""
    with closing(house.browser()) as signed_in:
        page = signed_in.get("/", headers={"accept": "text/html"}).text
        found = re.search(r'name="csrf" value="(\w+)"|content="(\w{32})"|"x-andon-csrf": ?"(\w+)"', page)
        assert found is not None, "the page has no token"
        yield signed_in.cookies["andon-session"], next(filter(None, found.groups()))


@pytest.mark.parametrize("name", ATTACKS)
def test_the_gate_refuses(house: House, browser: tuple[str, str], name: str) -> None:
    attack = ATTACKS[name]
    cookie, csrf = browser
    secret, port = house.tokens["admin"], house.url.rpartition(":")[2]
    known = {"TOKEN": f"Bearer {secret}", "SECRET": secret, "HALF": secret[:20], "COOKIE": cookie, "CSRF": csrf}
    known |= {"PORT": port, "OWN": house.url, "RUN": house.run, "REVIEW": house.review}

    def filled(text: str) -> str:
        for word, value in known.items():
            text = re.sub(rf"\b{word}\b", value, text)
        return text

    headers = {key: filled(value).encode("latin-1") for key, value in attack.headers.items()}
    headers |= {"cookie": f"andon-session={cookie}".encode()} if attack.cookie else {}
    headers |= {"x-andon-csrf": csrf.encode()} if attack.csrf else {}
    before = len(house.store.journal.entries(house.task))

    with httpx.Client(base_url=house.url, timeout=30) as stranger:
        answer = stranger.request(attack.method, filled(attack.path), headers=headers, content=body(attack, csrf))

    assert answer.status_code in attack.refused, answer.text[:300]
    assert "traceback" not in answer.text.lower() and secret not in answer.text
    assert "access-control-allow-origin" not in answer.headers
    assert len(house.store.journal.entries(house.task)) == before and house.review


def body(attack: Attack, csrf: str) -> bytes:
    return attack.body.replace(b"CSRF", csrf.encode())


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= 45


def test_a_large_body_without_a_length_is_refused_while_it_comes(house: House) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(200):
            yield b" " * 10_000

    for role, path, kind in (("admin", "/api/tasks", JSON), ("admin", "/answer", FORM)):
        with house.client(role) as client:
            try:
                answer = client.post(path, content=endless(), headers={"content-type": kind})
            except httpx.WriteError:  # the server hung up while it was still being sent
                continue
            assert answer.status_code == 413, answer.text


@pytest.mark.parametrize(
    "odd",
    [
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "a%00b",
        "%ed%a0%80",
        "%E2%80%AE",
        "%F0%9F%92%A9",
        "x" * 3000,
        "%0d%0aset-cookie:x",
        "'%20OR%201=1",
        "*",
        "%25",
    ],
)
def test_odd_ids_are_not_found(house: House, api: httpx.Client, odd: str) -> None:
    paths = [
        *(f"/api/runs/{odd}{rest}" for rest in ("", "/journal", "/events", "/evidence", "/evidence/verify")),
        *(f"/api/tasks/{odd}{rest}" for rest in ("", "/messages")),
        f"/api/reviews/{odd}",
        f"/runs/{odd}",
        f"/runs/{odd}/rows",
        f"/runs/{house.task}/output/{odd}",
    ]
    for path in paths:
        answer = api.get(path)
        assert answer.status_code in (404, 405), (path, answer.status_code, answer.text[:200])
        assert "set-cookie" not in answer.headers
    for method, path, given in (
        ("POST", f"/api/runs/{odd}/stop", None),
        ("POST", f"/api/runs/{odd}/resume", {}),
        ("POST", f"/api/tasks/{odd}/feedback", {"rating": 3}),
        ("POST", f"/api/tasks/{odd}/messages", {"text": "x"}),
        ("PATCH", f"/api/reviews/{odd}", {"action": "approve"}),
        ("PATCH", f"/api/reviews/{odd}/approve", {}),
        ("PUT", f"/api/reviews/{odd}/reviewer", {"reviewer": "ada"}),
        ("POST", f"/api/questions/{odd}/answer", {"answer": "x"}),
        ("DELETE", f"/api/tokens/{odd}", None),
    ):
        answer = api.request(method, path, json=given)
        assert answer.status_code in (404, 405), (path, answer.status_code, answer.text[:200])


UNSAFE = (
    ("POST", "/api/tasks", {"text": "x", "repository": "/tmp"}, Role.REVIEWER),
    ("POST", "/api/tasks/TASK/messages", {"text": "x"}, Role.REVIEWER),
    ("POST", "/api/tasks/TASK/feedback", {"rating": 5}, Role.REVIEWER),
    ("POST", "/api/runs/RUN/stop", None, Role.REVIEWER),
    ("POST", "/api/runs/RUN/resume", {}, Role.REVIEWER),
    ("PATCH", "/api/reviews/REVIEW", {"action": "approve"}, Role.REVIEWER),
    ("PATCH", "/api/reviews/REVIEW/approve", {}, Role.REVIEWER),
    ("PATCH", "/api/reviews/REVIEW/reject", {"comment": "no"}, Role.REVIEWER),
    ("PUT", "/api/reviews/REVIEW/reviewer", {"reviewer": "ada"}, Role.ADMIN),
    ("POST", "/api/teams", {"file": "x"}, Role.REVIEWER),
    ("POST", "/api/teams/run", {}, Role.REVIEWER),
    ("POST", "/api/memory", {"text": "x"}, Role.REVIEWER),
    ("DELETE", "/api/memory/1", None, Role.REVIEWER),
    ("PATCH", "/api/memory/decisions/1", {"stand": "approved"}, Role.REVIEWER),
    ("POST", "/api/questions/RUN/1.1/answer", {"answer": "x"}, Role.REVIEWER),
    ("POST", "/api/questions/RUN/1.1/keep-waiting", None, Role.REVIEWER),
    ("GET", "/api/tokens", None, Role.ADMIN),
    ("POST", "/api/tokens", {"name": "mine", "role": "admin"}, Role.ADMIN),
    ("DELETE", "/api/tokens/admin-token", None, Role.ADMIN),
)


@pytest.mark.parametrize(("method", "path", "given", "needed"), UNSAFE, ids=[f"{row[0]} {row[1]}" for row in UNSAFE])
def test_who_may_not_is_told_so(house: House, method: str, path: str, given: Any, needed: Role) -> None:
    filled = path.replace("TASK", house.task).replace("RUN", house.run).replace("REVIEW", house.review)
    lower = [role for role in Role if not role.includes(needed)]

    for role in lower:
        with house.client(role.value) as client:
            answer = client.request(method, filled, json=given)
        assert (answer.status_code, "needs the role" in answer.text) == (403, True), answer.text
    assert house.review and house.site.access.tokens()


def test_every_unsafe_endpoint_is_in_the_table_of_roles(house: House, api: httpx.Client) -> None:
    """A new endpoint that changes something has to say here who may use it."""
    described = api.get("/api/openapi.json").json()["paths"]
    unsafe = {(method.upper(), path) for path, all in described.items() for method in all if method != "get"}
    known = {(row[0], re.sub(r"TASK|RUN/1\.1|RUN|REVIEW|admin-token|(?<=/)1$", "{id}", row[1])) for row in UNSAFE}

    assert {(method, path.replace("{id:path}", "{id}")) for method, path in unsafe} <= known | SETTINGS


SETTINGS: set[tuple[str, str]] = set()


def test_a_link_opens_one_session_once(house: House) -> None:
    link = Access(house.store.home).link("ann")

    with httpx.Client(base_url=house.url) as first, httpx.Client(base_url=house.url) as second:
        opened, again = first.get(f"/login?token={link}"), second.get(f"/login?token={link}")

    assert (opened.status_code, again.status_code) == (303, 401)
    cookie = opened.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "set-cookie" not in again.headers


def test_a_link_that_is_too_old_opens_nothing(house: House) -> None:
    import time

    old = Access(house.store.home, clock=lambda: time.time() - LINK_SECONDS - 1).link("ann")

    assert httpx.get(f"{house.url}/login?token={old}").status_code == 401


def test_a_forged_cookie_leads_to_the_sign_in_and_no_further(house: House) -> None:
    with httpx.Client(base_url=house.url, cookies={"andon-session": "forged"}, follow_redirects=True) as stranger:
        answer = stranger.get("/", headers={"accept": "text/html"})

    assert (answer.status_code, answer.url.path) == (200, "/login")


def test_a_token_that_is_taken_back_opens_nothing_and_ends_its_streams(house: House) -> None:
    secret = house.site.access.token("short-lived", Role.VIEWER)
    headers = {"authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=house.url, headers=headers, timeout=30) as client:
        with client.stream("GET", f"/api/runs/{house.run}/events?last=450") as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": quiet"
            house.site.access.revoke("short-lived")
            house.store.journal.append(house.run, "1.9999/after", "notice", "plan", {"text": "a secret"})

            assert "a secret" not in "".join(lines)
        assert client.get("/api/runs").status_code == 401


@pytest.mark.parametrize(
    "back",
    [
        "//evil.example",
        "http://evil.example",
        "/\\evil.example",
        "/%0d%0aset-cookie:a=b",
        "/\r\nset-cookie: a=b",
        "/\t/evil.example",
        "javascript:alert(1)",
        "/\t/[",
        "\\\\evil.example",
        "/\u2028x",
        "",
    ],
)
def test_after_an_act_one_stays_on_this_server(house: House, back: str) -> None:
    from andon.web.formdata import own

    assert own(back) in ("/", "/%0d%0aset-cookie:a=b")
    with house.client() as client:
        answer = client.post("/answer", data={"hold": "none", "back": back})
    assert answer.status_code == 404 and "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com"])
def test_other_machines_are_served_over_TLS_only(host: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="without TLS that is refused"):
        checked(Address(host, 3747))
    pem = tmp_path / "x.pem"
    pem.write_text("x")
    assert checked(Address(host, 3747, pem, pem)).secure


def test_every_answer_says_what_a_browser_may_do_with_it(house: House, api: httpx.Client) -> None:
    for path in ("/api/runs", "/api/runs/none", "/", "/login", "/nothing"):
        headers = api.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store"), path


def test_what_goes_wrong_inside_is_told_without_its_inside(house: House) -> None:
    """A bug of ours: an answer in JSON, and no word of the code."""
    from starlette.testclient import TestClient

    from andon.web.server import create_app

    app = create_app(house.site, frozenset({"testserver"}))

    def broken() -> None:
        raise RuntimeError("the password is 123")

    app.add_api_route("/api/broken", broken, methods=["GET"])
    client = TestClient(
        app, raise_server_exceptions=False, headers={"authorization": f"Bearer {house.tokens['admin']}"}
    )

    answer = client.get("/api/broken")

    assert answer.status_code == 500 and "123" not in answer.text and json.loads(answer.text)["error"]["title"]


FOLLOWED = {"accept": "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_from_elsewhere_leads_to_our_own_page_and_from_there_to_the_one_it_names(
    house: House, site: str
) -> None:
    with closing(house.browser()) as browser:
        arrived = browser.get(f"/runs/{house.run}?q=a%20%22b%22", headers=FOLLOWED | {"sec-fetch-site": site})
        fetched = browser.get("/api/runs", headers=FOLLOWED | {"sec-fetch-site": site})
        framed = browser.get("/", headers=FOLLOWED | {"sec-fetch-site": site, "sec-fetch-dest": "iframe"})

    assert arrived.status_code == 200
    assert "Task of" not in arrived.text  # nothing of a run: whoever asked may not be let in
    assert f'content="0;url=/runs/{house.run}?q=a%20%22b%22"' in arrived.text
    assert fetched.status_code == framed.status_code == 403


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("/reviews?q=tests#top", "/reviews?q=tests"),
        ("//evil.example/x", "/"),
        ("/%5C%5Cevil.example", "/%5C%5Cevil.example"),
        ("/runs?q=%0d%0aset-cookie:%20a=b", "/runs?q=%0d%0aset-cookie:%20a=b"),
        (f"/office/memory?q={'leap%20years%20' * 40}", f"/office/memory?q={'leap%20years%20' * 40}"),
    ],
)
def test_whoever_signs_in_lands_on_the_page_they_wanted_and_nowhere_else(house: House, asked: str, place: str) -> None:
    with httpx.Client(base_url=house.url) as browser:
        sent = browser.get(f"{house.url}{asked}", headers={"accept": "text/html"})
        told = browser.get("/login").text
        opened = browser.get(f"/login?token={Access(house.store.home).link('ann')}")
        again = browser.get("/login")

    assert sent.headers["location"] == "/login" and "samesite=strict" in sent.headers["set-cookie"].lower()
    assert opened.headers["location"] == place
    assert (place in told) or place == "/"
    assert again.headers["location"] == "/"


@pytest.mark.parametrize("forged", ["//evil.example", "https://evil.example/", "/\\\\evil.example", "evil.example"])
def test_a_forged_target_leads_to_the_board(house: House, forged: str) -> None:
    headers = {"cookie": f"andon-next={forged}"}
    opened = httpx.get(f"{house.url}/login?token={Access(house.store.home).link('ann')}", headers=headers)

    assert opened.headers["location"] == "/"
