"""What runs taught about a repository: where each learning comes from, which are to the point, and how they are told.

A learning is material. It may come from an agent, and of a run that did not pass: whoever reads it weighs it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import log
from typing import Any

from andon.domain.run import Ending, Status

PASSED = "passed"
BY_HAND = "by hand"
"""The verdict of what a person wrote: no run stands behind it."""
OFFERED = 5
"""Learnings that a planner is told at most."""
OFFERED_EACH, OFFERED_ALL = 400, 2_000
"""Characters."""
LONGEST = 2_000
"""Characters of one learning that are kept."""
SHARED_WORDS = 2
"""Less in common with a task is chance."""
_WORD = re.compile(r"[^\W_]+")
_HANGUL = re.compile(r"[가-힣]{2,}")
_SMALL = frozenset(
    _WORD.findall(
        "a an and are as at be but by can for from has have in into is it its no not of on or so than that the their "
        "them then there this to was were will with when which who add fix make use run test tests file files"
    )
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something a run has to tell, before it is kept."""

    text: str
    tags: tuple[str, ...] = ()
    by: str = ""
    """The role that found it out; nothing for what andon measured."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where lessons come from."""

    run: str = ""
    pipeline: str = ""
    task: str = ""
    verdict: str = BY_HAND


@dataclass(frozen=True, slots=True)
class Learning:
    """A lesson that was kept."""

    id: int
    text: str
    at: float
    tags: tuple[str, ...] = ()
    by: str = ""
    run: str = ""
    pipeline: str = ""
    task: str = ""
    verdict: str = BY_HAND

    @property
    def day(self) -> str:
        return datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%d")

    @property
    def origin(self) -> str:
        """In words: the run, its day and how it ended."""
        return ", ".join((f"run {self.run}" if self.run else self.by or "a person", self.day, self.verdict))

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"tags": list(self.tags)}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Learning:
        values: dict[str, Any] = {**told, "tags": tuple(told["tags"])}
        return cls(**values)


def verdict_of(ending: Ending) -> str:
    """Of a run, as a learning tells it. Only what andon verified has passed."""
    return (
        PASSED
        if ending.status is Status.DONE
        else f"did not pass: {(ending.reason or str(ending.status)).replace('_', ' ')}"
    )


def words_of(text: str) -> Counter[str]:
    """What can be had in common: words, and of Korean ones their pairs of syllables, whatever particle follows."""
    found = Counter[str]()
    for word in _WORD.findall(text.casefold()):
        if _HANGUL.fullmatch(word):
            found.update(word[at : at + 2] for at in range(len(word) - 1))
        elif len(word) > 1 and word not in _SMALL:
            found[word] += 1
    return found


def relevant(about: str, known: Sequence[Learning], most: int = OFFERED) -> tuple[Learning, ...]:
    """Those with the most in common with a task, rare words first; of equal ones the newest, each text once."""
    wanted = words_of(about)
    texts = [words_of(f"{each.text} {each.task} {' '.join(each.tags)}") for each in known]
    spread = Counter(word for text in texts for word in text)
    least = min(SHARED_WORDS, len(wanted))
    rated = list[tuple[float, float, Learning]]()
    for each, text in zip(known, texts, strict=True):
        shared = wanted.keys() & text.keys()
        if shared and len(shared) >= least:
            weight = sum(log(1 + len(known) / spread[word]) * text[word] / (text[word] + 1) for word in sorted(shared))
            rated.append((weight, each.at, each))
    rated.sort(key=lambda row: (row[0], row[1], row[2].id), reverse=True)
    return tuple(_distinct(each for _, _, each in rated))[:most]


def _distinct(learnings: Iterable[Learning]) -> list[Learning]:
    seen = dict[str, Learning]()
    for each in learnings:
        seen.setdefault(" ".join(each.text.casefold().split()), each)
    return list(seen.values())


def offered(learnings: Iterable[Learning]) -> str:
    """A line each, with its origin; no more than a planner reads beside its task. Nothing for none."""
    lines, room = list[str](), OFFERED_ALL
    for each in learnings:
        text = " ".join(each.text.split())
        if len(text) > OFFERED_EACH:
            text = f"{text[: OFFERED_EACH - 1]}…"
        line = f"- ({each.origin}) {text}"
        if len(line) > room:
            break
        room -= len(line) + 1
        lines.append(line)
    return "\n".join(lines)
