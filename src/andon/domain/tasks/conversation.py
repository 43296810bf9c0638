"""A custom task: its end by a plain phrase, and its going on when a person writes again (D-53 to D-55, S-29)."""

from __future__ import annotations

import re

from andon.domain.auto.outline import Kind, read_outline

PERSON, AGENT = "person", "agent"
"""Who says a turn."""
HELPER = "task-helper"
ANSWERED, COMPLETE, ENDED = "answered", "complete", "ended"
"""Why a conversation rests: it is the person's turn; it said that it is complete; the person ended it."""
ABANDONED_SECONDS = 24 * 3600.0
"""An answer that nobody took up for so long was left without a word (D-65)."""

_DONE = re.compile(
    r"(?:^|[.!?]\s+|[\s>*_—-])(?:the )?task (?:is )?(?:now )?(?:complete|completed|done|finished)[.!*_\s]*$"
    r"|(?:태스크|작업)(?:가|이|를|을|는|은)?\s?(?:모두 |전부 )?완료(?:했습니다|되었습니다|됐습니다|입니다|합니다"
    r"|하였습니다|됨|함)?[.!*_\s]*$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|isn't|until|before|once|when|if|after)\b[^.!?]{0,60}$", re.IGNORECASE)
_QUESTION = re.compile(r"[?？][)\"'”*_\s]*$")


def says_done(answer: str) -> bool:
    """Whether an answer says that the task is complete, in its own words and not in a fence or a quotation (D-54)."""
    for line in read_outline(answer):
        if line.kind is Kind.CODE or line.text.lstrip().startswith(">"):
            continue
        found = _DONE.search(line.text)
        if found and not _NOT.search(line.text[: found.start()] + " "):
            return True
    return False


def offers_more(answer: str) -> bool:
    """Whether an answer ends with a question to the person, as an offer to go on (S-29)."""
    lines = [line.text for line in read_outline(answer) if line.kind not in (Kind.BLANK, Kind.CODE)]
    return bool(lines) and _QUESTION.search(lines[-1]) is not None
