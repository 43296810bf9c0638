"""Phase 5: learnings, the project's memory, what only people can confirm, the report, the branch (C-62 to C-68)."""

from __future__ import annotations

from andon.domain.auto.artefacts import report_path
from andon.domain.order import Question
from andon.domain.run import Ending, Status
from andon.domain.uam import commits
from andon.domain.uam.artefacts import MEMORY_PATH, REPORT_PATH, learnings_path
from andon.domain.uam.knowledge import KEPT, added, metrics, remembered
from andon.domain.uam.state import COMPLETED, FINALIZE, mapping
from andon.pipelines.uam.course import Course
from andon.pipelines.uam.fixing import Way
from andon.pipelines.uam.learning import told_by_workers
from andon.pipelines.uam.reporting import report_lines
from andon.ports import Part


async def finalize(course: Course, partial: Way | None = None) -> Ending:
    """`partial` says why not everything passes: then nothing is published, and all that is known is kept."""
    if not course.small:
        await course.enter(FINALIZE)
    async with course.run.phase(course.stretch("finalize")):
        await _learn(course)
        ending = await _confirmed(course) if partial is None else None
        if partial is not None:
            ending = Ending(Status.NEEDS_PERSON, partial.reason, partial.message)
        ending = ending or Ending(Status.DONE, "goal_met", _done(course))
        await _report(course, ending)
        course.change(current_phase=COMPLETED, partial=ending.reason if ending.status is not Status.DONE else None)
        await course.record()
        if ending.status is Status.DONE:
            await course.run.commit_parts([Part(_message(course))])
            await course.run.publish()
        return ending


def _done(course: Course) -> str:
    if course.unreviewed:
        return course.word("ended.done_unreviewed", feature=course.feature, status=course.unreviewed)
    return course.word("ended.done", feature=course.feature)


def _message(course: Course) -> str:
    title = commits.subject("docs", course.word("commit.learnings"), course.history)
    return f"{title}\n\n{course.feature}\n\nAndon-Run: {course.run.id}\n"


async def _learn(course: Course) -> None:
    """Four files that are committed, and what is of use to other features in the project's memory."""
    found = await told_by_workers(course)
    for kind, title in KEPT.items():
        path = learnings_path(course.feature, kind)
        await course.run.write(
            path, added(await course.run.read(path) or "", f"{title}: {course.feature}", found[kind])
        )
    rates = mapping(course.state.get("convergence")).get("pass_rate_history", ())
    loops, results = int(course.state.get("fix_loop_count") or 0), mapping(course.state.get("gate_results"))
    shown = {name: value for name, value in results.items() if name.endswith("_passed")}
    text = metrics(course.feature, rates, loops, course.tokens, shown)
    await course.run.write(learnings_path(course.feature, "metrics"), text)
    await course.run.amend(MEMORY_PATH, lambda before: remembered(before or "", course.feature, found))


async def _confirmed(course: Course) -> Ending | None:
    """What only a person can judge waits for one, however long (C-66)."""
    for item in course.plan.for_people:
        yes, no = course.word("human.yes"), course.word("human.no")
        asked = Question(course.word("human.question", text=item), (yes, no), category="human")
        answer = await course.run.hold(asked)
        if answer != yes:
            said = item if answer == no else f"{item} ({answer})"
            return Ending(Status.NEEDS_PERSON, "rejected", course.word("ended.human", text=said))
    return None


# --- the report -----------------------------------------------------------------------------------------------------


async def _report(course: Course, ending: Ending) -> None:
    text = "\n".join(report_lines(course, ending)) + "\n"
    await course.run.write(report_path(course.feature), text)
    await course.run.write(REPORT_PATH, text, state=True)
