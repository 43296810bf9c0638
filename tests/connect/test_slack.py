"""Slack through its connector: who is signed in, the newest messages, and every failure named as what it is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from andon import connect
from servers import TOKEN, Answer, Slack, said


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack({"C123": [said(f"message {number}") for number in range(250)], "C0": []}).open() as server:
        yield server


def ask(server: Slack | None, *words: str, **changed: str) -> tuple[int, dict[str, Any]]:
    environment = {"PATH": os.environ["PATH"], "SLACK_BOT_TOKEN": TOKEN, "NO_PROXY": "127.0.0.1"}
    environment |= {"ANDON_SLACK_API_URL": server.url} if server else {}
    found = connect.call("slack", words, environment | changed)
    assert TOKEN not in found.output
    return found.code, json.loads(found.output)


def test_A_130_status_says_who_is_signed_in(slack: Slack) -> None:
    assert ask(slack, "status") == (0, {"authenticated": True, "account": "andon", "team": "Tally"})


def test_A_131_the_newest_hundred_messages_are_one_request(slack: Slack) -> None:
    code, found = ask(slack, "history", "C123", "--limit", "100")

    assert (code, found["channel"], found["left_out"]) == (0, "C123", 0)
    assert [each["text"] for each in found["messages"]] == [f"message {number}" for number in range(100)]
    assert found["messages"][0] | {"text": ""} == {"at": "2025-06-15 15:06", "from": "U1", "text": ""}
    assert slack.asked == [("/conversations.history", {"channel": "C123", "limit": "100"})]


def test_A_131_pages_are_read_until_there_are_enough(slack: Slack) -> None:
    slack.page = 40

    _, found = ask(slack, "history", "C123", "--limit", "100")

    assert [each["text"] for each in found["messages"]] == [f"message {number}" for number in range(100)]
    assert [values["limit"] for _, values in slack.asked] == ["100", "60", "20"]


def test_A_131_an_empty_channel_has_no_messages(slack: Slack) -> None:
    code, found = ask(slack, "history", "C0", "--limit", "100")

    assert (code, found["messages"]) == (0, [])


def test_A_131_a_message_has_what_a_reader_needs_and_is_cut_when_it_is_endless(slack: Slack) -> None:
    shared = {"name": "plan.pdf", "permalink": "https://example.invalid/plan.pdf"}
    slack.channels["C9"] = [said("x" * 9000, files=[shared], reply_count=3), {"text": None, "files": "?", "ts": "no"}]

    _, found = ask(slack, "history", "C9", "--limit", "5")

    long, odd = found["messages"]
    assert long["text"] == "x" * 4000 + " […]"
    assert (long["files"], long["replies"]) == (["plan.pdf https://example.invalid/plan.pdf"], 3)
    assert odd == {"at": "no", "from": "?", "text": ""}


def test_A_131_an_answer_holds_no_more_than_a_reader_can_take(slack: Slack) -> None:
    slack.channels["C9"] = [said("x" * 4000) for _ in range(400)]

    _, found = ask(slack, "history", "C9", "--limit", "400")

    assert len(found["messages"]) + found["left_out"] == 400 and found["left_out"] > 100


LIMITED = Answer({"ok": False, "error": "ratelimited"}, 429, {"Retry-After": "37"})


@pytest.mark.parametrize(
    ("instead", "words", "problem", "message", "hint"),
    [
        (None, ("history", "C404"), "not_found", "Slack knows no channel C404", "invite the bot"),
        (LIMITED, ("history", "C123"), "rate_limited", "Slack limits requests (429) for 37 seconds", "resume"),
        (LIMITED, ("status",), "rate_limited", "(429) for 37 seconds", "resume"),
        (
            Answer({"ok": False, "error": "missing_scope", "needed": "channels:history"}),
            ("history", "C123"),
            "permission",
            "does not let the bot read C123 (missing_scope)",
            "needed: channels:history.",
        ),
        (Answer({"ok": False, "error": "not_in_channel"}), ("history", "C1"), "permission", "C1", "Invite the bot"),
        (Answer({"ok": False, "error": "token_revoked"}), ("status",), "credentials", "(token_revoked)", "xoxb-"),
        (Answer({"ok": False, "error": "fatal_error"}), ("status",), "refused", "fatal_error", ""),
        (Answer(b"<html>Bad gateway</html>", 502), ("status",), "refused", "no answer of Slack's", "ANDON_SLACK"),
        (Answer(b"{", 200), ("status",), "refused", "no answer of Slack's", ""),
        (None, ("history", "C123", "--limit", "many"), "usage", "--limit should be a number", ""),
        (None, ("erase", "C123"), "usage", "no operation 'erase'", "status, history"),
    ],
)
def test_A_05_what_goes_wrong_is_told_as_what_it_is(
    slack: Slack, instead: Answer | None, words: tuple[str, ...], problem: str, message: str, hint: str
) -> None:
    slack.instead = instead

    code, found = ask(slack, *words)

    assert code == 1
    assert found["problem"] == problem
    assert message in found["message"] and hint in found["hint"]
    assert found.get("authenticated", False) is False and ("authenticated" in found) == (words == ("status",))


def test_A_130_without_a_token_nothing_is_asked(slack: Slack) -> None:
    code, found = ask(slack, "status", SLACK_BOT_TOKEN="")

    assert (code, found["authenticated"], found["problem"]) == (1, False, "credentials")
    assert "SLACK_BOT_TOKEN is not set" in found["message"] and "into SLACK_BOT_TOKEN" in found["hint"]
    assert slack.asked == []


@pytest.mark.parametrize("token", ["xoxb-two\nlines", "xoxb-two words", "xoxb-토큰"])
def test_A_130_E_28_a_token_that_is_none_is_refused_and_not_repeated(slack: Slack, token: str) -> None:
    _, found = ask(slack, "status", SLACK_BOT_TOKEN=token)

    assert found["problem"] == "credentials" and "characters that no token has" in found["message"]
    assert "xoxb-two" not in str(found) and slack.asked == []


def test_A_130_a_wrong_token_is_not_signed_in(slack: Slack) -> None:
    code, found = ask(slack, "status", SLACK_BOT_TOKEN="xoxb-somebody-else")

    assert (code, found["authenticated"], found["problem"]) == (1, False, "credentials")
    assert "xoxb-somebody-else" not in str(found)


def test_A_05_a_server_that_is_not_there_is_unreachable() -> None:
    _, found = ask(None, "status", ANDON_SLACK_API_URL="http://127.0.0.1:9/")

    assert found["problem"] == "unreachable" and "Check the network" in found["hint"]
    assert found["message"] == "Slack cannot be reached: Connection refused"


@pytest.mark.parametrize("url", ["http://example.invalid/api/", "ftp://127.0.0.1/", "slack.com"])
def test_E_28_a_token_is_not_sent_in_the_clear(url: str) -> None:
    _, found = ask(None, "status", ANDON_SLACK_API_URL=url)

    assert found["problem"] == "usage" and "ANDON_SLACK_API_URL is no https address" in found["message"]


def test_E_22_a_missing_package_is_told_with_the_command_that_installs_it(
    slack: Slack, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = tmp_path / "slack_sdk.py"
    hidden.write_text("raise ModuleNotFoundError(name='slack_sdk')\n")

    found = connect.call("slack", ("status",), {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)})

    assert not found.available
    told = json.loads(found.output)
    assert told["problem"] == "not_installed" and 'pip install "andon[slack]"' in told["hint"]


def test_nothing_is_imported_from_the_folder_andon_was_started_in(
    slack: Slack, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slack_sdk.py").write_text("raise SystemExit('a repository ran its own code')\n")
    monkeypatch.chdir(tmp_path)

    assert ask(slack, "status")[0] == 0


def test_A_05_a_server_that_never_ends_is_given_up(slack: Slack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "CALL_SECONDS", 0.05)

    _, found = ask(slack, "status")

    assert found["problem"] == "timeout" and "within 0.05 seconds" in found["message"]
