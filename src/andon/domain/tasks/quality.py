"""The quality of an answer in a conversation, five dimensions from 1 to 5, without a model (D-56 to D-62, X-45).

It never lets work pass: it only tells people how an answer looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

LEAST, MOST, NEUTRAL = 1, 5, 3
STOP_WORDS = frozenset(("the", "a", "an", "and", "or", "but"))
SHORTEST = 4
"""Characters of a keyword: longer than three (D-58)."""
SHORTEST_HANGUL = 2
"""Of a word written in Hangul (G-18)."""

_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_WORD = re.compile(r"[^\W_]+(?:[-_'.+#/][^\W_]+)*[+#]*")
_PARTICLE = re.compile(r"(?<=[\w\uac00-\ud7a3])(?:으로|에서|에게|까지|부터|에|의|을|를|은|는|이|가|와|과|로|도|만)$")


@dataclass(frozen=True, slots=True)
class QualityScore:
    relevance: int
    completeness: int
    accuracy: int
    clarity: int
    actionability: int
    accuracy_assessed: bool = False
    """False: nobody judged it, and `accuracy` is the neutral value (D-62)."""

    @property
    def overall(self) -> float:
        """The mean of the five (D-56)."""
        return sum((self.relevance, self.completeness, self.accuracy, self.clarity, self.actionability)) / 5


def quality_score(response: str, prompt: str, accuracy: int | None = None) -> QualityScore:
    """All five dimensions (D-56). `accuracy` comes from outside, from a person or a reviewer (D-62)."""
    if accuracy is not None and not LEAST <= accuracy <= MOST:
        raise ValueError(f"accuracy is from {LEAST} to {MOST}, not {accuracy}")
    assessed = NEUTRAL if accuracy is None else accuracy
    if not response.strip():
        return QualityScore(LEAST, LEAST, assessed, LEAST, LEAST, accuracy is not None)
    return QualityScore(
        relevance(response, prompt),
        completeness(response),
        assessed,
        clarity(response),
        actionability(response),
        accuracy is not None,
    )


def keywords(text: str) -> tuple[str, ...]:
    """Words of letters that are long enough and no stop words, lower case, each once (D-58, G-18)."""
    found: list[str] = []
    for match in _WORD.finditer(text.lower()):
        word = match.group()
        if _HANGUL.search(word):
            word = _PARTICLE.sub("", word) if len(word) > SHORTEST_HANGUL else word
        least = SHORTEST_HANGUL if _HANGUL.search(word) else SHORTEST
        if len(word) >= least and word not in STOP_WORDS:
            found.append(word)
    return tuple(dict.fromkeys(found))


def relevance(response: str, prompt: str) -> int:
    """The share of the prompt's keywords that the response has, of five, half up (D-57). Without keywords neutral."""
    wanted = keywords(prompt)
    if not wanted:
        return NEUTRAL
    given = set(keywords(response))
    share = Fraction(sum(word in given for word in wanted), len(wanted))
    return _clamped(int(share * MOST + Fraction(1, 2)))


def completeness(response: str) -> int:
    """From 2: a code fence, more than 200 characters, more than two blocks (D-59)."""
    blocks = [each for each in re.split(r"\n\s*\n", response) if each.strip()]
    return _clamped(2 + ("```" in response) + (len(response) > 200) + (len(blocks) > 2))


def clarity(response: str) -> int:
    """By the mean number of words in a sentence: 10 to 25 is best (D-60, X-46)."""
    sentences = [each for each in re.split(r"[.!?]+", response) if each.strip()]
    if not sentences:
        return LEAST
    mean = Fraction(sum(len(each.split()) for each in sentences), len(sentences))
    if mean < 10:
        return 3
    return 5 if mean <= 25 else 4 if mean <= 35 else 3


def actionability(response: str) -> int:
    """From 2: numbered steps, commands, a link (D-61)."""
    steps = re.search(r"\d+\.|step \d+", response, re.IGNORECASE)
    commands = re.search(r"```bash|```sh|npm |git ", response)
    return _clamped(2 + bool(steps) + bool(commands) + bool(re.search(r"https?://", response)))


def _clamped(value: int) -> int:
    return max(LEAST, min(MOST, value))
