"""What becomes of what workers find out on the way: checked against the pivot points first (C-20)."""

from __future__ import annotations

from collections.abc import Sequence

from andon.domain.order import Question
from andon.domain.run import TeammateFailed
from andon.domain.uam import pivots
from andon.domain.uam.artefacts import PIVOT_PATH
from andon.domain.uam.knowledge import one_line
from andon.domain.uam.pivots import APPLY, ASK, DEFER, QUEUE, REJECT, Point
from andon.domain.uam.plan import Todo
from andon.domain.uam.state import listing
from andon.pipelines.uam.course import FATAL, Course
from andon.pipelines.uam.planfile import add_todo
from andon.roles.uam_contracts import ConflictsForm


async def discoveries(course: Course, todo: Todo, told: Sequence[str]) -> None:
    found = [one_line(each) for each in told if each.strip()]
    if not found:
        return
    points = pivots.read(await course.run.read(PIVOT_PATH) or "")
    try:
        conflicts = await _conflicts(course, points, todo, found)
    except TeammateFailed as failure:
        if failure.outcome in FATAL:
            raise
        await course.warn(course.word("discovery.unjudged", todo=todo.id, failure=failure, text="; ".join(found)))
        return
    for text, met in zip(found, conflicts, strict=True):
        await _decide(course, todo, text, points, met)


async def _conflicts(
    course: Course, points: Sequence[Point], todo: Todo, found: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """Of each discovery the points it runs against. Without points there is nothing to ask."""
    if not points:
        return tuple(() for _ in found)
    asked = course.assignment(
        "uam-pm",
        f"pm-{todo.number}",
        "discoveries",
        pivots="\n".join(f"{point.id} [{point.status}] {point.text}" for point in points),
        discoveries="\n".join(f"{number}. {text}" for number, text in enumerate(found, start=1)),
    )
    return await course.run.ask(asked, ConflictsForm(len(found)))


async def _decide(course: Course, todo: Todo, text: str, points: Sequence[Point], met: Sequence[int]) -> None:
    made = pivots.decision(points, met, course.settings.maturity_mode)
    names = ", ".join(f"PP-{number}" for number in met)
    if made == ASK:
        made = await _ask(course, text, names)
    elif made == QUEUE and todo.number in listing(course.state.get("discovered")):
        made = DEFER  # or one discovery would lead to the next for ever
    await course.run.say("discovery", todo=todo.id, text=text, conflicts=names, decision=made)
    match made:
        case pivots.REJECT if names:
            await course.warn(course.word("discovery.reject", points=names, text=text))
        case pivots.QUEUE:
            await add_todo(course, text, todo)
        case pivots.DEFER:
            await course.warn(course.word("discovery.defer", todo=todo.id, text=text))
        case pivots.APPLY:
            course.learned = (*course.learned, text)
        case _:
            pass


async def _ask(course: Course, text: str, names: str) -> str:
    """A person decides; what they want goes the way of the maturity mode, as one more TODO where that asks too."""
    yes, no = course.word("discovery.yes"), course.word("discovery.no")
    conflict = course.word("discovery.conflict", points=names) if names else ""
    asked = Question(course.word("discovery.question", text=text, conflict=conflict), (yes, no), category="discovery")
    if await course.run.hold(asked) != yes:
        return REJECT
    return APPLY if course.settings.maturity_mode == "explore" else QUEUE
