"""Lines of an agent's output as events: whatever is printed becomes one, and nothing is fatal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.order import Question, Usage
from andon.runtimes import events, own_lines
from andon.runtimes.events import (
    Asked,
    Delegated,
    RateLimited,
    Raw,
    Refused,
    Replied,
    Text,
    Tool,
    Unauthenticated,
    Used,
)

KNOWN = [
    ('{"type":"text","text":"a"}', Text("a")),
    (
        '{"type":"tool","tool":"run","target":"ls","ok":false,"error":"e","output":"o","code":1}',
        Tool("run", "ls", False, "e", "o"),
    ),
    ('{"type":"spawn","role":"executor","prompt":"p"}', Delegated("executor")),
    ('{"type":"usage","input_tokens":1,"output_tokens":2,"cached_tokens":3,"money":0.5}', Used(Usage(1, 2, 3, 0.5))),
    ('{"type":"ask","question":"q"}', Asked(Question("q"), None)),
    (
        '{"type":"ask","question":"q","options":["a"],"default":"a","timeout":3,"category":"c","session":"s"}',
        Asked(Question("q", ("a",), "a", 3.0, "c"), "s"),
    ),
    ('{"type":"rate_limit","resets_at":12}', RateLimited(12.0)),
    ('{"type":"refused","reason":"r"}', Refused("r")),
    ('{"type":"unauthenticated","reason":"r"}', Unauthenticated("r")),
    ('{"type":"began","session":"s"}', events.Began("s")),
    ('{"type":"turn"}', events.Turn()),
    (
        '{"type":"usage","input_tokens":1,"money":0.5,"estimated":0.25,"unpriced":7}',
        events.Used(Usage(1, 0, 0, 0.5, 0.25, 7)),
    ),
    ('{"type":"usage","input_tokens":1,"total":true}', events.Used(Usage(1), total=True)),
    ('{"type":"exceeded","reason":"r"}', events.Exceeded("r")),
    ('{"type":"failed","reason":"r"}', events.Failed("r")),
    ('{"type":"reply","text":"a"}', Replied("a")),
    ('{"type":"reply","text":"half \\ud83d and nul \\u0000"}', Replied("half ? and nul �")),
]

STRANGE = [
    "hello",
    "[1]",
    "3",
    "null",
    '{"type":"unknown"}',
    '{"type":["reply"]}',
    '{"type":"reply"}',
    '{"type":"reply","text":null}',
    '{"type":"usage","input_tokens":-1}',
    '{"type":"usage","input_tokens":true}',
    '{"type":"usage","money":NaN}',
    '{"type":"usage","money":1e999}',
    '{"type":"usage","input_tokens":' + "9" * 400 + "}",
    '{"type":"tool","tool":"a","ok":1}',
    '{"type":"ask","question":"q","options":"ab"}',
    '{"type":"ask","question":"q","options":[1]}',
    '{"type":"rate_limit","resets_at":"soon"}',
]


@pytest.mark.parametrize(("line", "event"), KNOWN, ids=[each[0][:40] for each in KNOWN])
def test_E_02_known_lines_become_their_event(line: str, event: events.Event) -> None:
    assert own_lines.parse(line) == event
    assert own_lines.parse(line.encode() + b"\r\n") == event


@pytest.mark.parametrize("line", STRANGE, ids=[each[:40] for each in STRANGE])
def test_E_02_strange_lines_are_kept(line: str) -> None:
    assert own_lines.parse(line) == Raw(line)


def test_E_02_bytes_that_are_no_text_are_replaced() -> None:
    assert own_lines.parse(b"\xffok\n") == Raw("�ok")
    assert own_lines.parse(b'{"type":"text","text":"\xff"}') == Text("�")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"type":' * 50_000, "9" * 10_000])
def test_E_02_lines_made_to_break_a_parser_do_not(text: str) -> None:
    event = own_lines.parse(text)

    assert event == Raw(text[: events.KEPT_OF_RAW], f"a line of {len(text)} bytes, cut")


def test_E_02_a_line_that_is_too_long_is_cut_with_a_note_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "stdout"
    fits, too_long = b"x" * 1000, b"y" * 3002
    path.write_bytes(fits + b"\n" + too_long + b"\n\n" + b'{"type":"reply","text":"a"}')

    found = list(own_lines.read(path, max_line=1000))

    assert found == [Raw("x" * 1000), Raw("y" * 1001, "a line of 3003 bytes, cut"), Replied("a")]


def test_E_02_a_missing_file_has_no_events(tmp_path: Path) -> None:
    assert list(own_lines.read(tmp_path / "none")) == []


@given(some.binary(max_size=300))
def test_E_02_every_line_becomes_an_event_that_can_be_stored_and_shown(line: bytes) -> None:
    event = own_lines.parse(line)
    shown = events.in_one_line(event)

    assert isinstance(event, events.Event)
    assert shown is None or (shown.isprintable() or all(c.isprintable() or ord(c) > 0x9F for c in shown))
    assert "\0" not in repr(event)
