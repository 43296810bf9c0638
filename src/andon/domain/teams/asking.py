"""What a person is asked before a unit begins (B-25)."""

from __future__ import annotations

import re

from andon.domain.teams.team import Work

_QUESTION = re.compile(r"AskUserQuestion\(\s*(?:question\s*=\s*)?([\"'“])(.+?)[\"'”]", re.DOTALL)
SHOWN = 600


def question_of(work: Work) -> str:
    """The words of its AskUserQuestion; else what it is about."""
    found = _QUESTION.search(work.instructions)
    text = found[2] if found else work.instructions
    return " ".join(text.split())[:SHOWN]
