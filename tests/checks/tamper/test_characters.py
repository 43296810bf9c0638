"""Characters that mislead are found; other languages, emoji and formulas are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.characters import character_findings
from checks.tamper.small_changes import added, edited

MISLEADING = [
    ("bidi_character", "a.py", "if x:  # \u202e } \u2066 admin\n"),
    ("bidi_character", "a.py", "s = 'user\u202e'\n"),
    ("bidi_character", "a.ts", "const a\u200b = 1\n"),
    ("bidi_character", "a.ts", "const \u3164 = 1\n"),
    ("bidi_character", "a.py", "s = 'ad\u200dmin'\n"),
    ("bidi_character", "a.py", "x = 1 \ufeff\n"),
    ("bidi_character", "a.py", "s = 'a\ufe0f'\n"),
    ("bidi_character", "notes.md", "hello \U000e0041\U000e0042\n"),
    ("bidi_character", "notes.md", "hello \U0001f600\ufe01\ufe02\ufe03\n"),
    ("bidi_character", "a.js", "// comment\u2028evil()\n"),
    ("bidi_character", "a.py", "# comment\revil()\n"),
    ("bidi_character", "a.py", "x = 1  # \x1b[2K\n"),
    ("bidi_character", "notes.md", "a \u202e b\n"),
    ("bidi_character", "a.toml", "a = 'b\u200b'\n"),
    ("homoglyph", "a.py", "\u0430dmin = 1\n"),
    ("homoglyph", "a.py", "scope = 1\n\u0455\u0441\u043e\u0440\u0435 = 2\n"),
    ("homoglyph", "a.ts", "const pr\u043ecess = fake\n"),
    ("homoglyph", "a.py", "\uff45val(x)\n"),
    ("homoglyph", "a.py", "\U0001d41e\U0001d42f\U0001d41a\U0001d425(x)\n"),
    ("homoglyph", "a.go", "func \u0421heck() {}\n"),
    ("homoglyph", "a.py", "ip = 1\n\u03b9p = 2\n"),
    ("homoglyph", "a.py", "len\u03bf = 1\n"),
]


@pytest.mark.parametrize(("rule", "path", "text"), MISLEADING)
def test_a_misleading_character_is_found(rule: str, path: str, text: str) -> None:
    assert rule in {each.rule for each in character_findings(added(path, "\n" + text))}


HONEST = [
    ("a.py", "이름 = '한국어'  # 주석\n변수_1 = 이름\n"),
    ("a.py", "価格 = 100  # 日本語\n价格 = 100\n"),
    ("a.py", "имя = 'Привет'  # Кириллица\n"),
    ("a.py", "Δx = 1\nμ = 2\nσ2 = μ * Δx\nλ_max = 3\nα_s = 0.1\n"),
    ("a.py", "s = 'שלום עולם'\nt = 'مرحبا بالعالم'\n"),
    ("a.ts", "const family = '👨\u200d👩\u200d👧'; const heart = '❤\ufe0f'; const one = '1\ufe0f\u20e3'\n"),
    ("a.py", "flag = '🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f'\n"),
    ("a.py", "s = 'می\u200cخواهم'\n"),
    ("a.py", "café = 1\nnaïve = 2\nstraße = 3\n"),
    ("a.py", "x = 1  # °C, m², naïve – “quotes” … →\n"),
    ("a.py", "s = 'pаypal'  # a test of our own filter\n"),
    ("a.py", "x = '\\u202e'\n"),
    ("\ufeffa.cs".lstrip("\ufeff"), "\ufeffclass A {}\n"),
    ("a.py", "x = 1\r\ny = 2\r\n"),
    ("locales/he.json", '{"a": "שלום \u200fעולם\u200e"}\n'),
    ("notes.md", "Zero\u200bwidth in prose, soft\u00adhyphen.\n"),
    ("logo.svg", "<text>\u200b</text>\n"),
]


@pytest.mark.parametrize(("path", "text"), HONEST)
def test_other_languages_and_signs_are_left_alone(path: str, text: str) -> None:
    assert character_findings(added(path, text)) == []


def test_what_was_there_is_not_new() -> None:
    old = "s = 'user\u202e'\n\u0430dmin = 1\n"

    assert character_findings(edited("a.py", old, "x = 1\n" + old)) == []


def test_the_subject_stays_when_the_line_moves() -> None:
    [first] = character_findings(added("a.py", "s = 'a\u200bb'\n"))
    [second] = character_findings(added("a.py", "\n\ns = 'a\u200bb'\n"))

    assert (first.subject, first.line, second.line) == (second.subject, 1, 3)


@given(st.text(alphabet=st.characters(), max_size=60), st.sampled_from(["a.py", "a.ts", "a.md", "a"]))
def test_no_text_makes_it_raise(text: str, path: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    character_findings(added(path, text))
