"""From what an agent left behind to a reply, and sessions that wait for an answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from andon.domain.errors import UserError
from andon.domain.order import Limits, Order, Outcome, Tier
from andon.ports import Exit
from andon.runtimes.scenario import Scenario
from andon.runtimes.scripted import ScriptedRuntime

ANY = ScriptedRuntime(Scenario.model_validate({"scenario": 1, "rules": [{"reply": "x"}]}))
REPLY = b'{"type":"reply","text":"fine"}\n'


@pytest.mark.parametrize(
    ("exit", "outcome", "detail"),
    [
        (Exit("exited", 0), Outcome.DONE, ""),
        (Exit("timeout", detail="killed"), Outcome.LIMIT, "did not end within 5 seconds: killed"),
        (Exit("memory"), Outcome.LIMIT, "used more memory than it may"),
        (Exit("disk"), Outcome.LIMIT, "wrote more than it may"),
        (Exit("cancelled"), Outcome.CANCELLED, "cancelled"),
        (Exit("lease"), Outcome.LOST, "nobody came back for it"),
        (Exit("unstartable", detail="no such file"), Outcome.CRASHED, "unstartable: no such file"),
        (Exit("a reason of tomorrow"), Outcome.CRASHED, "a reason of tomorrow"),
        (Exit("exited", 2), Outcome.CRASHED, "exit code 2: Traceback: boom"),
        (Exit("exited", None, 11), Outcome.CRASHED, "killed by SIGSEGV: Traceback: boom"),
        (Exit("exited", None, 64), Outcome.CRASHED, "killed by SIGRTMAX: Traceback: boom"),
        (Exit("exited", None, 99), Outcome.CRASHED, "killed by signal 99: Traceback: boom"),
    ],
    ids=lambda value: f"{value.reason}-{value.code}-{value.signal}" if isinstance(value, Exit) else "",
)
def test_A_156_the_exit_decides_before_what_was_printed(
    an_order: Callable[..., Order], tmp_path: Path, exit: Exit, outcome: Outcome, detail: str
) -> None:
    (tmp_path / "stdout").write_bytes(REPLY)
    (tmp_path / "stderr").write_bytes(b"Traceback: boom\n")

    reply = ANY.reply(an_order(limits=Limits(seconds=5)), tmp_path, exit)

    assert (reply.outcome, reply.detail) == (outcome, detail)
    assert reply.text == ("fine" if outcome is Outcome.DONE else "")


@pytest.mark.parametrize(
    ("printed", "outcome"),
    [
        (b"", Outcome.UNPARSEABLE),
        (b'{"type":"reply","text":"cut o', Outcome.UNPARSEABLE),
        (b'{"type":"reply","text":7}\n', Outcome.UNPARSEABLE),
        (REPLY.strip(), Outcome.DONE),
        (b"noise\n" + REPLY + b"noise\n", Outcome.DONE),
        (b'{"type":"rate_limit"}\n' + REPLY, Outcome.DONE),
        (REPLY + b'{"type":"rate_limit"}\n', Outcome.RATE_LIMITED),
        (b'{"type":"ask","question":"?"}\n', Outcome.ASKED),
    ],
)
def test_E_02_the_last_word_decides(
    an_order: Callable[..., Order], tmp_path: Path, printed: bytes, outcome: Outcome
) -> None:
    (tmp_path / "stdout").write_bytes(printed)

    assert ANY.reply(an_order(), tmp_path, Exit("exited", 0)).outcome is outcome


def test_E_02_an_agent_that_never_started_left_nothing(an_order: Callable[..., Order], tmp_path: Path) -> None:
    reply = ANY.reply(an_order(), tmp_path / "nowhere", Exit("unstartable", detail="no program"))

    assert (reply.outcome, reply.detail) == (Outcome.CRASHED, "unstartable: no program")


def test_E_02_a_rate_limit_counts_even_with_a_bad_exit_code(an_order: Callable[..., Order], tmp_path: Path) -> None:
    (tmp_path / "stdout").write_bytes(b'{"type":"rate_limit","resets_at":17.5}\n')

    reply = ANY.reply(an_order(), tmp_path, Exit("exited", 1))

    assert (reply.outcome, reply.resets_at) == (Outcome.RATE_LIMITED, 17.5)


@settings(max_examples=150, deadline=None)
@given(
    printed=some.lists(
        some.one_of(some.binary(max_size=60), some.just(b"\n"), some.just(REPLY), some.just(b'{"type":'))
    )
)
def test_E_02_nothing_an_agent_prints_is_an_exception(tmp_path_factory: Any, printed: list[bytes]) -> None:
    folder: Path = tmp_path_factory.mktemp("order")
    (folder / "stdout").write_bytes(b"".join(printed))
    (folder / "script.json").write_bytes(b"".join(printed))

    reply = ANY.reply(Order("r", "1", "a", "a", "do", "p", "", Tier.HAIKU, "/"), folder, Exit("exited", 0))

    assert reply.outcome in Outcome
    (reply.text + reply.detail).encode()


def test_E_02_a_session_that_waits_for_nothing_is_served_by_the_rules(
    a_file: Callable[[str], Path], an_order: Callable[..., Order], tmp_path: Path
) -> None:
    runtime = ScriptedRuntime(
        a_file("scenario: 1\nrules: [{match: {call: 1}, reply: a}, {match: {call: 2}, reply: b}]\n")
    )
    (tmp_path / "stdout").write_bytes(REPLY)
    session = runtime.reply(an_order(), tmp_path, Exit("exited", 0)).session

    runtime.command(an_order(session=session, call=2), tmp_path)

    assert session == "scripted/executor"
    assert '"reply": "b"' in (tmp_path / "script.json").read_text()


def test_E_02_a_session_does_not_go_on_in_a_changed_scenario(stage: Callable[..., Any]) -> None:
    session = stage("do: [{ask: {question: 'a?'}}]\nreply: x").play().session
    changed = stage("do: [{ask: {question: 'b?'}}]\nreply: x", session=session)

    with pytest.raises(UserError, match=r"the scenario was changed while executor \(executor, phase do"):
        changed.play()


def test_E_02_a_session_goes_on_when_only_comments_changed(stage: Callable[..., Any]) -> None:
    session = stage("do: [{ask: {question: 'a?'}}]\nreply: x").play().session

    reply = stage("# a remark\ndo:\n  - ask:\n      question: a?\nreply: x", session=session).play()

    assert reply.outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('{"type":"text","text":"Looking\\nat\\tit \\u001b[31mred\\u202e"}', "Looking at it [31mred"),
        ('{"type":"tool","tool":"write","target":"a.py","ok":true}', "write a.py"),
        ('{"type":"tool","tool":"write","target":"a.py","ok":false,"error":"EROFS"}', "write a.py: failed: EROFS"),
        ('{"type":"ask","question":"Which?"}', "asks: Which?"),
        ('{"type":"reply","text":"Done."}', "Done."),
        ('{"type":"rate_limit"}', "is rate-limited"),
        ('{"type":"refused","reason":"no"}', "refused: no"),
        ('{"type":"unauthenticated","reason":"no"}', "is not signed in: no"),
        ('{"type":"usage","input_tokens":3}', None),
        ("", None),
        (b"\xff\xfe plain", "�� plain"),
        ("x" * 500, "x" * 199 + "…"),
    ],
)
def test_E_02_a_live_screen_gets_one_harmless_line_per_event(line: str | bytes, shown: str | None) -> None:
    assert ANY.feed(line) == shown


def test_document_is_the_one_path_an_order_may_write(tmp_path: Path) -> None:
    """Given a rule with {document}, when orders with one, all and no writable path are served, then it is filled in."""
    scenario = Scenario.model_validate(
        {"scenario": 1, "rules": [{"match": {}, "template": True, "reply": "<{document}>"}]}
    )
    asked = Order("r", "1.1", "planner", "planner", "plan", "Plan.", "", Tier.HAIKU, str(tmp_path))
    expected = {("docs/plan.md",): "<docs/plan.md>", (".",): "<.>", (): "<>", ("a", "b"): "<>"}

    for number, (writable, text) in enumerate(expected.items()):
        folder = tmp_path / str(number)
        ScriptedRuntime(scenario).command(replace(asked, writable=writable), folder)
        assert json.loads((folder / "script.json").read_text())["reply"] == text
