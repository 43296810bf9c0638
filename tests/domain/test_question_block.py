"""Questions of agents to people: a block at the end of a reply (D-114, G-22)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.order import Question
from andon.domain.question_block import INSTRUCTION, question_in

WHOLE = """I looked at both.

[USER_QUESTION]
category: design
question: Which colour?
option: red
option: blue
default: red
timeout: 30
[/USER_QUESTION]
"""


def test_G_22_a_block_at_the_end_is_a_question() -> None:
    assert question_in(WHOLE) == Question("Which colour?", ("red", "blue"), "red", 30.0, "design")


def test_G_22_only_the_question_itself_is_needed() -> None:
    assert question_in("[USER_QUESTION]\nquestion: Why?\n[/USER_QUESTION]") == Question("Why?")


def test_G_22_what_agents_are_told_is_what_is_read() -> None:
    found = question_in(INSTRUCTION)
    assert found is not None
    assert found.text.startswith("What you want to know")


@pytest.mark.parametrize(
    "text",
    [
        "No question at all.",
        WHOLE + "\nAnd then I went on.",
        "\n".join("> " + line for line in WHOLE.splitlines()),
        "\n".join("    " + line for line in WHOLE.splitlines()),
        "```\n" + WHOLE + "```",
        "```\n" + WHOLE,
        "[USER_QUESTION]\nquestion:\n[/USER_QUESTION]",
        "[USER_QUESTION]\nI wonder.\n[/USER_QUESTION]",
        "[USER_QUESTION]\nquestion: Why?",
    ],
)
def test_G_22_what_is_quoted_fenced_unfinished_or_followed_by_more_is_none(text: str) -> None:
    assert question_in(text) is None


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("default: green", Question("Why?", ("a", "b"))),
        ("timeout: 5", Question("Why?", ("a", "b"))),
        ("default: a\ntimeout: soon", Question("Why?", ("a", "b"), "a")),
        ("default: a\ntimeout: 1.5", Question("Why?", ("a", "b"), "a", 1.5)),
    ],
)
def test_G_22_a_default_is_one_of_the_choices_and_a_time_needs_one(line: str, question: Question) -> None:
    block = f"[USER_QUESTION]\nquestion: Why?\noption: a\noption: b\n{line}\n[/USER_QUESTION]"
    assert question_in(block) == question


@given(st.text())
def test_G_22_no_text_raises(text: str) -> None:
    question_in(text)
    question_in(f"[USER_QUESTION]\nquestion: {text}\n[/USER_QUESTION]")
