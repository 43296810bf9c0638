"""Gmail through its connector: whose mailbox, unread mail, a search, and every failure named as what it is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from andon import connect
from servers import TOKEN, Answer, Gmail, google_error, part, written


@pytest.fixture
def gmail() -> Iterator[Gmail]:
    mails = [
        written(f"Order {number}", f"Please send {number} apples.", unread=number % 2 == 0) for number in range(50)
    ]
    mails.append(written("Lunch", "Noodles?", sender="Bob <bob@example.invalid>", unread=False))
    with Gmail(mails).open() as server:
        yield server


def ask(server: Gmail | None, *words: str, **changed: str) -> tuple[int, dict[str, Any]]:
    environment = {"PATH": os.environ["PATH"], "GMAIL_ACCESS_TOKEN": TOKEN, "NO_PROXY": "127.0.0.1"}
    environment |= {"ANDON_GMAIL_API_URL": server.url} if server else {}
    found = connect.call("gmail", words, environment | changed)
    assert TOKEN not in found.output
    return found.code, json.loads(found.output)


def listings(server: Gmail) -> list[dict[str, str]]:
    return [
        {key: value for key, value in values.items() if key != "alt"}
        for path, values in server.asked
        if path.endswith("/messages")
    ]


def test_A_135_status_says_whose_mailbox_it_is(gmail: Gmail) -> None:
    assert ask(gmail, "status") == (0, {"authenticated": True, "account": "ada@example.invalid"})


def test_A_135_a_token_file_signs_in_too_and_is_left_as_it_is(gmail: Gmail, tmp_path: Path) -> None:
    file = tmp_path / "token.json"
    content = {"token": TOKEN, "refresh_token": "r", "client_id": "c", "client_secret": "s"}
    file.write_text(json.dumps(content | {"expiry": "2999-01-01T00:00:00Z"}))
    before = file.read_bytes(), file.stat().st_mtime_ns

    code, found = ask(gmail, "status", GMAIL_ACCESS_TOKEN="", GMAIL_TOKEN_FILE=str(file))

    assert (code, found["authenticated"]) == (0, True)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_A_136_unread_mail_newest_first(gmail: Gmail) -> None:
    code, found = ask(gmail, "unread", "--limit", "20")

    assert (code, found["query"], len(found["messages"])) == (0, "is:unread", 20)
    assert [each["subject"] for each in found["messages"][:3]] == ["Order 0", "Order 2", "Order 4"]
    assert listings(gmail) == [{"q": "is:unread", "maxResults": "20"}]


@pytest.mark.parametrize("query", ["from:bob", "subject:lunch"])
def test_A_136_a_search_is_handed_on_as_it_is(gmail: Gmail, query: str) -> None:
    _, found = ask(gmail, "search", query, "--limit", "20")

    [mail] = found["messages"]
    assert (mail["from"], mail["subject"], mail["text"]) == ("Bob <bob@example.invalid>", "Lunch", "Noodles?")
    assert listings(gmail) == [{"q": query, "maxResults": "20"}]


def test_A_136_pages_are_read_until_there_are_enough(gmail: Gmail) -> None:
    gmail.page = 8

    _, found = ask(gmail, "unread", "--limit", "20")

    assert len(found["messages"]) == 20
    assert [each["maxResults"] for each in listings(gmail)] == ["20", "12", "4"]


def test_A_136_a_mail_has_what_a_reader_needs(gmail: Gmail) -> None:
    page = "<head><style>p {}</style></head><p>Guten&nbsp;Tag &amp; so<br>weiter</p><script>steal()</script>"
    rich = written("Rich", "", html=page)
    rich["payload"]["parts"].append(part("application/pdf", "%PDF", filename="offer.pdf"))
    latin = written("Latin", "")
    latin["payload"]["parts"] = [part("text/plain", "Grüße", charset="iso-8859-1")]
    gmail.mails = [
        rich,
        latin,
        written("Long", "x" * 9000),
        {"id": "odd", "payload": {"parts": "none"}, "labelIds": []},
    ]

    _, found = ask(gmail, "search", "newer_than:7d", "--limit", "20")

    texts = [each["text"] for each in found["messages"]]
    assert texts == ["Guten Tag & so\nweiter", "Grüße", "x" * 8000 + " […]", ""]
    assert found["messages"][0]["attachments"] == [{"name": "offer.pdf", "type": "application/pdf", "bytes": 4}]


@pytest.mark.parametrize(
    ("instead", "problem", "message", "hint"),
    [
        (google_error(429, "rateLimitExceeded", Retry_After="12"), "rate_limited", "(429) for 12 seconds", "resume"),
        (google_error(403, "userRateLimitExceeded"), "rate_limited", "Gmail limits requests", "resume"),
        (google_error(403, "insufficientPermissions"), "permission", "insufficientPermissions", "gmail.readonly"),
        (google_error(404, "notFound"), "not_found", "does not find it", "ANDON_GMAIL_API_URL"),
        (google_error(500, "backendError"), "refused", "backendError", ""),
        (Answer(b"<html>Bad gateway</html>", 502), "refused", "Bad", ""),
        (Answer(b"<html>Welcome to the hotel's network</html>"), "refused", "no JSON", ""),
    ],
)
def test_A_05_what_goes_wrong_is_told_as_what_it_is(
    gmail: Gmail, instead: Answer, problem: str, message: str, hint: str
) -> None:
    gmail.instead = instead

    code, found = ask(gmail, "unread", "--limit", "20")

    assert (code, found["problem"]) == (1, problem), found
    assert message in found["message"] and hint in found["hint"]


def test_A_135_without_credentials_nothing_is_asked(gmail: Gmail) -> None:
    code, found = ask(gmail, "status", GMAIL_ACCESS_TOKEN="")

    assert (code, found["authenticated"], found["problem"]) == (1, False, "credentials")
    assert "neither GMAIL_TOKEN_FILE nor GMAIL_ACCESS_TOKEN is set" in found["message"]
    assert gmail.asked == []


def test_A_135_a_wrong_token_is_not_signed_in(gmail: Gmail) -> None:
    code, found = ask(gmail, "status", GMAIL_ACCESS_TOKEN="ya29.somebody-else")

    assert (code, found["authenticated"], found["problem"]) == (1, False, "credentials")
    assert "ya29" not in str(found)


@pytest.mark.parametrize("content", ["{}", "not json: hush-hush", '{"client_secret": "hush-hush"}', "[]"])
def test_A_135_E_28_a_token_file_that_is_none_is_told_without_its_content(
    gmail: Gmail, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "token.json"
    file.write_text(content)

    _, found = ask(gmail, "status", GMAIL_TOKEN_FILE=str(file))

    assert found["problem"] == "credentials" and "no token file" in found["message"]
    assert "hush" not in str(found)


def test_A_135_a_token_file_that_is_not_there_is_told(gmail: Gmail, tmp_path: Path) -> None:
    _, found = ask(gmail, "status", GMAIL_TOKEN_FILE=str(tmp_path / "gone.json"))

    assert "GMAIL_TOKEN_FILE cannot be read: No such file" in found["message"]


def test_A_05_a_server_that_is_not_there_is_unreachable() -> None:
    _, found = ask(None, "status", ANDON_GMAIL_API_URL="http://127.0.0.1:9/")

    assert found["problem"] == "unreachable" and "Check the network" in found["hint"]
    assert found["message"] == "Gmail cannot be reached: Connection refused"


def test_E_28_a_token_is_not_sent_in_the_clear() -> None:
    _, found = ask(None, "status", ANDON_GMAIL_API_URL="http://example.invalid/")

    assert found["problem"] == "usage" and "ANDON_GMAIL_API_URL is no https address" in found["message"]


def test_E_22_a_missing_package_is_told_with_the_command_that_installs_it(tmp_path: Path) -> None:
    (tmp_path / "googleapiclient.py").write_text("raise ModuleNotFoundError(name='googleapiclient')\n")

    found = connect.call("gmail", ("status",), {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)})

    assert not found.available and 'pip install "andon[gmail]"' in json.loads(found.output)["hint"]
