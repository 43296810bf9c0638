"""One round of the review loop: what is measured of a result, what its reviewer says, SHIP or REVISE (B-56 to B-61)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from andon.domain.assignment import Assignment
from andon.domain.auto.status import moment
from andon.domain.teams.bulletin import ralph_note
from andon.domain.teams.measuring import looked_for, measured, missing, paths_out
from andon.domain.teams.ralph import ExitOn, Round, Verdict, exit_of, scores, verdict, weighted
from andon.domain.teams.results import Opinion, Said
from andon.domain.verdict import CheckResult
from andon.pipelines.commands import goal_of
from andon.pipelines.team.course import REVIEWER, Course
from andon.pipelines.team.jobs import CHECKING, REVIEWING, Floor, Job
from andon.pipelines.team.sharing import post
from andon.roles.team_contracts import OpinionForm

SHOWN_OUTPUT = 2_000
AGREED = "Nothing is wrong with it. The team uses all of its {most} rounds: make it better where it is weakest."
"""With `exit_on: max`."""


async def judge(floor: Floor, job: Job) -> None:
    """Measure it: what it should have left behind, what it rests on, and its commands."""
    assert job.result is not None
    job.stage, job.failing = CHECKING, ()
    wanted = looked_for(job.work, job.result)
    existing = await job.run.existing(wanted) if wanted else frozenset[str]()
    job.missing = tuple(missing(job.work, job.result, existing))
    job.scores = dict(scores(measured(job.work, job.result, existing)))
    if job.work.checks and job.result.status is not Said.BLOCKED:
        floor.lanes.check(job.lane, job.run, [goal_of(command) for command in job.work.checks])


def checked(job: Job, results: Sequence[CheckResult]) -> None:
    job.failing = tuple(result for result in results if result.verdict.blocks)


def settled(course: Course, job: Job) -> Opinion | None:
    """A verdict for which nobody has to be asked. None: the reviewer decides."""
    assert job.result is not None
    if job.result.status is Said.BLOCKED:
        return Opinion(Verdict.REVISE, job.result.blocked)
    if lacking := _lacking(job):
        return Opinion(Verdict.REVISE, lacking)
    if course.team.ralph.enabled and course.team.reviewer_of(job.work) is not None:
        return None
    return Opinion(Verdict.SHIP)


def _lacking(job: Job) -> str:
    """What keeps it from being shipped, whoever would ship it."""
    parts = [f"Not there: {', '.join(job.missing)}"] if job.missing else []
    made = paths_out(job.work)
    if made and job.work.writes and not parts and job.run.tree == job.run.began:
        parts.append(f"You changed no file. You were to make: {', '.join(made)}")
    parts += [f"$ {each.goal}\n{each.reason}\n{each.shown(SHOWN_OUTPUT)}".strip() for each in job.failing]
    if job.result and job.result.status is Said.PARTIAL and not parts:
        parts.append(f"You said PARTIAL: {job.result.summary}")
    return "\n\n".join(parts)


async def review_asked(course: Course, job: Job) -> tuple[Assignment, OpinionForm]:
    """Whoever did not make it looks at it, on its files."""
    work, result = job.work, job.result
    reviewer = course.team.reviewer_of(work)
    assert reviewer is not None and result is not None
    changes = await course.run.changes_of([job.run])
    unmeasured = tuple(each for each in course.team.ralph.review_criteria if job.scores.get(each) is None)
    asked = course.assignment(
        REVIEWER,
        reviewer,
        "review",
        name=f"{reviewer.name}-{course.number(work)}",
        title=work.title,
        worker=work.member,
        unit=f"{work.title}\n\n{work.instructions}",
        result=result.text(),
        changes="\n".join(f"{each.kind}: {each.path}" for each in changes[0]) or "(no file was changed)",
        measured=_table(job),
        criteria=", ".join(course.team.ralph.review_criteria),
        iteration=f"{job.iteration} of {course.team.ralph.max_iterations}",
        earlier=job.feedback,
    )
    return asked, OpinionForm(unmeasured)


def _table(job: Job) -> str:
    shown = {name: "not measured" if score is None else f"{score:.1f} of 5" for name, score in job.scores.items()}
    rows = [f"- {name.value}: {score}" for name, score in shown.items()]
    return "\n".join([*rows, *(f"- `{command}` ends with 0" for command in job.work.checks)])


async def reviewed(course: Course, job: Job, opinion: Opinion) -> str:
    """The verdict of the round, on the bulletin; and why the loop ends with it. Empty: once more."""
    work, result, settings = job.work, job.result, course.team.ralph
    assert result is not None
    for criterion, score in opinion.scores.items():
        if job.scores.get(criterion) is None:
            job.scores[criterion] = score
    mean = weighted(job.scores, settings.review_criteria)
    lacking = _lacking(job)
    said = Verdict.REVISE if lacking or result.status is Said.BLOCKED else opinion.verdict
    now = Round(
        job.iteration,
        verdict(mean, said) if settings.enabled else said,
        all_done=not lacking and result.status is Said.DONE,
        blocked=result.blocked if result.status is Said.BLOCKED else "",
    )
    # Where nobody reviews, one more round has nothing to go by.
    ends = exit_of(settings if settings.enabled else replace(settings, exit_on=ExitOn.SHIP), now)
    changes = result.summary if job.iteration > 1 else ""
    job.agreed = now.verdict is Verdict.SHIP
    job.feedback = "" if job.agreed else _feedback(opinion, mean, lacking)
    told = {"id": work.id, "worker": work.member, "iteration": job.iteration, "verdict": now.verdict.value}
    shown = {name.value: score for name, score in job.scores.items()}
    ended = {"scores": shown, "mean": mean, "feedback": job.feedback[:2_000], "ends": str(ends or "")}
    reviewer = course.team.reviewer_of(work) if job.stage == REVIEWING else None
    told |= {"reviewer": reviewer.name if reviewer else ""}  # empty: what was measured has decided
    await course.run.say("ralph", **told, most=settings.max_iterations, title=work.title, **ended)
    at = moment(course.run.moved_at)
    note = ralph_note(at, job.iteration, work.member, work.title, now.verdict.value, job.feedback, changes)
    await post(course, note)
    if job.agreed and ends is None:
        job.feedback = f"{AGREED.format(most=settings.max_iterations)}\n{opinion.feedback}".strip()
    return str(ends or "")


def _feedback(opinion: Opinion, mean: float | None, lacking: str) -> str:
    if lacking:
        return lacking
    if opinion.verdict is Verdict.SHIP and mean is not None:
        return f"What is measured comes to {mean:.1f} of 5, and 4 are needed: missing parts, sources that do not exist."
    return opinion.feedback or "The reviewer gave no reason."
