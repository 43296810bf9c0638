"""G-07, A-115: what the quality-checker found, read strictly. No list is not an empty list."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.quality import Quality, QualityFinding, Severity, read_quality
from andon.domain.grammar import Unreadable


def reply(*findings: Any) -> str:
    return f"I looked.\n```json\n{json.dumps({'findings': findings})}\n```"


def test_G_07_findings_with_place_and_remedy() -> None:
    text = reply(
        {"severity": "Critical", "file": "a.py", "line": 3, "problem": "SQL by concatenation", "fix": "bind it"},
        {"severity": "minor", "problem": "a long name"},
    )

    found = read_quality(text)

    assert isinstance(found, Quality)
    assert found.critical == (QualityFinding(Severity.CRITICAL, "SQL by concatenation", "a.py", 3, "bind it"),)
    assert [str(each) for each in found.findings] == [
        "critical: a.py:3: SQL by concatenation Fix: bind it",
        "minor: a long name",
    ]


def test_nothing_found_is_said_with_an_empty_list() -> None:
    assert read_quality(reply()) == Quality()


@pytest.mark.parametrize(
    "text",
    [
        "Everything is fine.",
        '{"findings": "none"}',
        "{}",
        reply({"severity": "huge", "problem": "x"}),
        reply({"severity": "critical"}),
        reply("critical: x"),
    ],
)
def test_E_06_what_is_no_list_of_findings_was_not_judged(text: str) -> None:
    assert isinstance(read_quality(text), Unreadable)


@pytest.mark.parametrize("line", ["3", 0, -1, True, None, 2.5])
def test_a_line_that_is_none_is_left_out(line: Any) -> None:
    found = read_quality(reply({"severity": "major", "file": "a.py", "line": line, "problem": "x"}))

    assert isinstance(found, Quality) and str(found.findings[0]) == "major: a.py: x"


@given(st.text())
def test_no_reply_raises(text: str) -> None:
    assert isinstance(read_quality(text), Quality | Unreadable)


def test_G_07_an_empty_list_that_the_reply_quotes_does_not_hide_what_it_found() -> None:
    quoted = '```json\n{"findings": []}\n```'
    own = '```json\n{"findings": [{"severity": "critical", "problem": "data is lost"}]}\n```'

    found = read_quality(f"The guide wants\n{quoted}\nbut I found\n{own}")

    assert isinstance(found, Quality) and [each.problem for each in found.critical] == ["data is lost"]
