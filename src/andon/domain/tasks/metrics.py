"""What people thought of conversations: feedback, and the eight figures made of it (D-63 to D-65)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

THUMBS_UP = 4
"""A rating from here on is a thumb up."""


@dataclass(frozen=True, slots=True)
class Feedback:
    rating: int
    at: datetime
    comment: str = ""


def feedback_problem(rating: object) -> str:
    """What is wrong with a rating; "" when it is a whole number from 1 to 5 (D-63, X-47)."""
    if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
        return "rating must be a whole number from 1 to 5"
    return ""


@dataclass(frozen=True, slots=True)
class Conversation:
    questions: tuple[str, ...]
    """What the person wrote, the first prompt included."""
    responses: tuple[str, ...]
    feedback: tuple[Feedback, ...] = ()
    abandoned: bool = False

    @property
    def follow_ups(self) -> int:
        """Questions after the first prompt: a sign that an answer was not clear (D-65)."""
        return sum(_asks(each) for each in self.questions[1:])

    @property
    def turns(self) -> int:
        return len(self.questions) + len(self.responses)


def _asks(text: str) -> bool:
    return (
        re.search(r"[?？]|(?:나요|가요|까요|는지)\b|^\s*(?:why|what|how|which|but|왜|어떻게|뭐)", text, re.IGNORECASE)
        is not None
    )


@dataclass(frozen=True, slots=True)
class Metrics:
    """None: there is nothing yet to compute it from."""

    user_rating: float | None
    thumbs_up_rate: float | None
    follow_up_question_rate: float | None
    task_abandonment_rate: float | None
    avg_conversation_length: float | None
    avg_response_length: float | None
    code_example_rate: float | None
    link_inclusion_rate: float | None


def metrics(conversations: Sequence[Conversation]) -> Metrics:
    """The eight figures over these conversations (D-64, D-65). Rates are from 0 to 1."""
    ratings = [each.rating for talk in conversations for each in talk.feedback]
    responses = [each for talk in conversations for each in talk.responses]
    return Metrics(
        _mean(ratings),
        _mean([each >= THUMBS_UP for each in ratings]),
        _mean([talk.follow_ups > 0 for talk in conversations]),
        _mean([talk.abandoned for talk in conversations]),
        _mean([talk.turns for talk in conversations]),
        _mean([len(each) for each in responses]),
        _mean(["```" in each for each in responses]),
        _mean([re.search(r"https?://", each) is not None for each in responses]),
    )


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None
