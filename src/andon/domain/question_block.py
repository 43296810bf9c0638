"""How an agent puts a question to a person: a block at the end of its reply (D-114, G-22)."""

from __future__ import annotations

import re

from andon.domain.order import Question

_BLOCK = re.compile(r"^\[USER_QUESTION\][ \t]*\n(?P<body>.*?)^\[/USER_QUESTION\][ \t]*\Z", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"^(?P<key>category|question|option|default|timeout):[ \t]*(?P<value>.*)$")
INSTRUCTION = """\
When you cannot go on without a decision that only a person can make, end your reply with such a block:
[USER_QUESTION]
category: business, clarification, choice or confirmation
question: What you want to know, in one line
option: One line for each choice, if there are choices
default: The choice to take when nobody answers
[/USER_QUESTION]"""


def question_in(text: str) -> Question | None:
    """The question that a reply ends with. A block that is quoted, indented or followed by more is none."""
    found = _BLOCK.search(text.rstrip())
    if found is None or _fenced(text[: found.start()]):
        return None
    lines = [match for line in found["body"].splitlines() if (match := _LINE.match(line))]
    values = {line["key"]: line["value"].strip() for line in reversed(lines)}
    if not values.get("question"):
        return None
    options = tuple(line["value"].strip() for line in lines if line["key"] == "option" and line["value"].strip())
    default = values.get("default") or None
    if default is not None and options and default not in options:
        default = None
    return Question(
        values["question"],
        options,
        default,
        _seconds(values.get("timeout"), default),
        values.get("category", "question"),
    )


def _fenced(before: str) -> bool:
    return len(re.findall(r"^(?:```|~~~)", before, re.MULTILINE)) % 2 == 1


def _seconds(text: str | None, default: str | None) -> float | None:
    """Only with a default to take afterwards; a number that makes no sense is none."""
    if text is None or default is None or not re.fullmatch(r"\d{1,7}(\.\d+)?", text):
        return None
    return float(text)
