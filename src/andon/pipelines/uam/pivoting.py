"""Phase 0: the interview about what must not change, written to `.uam/pivot-points.md` (C-18)."""

from __future__ import annotations

from andon.domain.order import Question
from andon.domain.run import Ending, Status
from andon.domain.uam import pivots
from andon.domain.uam.artefacts import PIVOT_PATH
from andon.pipelines.uam.course import Course
from andon.roles.uam_contracts import POINTS, Points

ROUNDS = 3
"""An interview ends; what is still open then stays provisional."""


async def interview(course: Course, given: tuple[str, ...]) -> Ending:
    """Points that are given on the command line are confirmed; without any, a person is asked."""
    async with course.run.phase("interview"):
        before = await course.run.read(PIVOT_PATH) or ""
        told = [(pivots.CONFIRMED, text) for text in given]
        found = told or [*(await _asked(course, before)).points]
        after = await course.run.amend(PIVOT_PATH, lambda text: pivots.revised(text or "", found)) or ""
        await tell_unread(course, after)
    count = len(pivots.read(after))
    one = course.word("ended.pivot_one", path=PIVOT_PATH)
    text = one if count == 1 else course.word("ended.pivot", count=count, path=PIVOT_PATH)
    return Ending(Status.DONE, "interviewed", text)


async def tell_unread(course: Course, text: str) -> None:
    """What looks like a point and is none binds nobody: whoever wrote it should know."""
    for line in pivots.unread(text):
        await course.run.say("warning", text=course.word("pivot.unread", path=PIVOT_PATH, line=line))


async def _asked(course: Course, before: str) -> Points:
    said = [f"Q: {course.word('pivot.first')}", f"A: {await course.run.hold(Question(course.word('pivot.first')))}"]
    found = Points()
    for number in range(1, ROUNDS + 1):
        asked = course.assignment(
            "uam-pm", f"interviewer-{number}", "pivot", said="\n".join(said), before=before or "(none yet)"
        )
        found = await course.run.ask(asked, POINTS)
        if not found.questions or number == ROUNDS:
            break
        for question in found.questions:
            said += [f"Q: {question}", f"A: {await course.run.hold(Question(question))}"]
    return found
