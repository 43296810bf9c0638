"""What Claude Code and Codex print, as events: lines as the programs really print them, and lines nobody should."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.order import Order, Outcome, Reply, Usage
from andon.ports import Exit
from andon.runtimes import events
from andon.runtimes.claude_lines import ClaudeLines
from andon.runtimes.codex_lines import CodexLines, thread_of
from andon.runtimes.program import judged, watching

ENDED = Exit("exited", code=0, seconds=1.0)
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "It is done.",
    "stop_reason": "end_turn",
    "session_id": "s1",
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 200, "output_tokens": 34},
}
COMPLETED = {"type": "turn.completed", "usage": {"input_tokens": 1200, "cached_input_tokens": 200, "output_tokens": 34}}


def claude(order: Order, folder: Path, *lines: dict[str, Any] | str, exit: Exit = ENDED) -> Reply:
    return _judged(order, folder, exit, ClaudeLines(now=lambda: 1000.0).read, lines)


def codex(order: Order, folder: Path, *lines: dict[str, Any] | str, exit: Exit = ENDED) -> Reply:
    return _judged(order, folder, exit, CodexLines(order.session).read, lines)


def _judged(order: Order, folder: Path, exit: Exit, read: Any, lines: tuple[dict[str, Any] | str, ...]) -> Reply:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "stdout").write_text("".join(f"{text}\n" for text in texts))
    return judged(order, folder, exit, read)


def test_E_02_claude_a_result_is_a_reply(an_order: Callable[..., Order], tmp_path: Path) -> None:
    reply = claude(an_order(), tmp_path, {"type": "system", "subtype": "init", "session_id": "s0"}, RESULT)

    assert (reply.outcome, reply.text, reply.session) == (Outcome.DONE, "It is done.", "s1")
    assert reply.usage == Usage(210, 34, 200, 0.25)


def test_G_24_an_answer_that_is_said_to_have_taken_no_tokens_is_estimated(
    an_order: Callable[..., Order], tmp_path: Path
) -> None:
    nothing = {"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0}

    reply = claude(an_order(), tmp_path, RESULT | {"usage": nothing})

    assert reply.usage.tokens > 0
    assert reply.usage.money == 0.25


def test_E_02_claude_only_the_last_result_counts(an_order: Callable[..., Order], tmp_path: Path) -> None:
    reply = claude(an_order(), tmp_path, RESULT | {"result": "Started something."}, RESULT)

    assert (reply.text, reply.usage.output_tokens) == ("It is done.", 34)


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"is_error": True, "api_error_status": 400, "result": "API Error: 400"}, Outcome.CRASHED),
        ({"is_error": True, "api_error_status": 401}, Outcome.UNAUTHENTICATED),
        ({"is_error": True, "api_error_status": 429}, Outcome.RATE_LIMITED),
        ({"is_error": True, "result": "Claude AI usage limit reached|1794837734"}, Outcome.RATE_LIMITED),
        ({"is_error": True, "subtype": "error_max_turns"}, Outcome.LIMIT),
        ({"is_error": True, "subtype": "error_max_budget_usd"}, Outcome.LIMIT),
        ({"is_error": True, "subtype": "error_during_execution"}, Outcome.CRASHED),
        ({"stop_reason": "refusal"}, Outcome.REFUSED),
    ],
)
def test_E_06_claude_an_error_that_calls_itself_a_success_is_none(
    an_order: Callable[..., Order], tmp_path: Path, changes: dict[str, Any], outcome: Outcome
) -> None:
    reply = claude(an_order(), tmp_path, RESULT | changes)

    assert reply.outcome is outcome
    assert reply.detail


def test_E_06_claude_a_usage_limit_says_when_it_ends(an_order: Callable[..., Order], tmp_path: Path) -> None:
    told = {"is_error": True, "result": "Claude AI usage limit reached|1794837734"}
    assert claude(an_order(), tmp_path, RESULT | told).resets_at == 1794837734.0

    limited = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1794837999}}
    assert claude(an_order(), tmp_path, limited).resets_at == 1794837999.0


def retry(attempt: int, error: str, delay: float = 1000) -> bytes:
    told = {"type": "system", "subtype": "api_retry", "attempt": attempt, "retry_delay_ms": delay, "error": error}
    return json.dumps(told).encode()


def test_E_11_claude_is_not_waited_for_when_nobody_lets_it_in(an_order: Callable[..., Order]) -> None:
    watch = watching(an_order(), ClaudeLines().read)

    assert watch(retry(1, "authentication_failed")) is None
    reply = watch(retry(2, "authentication_failed"))
    assert reply is not None
    assert reply.outcome is Outcome.UNAUTHENTICATED


def test_E_11_claude_waits_for_a_short_limit_itself_and_not_for_a_long_one(an_order: Callable[..., Order]) -> None:
    watch = watching(an_order(), ClaudeLines(now=lambda: 1000.0).read)

    assert watch(retry(1, "rate_limit", 3000)) is None
    reply = watch(retry(2, "rate_limit", 45_000))
    assert reply is not None
    assert (reply.outcome, reply.resets_at) == (Outcome.RATE_LIMITED, 1045.0)


def test_E_03_claude_what_the_kernel_refused_is_told(an_order: Callable[..., Order], tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "/w/a.py", "content": "x"}}
    failed = "EROFS: read-only file system, open '/w/a.py'"
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": failed}
    reply = claude(
        an_order(),
        tmp_path,
        {"type": "assistant", "message": {"id": "m1", "content": [use]}},
        {"type": "user", "message": {"content": [result]}},
        RESULT,
    )

    assert reply.violations == ("tried to write /w/a.py; refused: EROFS",)


def test_E_02_codex_a_completed_turn_is_a_reply(an_order: Callable[..., Order], tmp_path: Path) -> None:
    reply = codex(
        an_order(),
        tmp_path,
        {"type": "thread.started", "thread_id": "t1"},
        {"type": "item.completed", "item": {"id": "i0", "type": "agent_message", "text": "It is done."}},
        COMPLETED,
    )

    assert (reply.outcome, reply.text) == (Outcome.DONE, "It is done.")
    assert reply.usage == Usage(1200, 34, 200)
    assert reply.session is not None
    assert thread_of(reply.session) == "t1"


def test_E_02_codex_what_earlier_orders_of_the_thread_used_is_taken_off(
    an_order: Callable[..., Order], tmp_path: Path
) -> None:
    started = {"type": "thread.started", "thread_id": "t1"}
    first = codex(an_order(), tmp_path, started, COMPLETED)
    more = {"input_tokens": 3000, "cached_input_tokens": 500, "output_tokens": 50}
    second = codex(an_order(session=first.session), tmp_path, started, COMPLETED | {"usage": more})

    assert second.usage == Usage(1800, 16, 300)


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("unexpected status 401 Unauthorized: not signed in", Outcome.UNAUTHENTICATED),
        ("exceeded retry limit, last status: 429 Too Many Requests", Outcome.RATE_LIMITED),
        ("You've hit your usage limit.", Outcome.RATE_LIMITED),
        ("stream disconnected before completion", Outcome.CRASHED),
    ],
)
def test_E_06_codex_a_failed_turn_is_no_reply(
    an_order: Callable[..., Order], tmp_path: Path, message: str, outcome: Outcome
) -> None:
    said = {"type": "item.completed", "item": {"type": "agent_message", "text": "Nearly."}}
    reply = codex(an_order(), tmp_path, said, {"type": "turn.failed", "error": {"message": message}})

    assert reply.outcome is outcome


@pytest.mark.parametrize("judge", [claude, codex])
@pytest.mark.parametrize(
    ("lines", "exit", "outcome"),
    [
        ((), ENDED, Outcome.UNPARSEABLE),
        (("not JSON", "[]", "{}", '{"type": 5}'), ENDED, Outcome.UNPARSEABLE),
        ((), Exit("exited", code=1), Outcome.CRASHED),
        ((), Exit("exited", signal=9), Outcome.CRASHED),
        ((), Exit("timeout"), Outcome.LIMIT),
        ((), Exit("cancelled"), Outcome.CANCELLED),
        ((), Exit("lease"), Outcome.LOST),
    ],
)
def test_E_06_silence_and_nonsense_are_never_a_reply(
    an_order: Callable[..., Order], tmp_path: Path, judge: Any, lines: Any, exit: Exit, outcome: Outcome
) -> None:
    assert judge(an_order(), tmp_path, *lines, exit=exit).outcome is outcome


@given(
    st.binary()
    | st.text().map(str.encode)
    | st.dictionaries(st.text(), st.integers()).map(lambda d: json.dumps(d).encode())
)
def test_E_06_no_line_raises(line: bytes) -> None:
    for read in (ClaudeLines().read, CodexLines().read):
        assert all(isinstance(event, events.Event) for event in read(line))


_KINDS = (
    "result",
    "assistant",
    "user",
    "system",
    "rate_limit_event",
    "item.completed",
    "turn.completed",
    "turn.failed",
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
_KEYS = ("message", "item", "usage", "error", "content", "result", "subtype", "attempt", "rate_limit_info", "errors")


@given(st.sampled_from(_KINDS), st.dictionaries(st.sampled_from(_KEYS), _VALUES))
def test_E_06_no_field_of_another_kind_raises(kind: str, fields: dict[str, Any]) -> None:
    line = json.dumps({"type": kind, **fields}).encode()
    for read in (ClaudeLines().read, CodexLines().read):
        assert all(isinstance(event, events.Event) for event in read(line))
