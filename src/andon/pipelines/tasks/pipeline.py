"""A task: every phase of its type worked on, verified, mended up to three times, and decided by a person (D-68)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andon.domain.counting import counted
from andon.domain.feature import branch_name
from andon.domain.language import Language
from andon.domain.order import Question
from andon.domain.run import Ending, Status
from andon.domain.tasks.checkpoints import Reason
from andon.domain.tasks.conversation import ANSWERED
from andon.domain.tasks.phases import Performer, Phase, TaskType
from andon.domain.tasks.reporting import verdict_of_all
from andon.domain.tasks.reviews import Presented, Review, feedback_text
from andon.domain.tasks.rework import MOST, Choice, Next, after_verification, rework_text
from andon.domain.tasks.states import ReviewState
from andon.domain.tasks.verification import Verification
from andon.pipelines.ending import ending_of
from andon.pipelines.tasks.conversing import converse
from andon.pipelines.tasks.course import Course, Place, Stage
from andon.pipelines.tasks.judging import approved_plan, judge, verify
from andon.pipelines.tasks.working import rework, work
from andon.ports import Run

VERIFIED, PERSON = "the verification", "a person"


async def task(run: Run, payload: dict[str, Any]) -> Ending:
    """One leg of a task, from its frozen request to an ending."""
    course = _course(run, payload)
    team = f"task-{payload['feature']}"
    await run.say("team_created", team=team, options={"type": course.type.value})
    work = converse if course.type is TaskType.CUSTOM else _phases
    ending = await ending_of(course, work(course, payload))
    if ending.status is not Status.DONE:
        await _keep(course, Reason.MANUAL_PAUSE if ending.status is Status.STOPPED else Reason.ERROR)
    if ending.status is Status.DONE and ending.reason != ANSWERED:
        await run.remove_workspace()
        await run.say("worktree_removed", path="")
    await run.say("team_deleted", team=team)
    return ending


async def _keep(course: Course, reason: Reason) -> None:
    """A checkpoint (D-117). A conversation has none: what was said is all there is."""
    if course.place.phase:
        await course.run.checkpoint(str(reason), course.standing())


def _course(run: Run, payload: dict[str, Any]) -> Course:
    request = payload["request"]
    return Course(
        run=run,
        type=TaskType(request["options"]["type"]),
        task=request["task"],
        inputs=request["options"].get("inputs") or {},
        language=Language(payload["language"]),
        agent_seconds=payload.get("agent_seconds"),
        role_seconds=payload.get("role_seconds") or {},
        role_tiers=payload.get("role_tiers") or {},
        accepted={each["id"]: each["reason"] for each in payload.get("accepted") or ()},
        direction=payload.get("direction") or "",
    )


async def _phases(course: Course, payload: Mapping[str, Any]) -> Ending:
    resumed: dict[str, Any] = payload.get("resume") or {}
    place = Place.read(resumed)
    await course.run.mark(mode=course.type.value)
    await course.run.prepare(at_base=True)
    course.goals = await course.run.goals(None, False, at_base=True)
    for phase in course.workflow.phases[place.phase - 1 :]:
        goes_on = phase.number == place.phase and not course.direction
        course.began = (goes_on and str(resumed.get("began") or "")) or course.run.tree
        course.place = place if goes_on else Place(phase.number)
        async with course.run.phase(phase.name):
            await course.run.say("phase_changed", before=None, phase=f"{phase.number} {phase.name}")
            if not phase.documents and not course.plan:
                course.plan = await approved_plan(course)
            if ending := await _phase(course, phase):
                return ending
            await _keep(course, Reason.PHASE_COMPLETE)
    return await _finish(course, branch_name(payload["feature"]))


async def _phase(course: Course, phase: Phase) -> Ending | None:
    """Until a person approves it. None: on to the next one. It begins with what an earlier leg was at (D-119)."""
    place = course.place
    if place.stage is Stage.REWORK:
        await _rework(course, phase, place.told, place.origin)
    elif place.stage is Stage.WORK and phase.performer is Performer.AGENT:
        await work(course, phase)
    while True:
        place.stage, place.told, place.origin = Stage.VERIFY, "", ""
        found = await judge(course, phase)
        match after_verification(found.passed, place.reworks):
            case Next.REWORK:
                place.reworks += 1
                told = {"number": phase.number, "attempt": place.reworks, "reasons": _reasons(found)}
                await course.run.say("rework", **told)
                await _rework(course, phase, rework_text(found, place.reworks), VERIFIED)
                continue
            case Next.PERSON if await _gives_up(course, phase):
                text = course.word("ended.verification", number=phase.number, name=phase.name)
                return Ending(Status.FAILED, "verification", text)
            case _:
                pass
        place.stage = Stage.REVIEW
        decided = await _reviewed(course, phase, found)
        if decided.status is ReviewState.APPROVED:
            return None
        place.reworks = 0
        await _rework(course, phase, feedback_text(decided.comment, decided.comments), PERSON)


async def _rework(course: Course, phase: Phase, told: str, origin: str) -> None:
    course.place.stage, course.place.told, course.place.origin = Stage.REWORK, told, origin
    await rework(course, phase, told, origin)


def _reasons(found: Verification) -> list[str]:
    return [f"{each.id}: {each.detail}" for each in found.failed]


async def _gives_up(course: Course, phase: Phase) -> bool:
    """Three reworks did not help: a person looks at it themselves, or ends it (D-74)."""
    text = course.word("rework.stuck", number=phase.number, name=phase.name, count=MOST)
    await course.notify(text)
    asked = Question(text, (Choice.REVIEW.value, Choice.STOP.value), category="verification")
    return await course.run.hold(asked) == Choice.STOP.value


async def _reviewed(course: Course, phase: Phase, found: Verification) -> Review:
    changes = await course.run.changes(since=course.began)
    paths = tuple(each.path for each in changes)
    verdict = course.word(f"review.{verdict_of_all(found.as_json())}")
    told = {"number": phase.number, "name": phase.name, "count": len(paths), "files": counted(len(paths), "file")}
    text = course.word("review", **told, verdict=verdict)
    decided = await course.run.review(Presented(phase.number, course.began, paths, found.as_json(), text))
    told = {"number": phase.number, "status": str(decided.status), "by": decided.decided_by}
    await course.run.say("review_decided", **told, comment=decided.comment, auto_approved=decided.auto_approved)
    return decided


async def _finish(course: Course, branch: str) -> Ending:
    """Every phase is approved; what is published has its verdict too."""
    told = await verify(course)
    if told.verdict.blocks:
        text = course.word("ended.unverified", reason=told.reason)
        await course.notify(text)
        return Ending(Status.NEEDS_PERSON, "unverified", text)
    await course.run.commit(f"{course.task[:60]}\n\n{course.wanted}\n\nAndon-Run: {course.run.id}\n")
    return Ending(Status.DONE, "goal_met", course.word("ended.done", branch=branch))
