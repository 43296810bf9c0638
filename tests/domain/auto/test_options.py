"""A-01 to A-04, A-134, A-138, G-01, G-08: what a person asks of `auto`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.options import (
    TRIGGERS,
    Action,
    FollowUp,
    Gmail,
    Options,
    Request,
    after_trigger,
    follow_up,
    is_trigger,
    parse,
    refuse_unavailable,
)
from andon.domain.errors import UserError


@pytest.mark.parametrize("word", ["/auto", "auto", "autopilot", "ulw", "ultrawork", "ralph", "/work", "work"])
def test_A_01_the_eight_keywords_open_auto(word: str) -> None:
    assert is_trigger(word)
    assert after_trigger([word, "fix it"]) == ["fix it"]


@pytest.mark.parametrize("words", [[], ["uam", "x"], ["please", "auto", "this"], ["automatic"]])
def test_A_01_G_48_other_first_words_do_not(words: list[str]) -> None:
    assert after_trigger(words) is None
    assert len(TRIGGERS) == 8


def test_A_02_work_is_an_alias() -> None:
    assert after_trigger(["/work", "--loop", "X"]) == after_trigger(["/auto", "X"]) == ["X"]
    assert after_trigger(["work", "--", "--loop"]) == ["--", "--loop"]
    with pytest.raises(UserError, match="--loop"):
        parse(after_trigger(["/auto", "--loop"]) or [])


@pytest.mark.parametrize(
    ("words", "action", "task"),
    [
        ([], Action.DISCOVER, ""),
        (["task text"], Action.RUN, "task text"),
        (["fix", "the", "bug"], Action.RUN, "fix the bug"),
        (["status"], Action.STATUS, ""),
        (["stop"], Action.STOP, ""),
        (["resume"], Action.RESUME, ""),
        (["status", "page", "is", "wrong"], Action.RUN, "status page is wrong"),
        (["status page is wrong"], Action.RUN, "status page is wrong"),
        (["--", "--opus is broken"], Action.RUN, "--opus is broken"),
        (["--opus is broken"], Action.RUN, "--opus is broken"),
    ],
)
def test_A_03_forms_of_the_command(words: list[str], action: Action, task: str) -> None:
    request = parse(words)

    assert (request.action, request.task) == (action, task)


def test_A_04_every_option_once() -> None:
    words = ["--worktree", "--interactive", "--opus", "--prd", "--custom", "READY", "--skip-e2e", "--slack", "C123"]
    words += ["--gmail", "from:client", "--dry-run", "--eco", "--gdocs", "--mockup", "--daily", "task"]

    assert parse(words) == Request(
        "task",
        Options(
            worktree=True,
            interactive=True,
            opus=True,
            prd=True,
            skip_e2e=True,
            dry_run=True,
            eco=True,
            custom="READY",
            slack="C123",
            gmail=Gmail("from:client", "task"),
            gdocs=True,
            mockup=True,
            daily=True,
        ),
    )


@pytest.mark.parametrize(
    ("word", "nearest"), [("--worktre", "--worktree"), ("--dryrun", "--dry-run"), ("--skip_e2", "--skip-e2e")]
)
def test_A_04_an_unknown_option_is_named_with_the_nearest(word: str, nearest: str) -> None:
    with pytest.raises(UserError, match=word) as raised:
        parse(["task", word])

    assert nearest in raised.value.hint


@pytest.mark.parametrize(
    "words",
    [
        ["--slack"],
        ["--slack", "--opus"],
        ["--slack", "#general"],
        ["--slack=C1/../x"],
        ["--custom="],
        ["--custom", "a", "--custom", "b"],
        ["--opus=1"],
        ["-x"],
    ],
)
def test_A_05_mistakes_are_loud(words: list[str]) -> None:
    with pytest.raises(UserError):
        parse(words)


@pytest.mark.parametrize("name", ["gdocs", "mockup", "daily"])
def test_G_01_options_without_behaviour_are_refused(name: str) -> None:
    request = parse([f"--{name}", "task"])

    with pytest.raises(UserError, match=f"not available: --{name}"):
        refuse_unavailable(request.options)


def test_G_01_available_options_pass() -> None:
    refuse_unavailable(parse(["--eco", "--dry-run", "task"]).options)


@pytest.mark.parametrize(
    ("words", "gmail"),
    [
        (["--gmail"], Gmail(None, None)),
        (["--gmail", "from:client"], Gmail("from:client", None)),
        (["--gmail", "subject:invoice"], Gmail("subject:invoice", None)),
        (["--gmail", "newer_than:7d"], Gmail("newer_than:7d", None)),
        (["--gmail=from:client"], Gmail("from:client", None)),
        (["--gmail", "회신이 필요한 메일 정리"], Gmail(None, "회신이 필요한 메일 정리")),
        (["--gmail", "from:client", "응답 초안"], Gmail("from:client", "응답 초안")),
        (["--gmail", "from:a", "newer_than:7d", "do it"], Gmail("from:a newer_than:7d", "do it")),
        (["do it", "--gmail"], Gmail(None, "do it")),
        (["--gmail", "Fix the time: 12:30 is wrong"], Gmail(None, "Fix the time: 12:30 is wrong")),
    ],
)
def test_A_134_G_08_forms_of_gmail(words: list[str], gmail: Gmail) -> None:
    request = parse(words)

    assert request.options.gmail == gmail
    assert request.action is Action.RUN


@pytest.mark.parametrize(
    ("task", "way"),
    [
        (None, FollowUp.SHOW),
        ("응답 초안", FollowUp.DRAFTS),
        ("reply draft", FollowUp.DRAFTS),
        ("할일 생성", FollowUp.TODOS),
        ("Create todos", FollowUp.TODOS),
        ("build what the client asks for", FollowUp.RUN),
    ],
)
def test_A_138_what_follows_the_mail(task: str | None, way: FollowUp) -> None:
    assert follow_up(Gmail("from:client", task)) is way


@given(st.lists(st.text() | st.sampled_from(["--gmail", "--slack", "--opus", "from:a", "--", "-x", "--nope=1"])))
def test_A_04_any_words_parse_or_are_a_users_mistake(words: list[str]) -> None:
    try:
        request = parse(words)
    except UserError as mistake:
        assert mistake.message
    else:
        assert request.action is not Action.DISCOVER or not request.task
