"""Text on a terminal: widths, cutting, wrapping, and nothing that commands it; for every text there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.cli.text import cut, one_line, pad, plain, width, wrap

MIXED = st.text(st.sampled_from("ab -_/.,한글과字…é\u0301🙂"), max_size=200)


@pytest.mark.parametrize(
    ("text", "columns"),
    [("", 0), ("abc", 3), ("한글", 4), ("e\u0301", 1), ("ｗｉｄｅ", 8), ("🙂", 2), ("a\u200bb", 2)],
)
def test_width_is_counted_in_columns(text: str, columns: int) -> None:
    assert width(text) == columns


@given(MIXED, st.integers(1, 100))
def test_cut_never_takes_more_columns_than_it_may(text: str, most: int) -> None:
    shown = cut(text, most)

    assert width(shown) <= most
    assert shown == text or shown.endswith("…")


@given(MIXED, st.integers(0, 60))
def test_pad_fills_up(text: str, least: int) -> None:
    assert width(pad(text, least)) == max(least, width(text))


@given(MIXED, st.integers(10, 100))
def test_wrap_keeps_every_word_and_only_a_long_word_is_wider(text: str, most: int) -> None:
    shown = wrap(text, most, "  ")

    assert shown.split() == text.split()
    assert all(width(line) <= most or width(line.strip()) + 2 > most for line in shown.split("\n"))
    assert all(width(line) <= most or len(line.split()) == 1 for line in shown.split("\n"))


@given(st.text(max_size=300))
def test_plain_text_has_no_way_to_command_a_terminal(text: str) -> None:
    shown = plain(text)

    assert not [c for c in shown if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160]
    assert "\n" not in one_line(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\rb", "a�b"),
        ("a\r\nb", "a\nb"),
        ("\u202etxt", "�txt"),
        ("a\tb", "a   b"),
    ],
)
def test_escape_sequences_leave_their_text(text: str, shown: str) -> None:
    assert plain(text) == shown
