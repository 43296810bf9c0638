"""`bugfix`: diagnose, mend, measure; three attempts, then the full pipeline is offered (C-15)."""

from __future__ import annotations

from andon.domain.order import Question
from andon.domain.run import BudgetSpent, Ending, Status, Stopped, TeammateFailed
from andon.domain.uam import agents
from andon.domain.uam.artefacts import ATTEMPTS_PATH
from andon.domain.uam.state import FIX, mapping
from andon.pipelines.uam.course import FATAL, Approved, Course
from andon.pipelines.uam.failures import Failures
from andon.pipelines.uam.finalizing import finalize
from andon.pipelines.uam.fixing import FIXES, commit_fix, failed_so_far, keep_attempt
from andon.pipelines.uam.gating import measure, out_of_hand
from andon.pipelines.uam.outputs import keep_outputs
from andon.roles.uam_contracts import SectionsForm, WorkerForm


async def bugfix(course: Course, command: str) -> Ending | None:
    """How it ended; None when a person wants the full pipeline instead."""
    await course.enter(FIX)
    async with course.run.phase("fix"):
        await _prepare(course, command)
        failures, most = Failures(), course.settings.bugfix_attempts
        before = int(course.state.get("fix_loop_count") or 0)
        # Who resumes after the last wants all of them once more.
        for attempt in range(before + 1 if before < most else 1, most + 1):
            failures = course.failures = await _counted(course, attempt, failures)
            if ending := out_of_hand(course):
                course.change(fix_loop_count=attempt - 1)
                return ending
            if not failures.gate:
                break
    return await (_offer(course) if failures.gate else finalize(course))


async def _prepare(course: Course, command: str) -> None:
    """What is measured: the command that shows the bug, if one is told, and the project's own goals."""
    course.approved = Approved({}, {"unit": (command,) if command else ()})
    await course.run.say("plan_approved", path="", **course.approved.as_json())
    await course.run.prepare(at_base=True)
    course.goals = await course.run.goals(None, False, at_base=True)


async def _counted(course: Course, attempt: int, before: Failures) -> Failures:
    """One that does not come to its end is made again by who resumes the run."""
    course.change(fix_loop_count=attempt)
    await course.record()
    try:
        return await _attempt(course, attempt, before)
    except (Stopped, BudgetSpent, TeammateFailed):
        course.change(fix_loop_count=attempt - 1)
        raise


async def _attempt(course: Course, attempt: int, before: Failures) -> Failures:
    summary = before.summary if before.gate else "(nothing was measured yet)"
    try:
        diagnosis = await course.run.ask(
            course.assignment(
                "uam-debugger",
                f"debugger-{attempt}",
                "bug-debug",
                raised={"same_error": attempt},
                summary=summary,
                output=before.output or "(nothing was printed)",
                approaches=failed_so_far(course),
            ),
            SectionsForm(agents.agent("uam-debugger").required),
        )
        agent = agents.worker_for(course.task)
        asked = course.assignment(
            agent,
            f"{agent.removeprefix('uam-')}-{attempt}",
            "bug-fix",
            writes=(".",),
            directed=True,
            diagnosis=diagnosis,
            summary=summary,
            approaches=failed_so_far(course),
        )
        reply = await course.run.ask(asked, WorkerForm(FIXES))
        told = " ".join(str(mapping(reply.get("outputs")).get("summary", "")).split())
        await keep_outputs(course, [{**reply, "todo_id": FIXES, "attempt": attempt}])
    except TeammateFailed as failure:
        if failure.outcome in FATAL:
            raise
        told = str(failure)
    course.approaches = (*course.approaches, f"attempt {attempt}: {told[:300]}")
    failures = await measure(course)
    course.gates(gate1_passed=not failures.gate)
    outcome = failures.summary if failures.gate else "It passes."
    await keep_attempt(course, f"Attempt {attempt}", f"{told}\n\n{outcome}")
    await course.run.say("attempt", number=attempt, passed=not failures.gate, summary=outcome)
    if not failures.gate:
        # Of all attempts: what the earlier ones left is part of what passes now.
        await commit_fix(course, f"git-master-{attempt}", course.task, course.run.base)
    return failures


async def _offer(course: Course) -> Ending | None:
    """Three attempts were not enough: the full pipeline plans before it works."""
    count = course.settings.bugfix_attempts
    yes, no = course.word("bugfix.yes"), course.word("bugfix.no")
    asked = Question(
        course.word("bugfix.switch", count=count),
        (yes, no),
        default=no,
        timeout=course.settings.direction_seconds,
        category="direction",
    )
    if await course.run.hold(asked) == yes:
        return None
    text = course.word("ended.attempts", count=count, path=ATTEMPTS_PATH)
    await course.notify(text)
    return Ending(Status.NEEDS_PERSON, "attempts", text)
