"""`--slack` and `--gmail` that cannot be done: message, hint, exit code, and nobody starts to work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from servers import TOKEN, Gmail, Slack, written

SLACK = ("--slack", "C0123456789")
NOBODY = "http://127.0.0.1:9/"


@pytest.fixture(scope="module")
def slack() -> Iterator[Slack]:
    with Slack({"C0123456789": []}).open() as server:
        yield server


@pytest.fixture(scope="module")
def gmail() -> Iterator[Gmail]:
    with Gmail([written("Order", "Ten apples.", unread=False)]).open() as server:
        yield server


@pytest.mark.parametrize(
    ("words", "changed", "code", "message", "hint"),
    [
        (SLACK, {"ANDON_SLACK_API_URL": NOBODY}, 1, "--slack failed: Slack cannot be reached", "Check the network"),
        (("--slack", "C404"), {}, 1, "--slack failed: Slack knows no channel C404", "invite the bot"),
        (SLACK, {}, 2, "--slack: there is nothing to read, so nothing was started.", ""),
        (("--gmail",), {"GMAIL_ACCESS_TOKEN": ""}, 2, "--gmail failed: Not signed in to Gmail", "GMAIL_TOKEN_FILE"),
        (("--gmail", "from:nobody"), {}, 2, "--gmail: there is nothing to read", ""),
    ],
    ids=["no network", "unknown channel", "empty channel", "signed out", "no mail"],
)
def test_A_05_E_22_an_option_that_fails_is_named_and_nobody_starts(
    person: Any,
    slack: Slack,
    gmail: Gmail,
    words: tuple[str, ...],
    changed: dict[str, str],
    code: int,
    message: str,
    hint: str,
) -> None:
    ran = person.auto(*words, env=known(slack, gmail) | changed)

    assert ran.code == code, ran.stdout + ran.stderr
    assert message in ran.stdout and hint in ran.stdout
    assert "docs/how-to" not in ran.stdout  # which is in andon's repository, not in theirs
    assert not [entry for entry in person.journal() if entry["kind"] == "spawn"]


def test_A_138_mail_that_is_only_looked_for_may_not_be_there(person: Any, slack: Slack, gmail: Gmail) -> None:
    ran = person.andon("auto", "--scenario", str(person.scenario), "--gmail", env=known(slack, gmail))

    assert ran.code == 0 and "DONE: There is no such mail." in ran.stdout
    assert [run["task"] for run in person.runs()] == ["--gmail unread"]


def test_A_134_the_words_after_a_search_may_go_on_with_it(person: Any, slack: Slack, gmail: Gmail) -> None:
    gmail.asked.clear()

    person.andon(
        *("auto", "--scenario", str(person.scenario), "--gmail", "from:nobody", "subject:x", "greet"),
        env=known(slack, gmail),
    )

    assert [values["q"] for path, values in gmail.asked if path.endswith("/messages")] == ["from:nobody subject:x"]


def test_G_01_a_dry_run_asks_who_is_signed_in_and_reads_nothing(person: Any, slack: Slack, gmail: Gmail) -> None:
    slack.asked.clear()

    ran = person.auto(*SLACK, "--dry-run", env=known(slack, gmail))

    assert ran.code == 0 and "would spawn slack-analyst (analyst, sonnet)" in ran.stdout
    assert [path for path, _ in slack.asked] == ["/auth.test"]
    assert person.git("status", "--porcelain", "--ignored") == ""


def known(slack: Slack, gmail: Gmail) -> dict[str, str]:
    return {
        **{"SLACK_BOT_TOKEN": TOKEN, "GMAIL_ACCESS_TOKEN": TOKEN, "NO_PROXY": "127.0.0.1"},
        **{"ANDON_SLACK_API_URL": slack.url, "ANDON_GMAIL_API_URL": gmail.url},
    }
