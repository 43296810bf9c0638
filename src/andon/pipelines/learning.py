"""What `auto` and `uam` share about learning: how a planner is told of earlier runs, and how a lesson is worded."""

from __future__ import annotations

from collections.abc import Iterable

from andon.domain.learning import Lesson, offered
from andon.ports import Run
from andon.roles.library import fill

LONGEST = 500
"""Characters of a lesson."""
MOST = 15
"""Lessons of one leg: a run that failed in a hundred ways has one thing to tell."""


async def learned_before(run: Run, task: str) -> str:
    """A paragraph for the planner, fenced as material; nothing where nothing is to the point."""
    told = offered(await run.recall(task))
    return fill("parts/learnings", {"learnings": told}) if told else ""


def lesson(text: str, tag: str, by: str = "") -> Lesson:
    line = " ".join(text.split())
    return Lesson(line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…", (tag,), by)


def bounded(lessons: Iterable[Lesson]) -> list[Lesson]:
    """Each text once, and no more than a later planner could use."""
    return list({each.text: each for each in lessons if each.text}.values())[:MOST]
