"""What a run of `uam` leaves for later ones: what workers told, what was tried in vain, why it ended (E-14)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from andon.domain.learning import Lesson
from andon.domain.run import Ending, Status
from andon.domain.uam.artefacts import OUTPUTS_PATH
from andon.domain.uam.knowledge import collected
from andon.domain.uam.state import listing, mapping
from andon.pipelines.learning import bounded, lesson
from andon.pipelines.uam.course import Course

TAGS = {"learnings": "learning", "decisions": "decision", "issues": "issue"}


async def told_by_workers(course: Course) -> dict[str, list[str]]:
    """Their learnings, decisions and issues, as they lie there now."""
    try:
        outputs = listing(json.loads(await course.run.read(OUTPUTS_PATH) or "[]"))
    except ValueError:
        outputs = []
    return collected(outputs)


async def remember_run(course: Course, ending: Ending, direction: str) -> None:
    told = await told_by_workers(course)
    lessons = [*_of_people(course, direction), *_of_the_end(course, ending)]
    lessons += [lesson(text, TAGS[kind], "uam-worker") for kind, texts in told.items() for text in texts]
    await course.run.remember(bounded([*lessons, *_of_the_way(course)]), ending)


def _of_people(course: Course, direction: str) -> Iterator[Lesson]:
    if direction:
        yield lesson(course.word("learned.direction", text=direction), "direction")
    for id, reason in course.accepted.items():
        yield lesson(course.word("learned.accepted", id=id, reason=reason), "accepted")


def _of_the_end(course: Course, ending: Ending) -> Iterator[Lesson]:
    if ending.status in (Status.DONE, Status.STOPPED):
        return
    yield lesson(course.word("learned.ended", message=ending.message or ending.reason), "ending")
    if course.failures.gate:
        yield lesson(course.failures.summary, "failure")


def _of_the_way(course: Course) -> Iterator[Lesson]:
    for each in course.approaches:
        yield lesson(course.word("learned.tried", text=each), "approach", "uam-debugger")
    for each in course.learned:
        yield lesson(each, "discovery", "uam-worker")
    loops = int(course.state.get("fix_loop_count") or 0)
    rates = mapping(course.state.get("convergence")).get("pass_rate_history", ())
    if loops:
        told = ", ".join(f"{round(100 * rate)}%" for rate in rates) or "-"
        yield lesson(course.word("learned.loops", count=loops, rates=told), "metrics")
