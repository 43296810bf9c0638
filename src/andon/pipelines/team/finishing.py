"""When no unit is left to be begun: what all of it comes to is measured once more, mended, and published."""

from __future__ import annotations

from andon.domain.feature import branch_name
from andon.domain.order import Question
from andon.domain.run import Ending, Status
from andon.domain.teams.bulletin import FINDINGS
from andon.domain.teams.measuring import paths_out
from andon.domain.teams.planning import planned
from andon.domain.teams.standing import DONE
from andon.domain.verdict import CheckResult
from andon.pipelines.commands import goal_of
from andon.pipelines.team.course import LEADER, Course
from andon.pipelines.team.sharing import read_bulletin
from andon.ports import Part
from andon.roles.team_contracts import ResultForm

MENDINGS = 2
"""How often the lead may mend what fails when everything is together."""
SHOWN_OUTPUT = 3_000


async def finish(course: Course) -> Ending:
    if left := [work for work in course.team.works if course.state(work).state != DONE]:
        text = course.word("ended.left", units=course.titles(left))
        await course.notify(text)
        return Ending(Status.NEEDS_PERSON, "units_left", text)
    async with course.run.phase("verify"):
        if wrong := await _verified(course):
            text = course.word("ended.unmet", reason=wrong.partition("\n")[0])
            await course.notify(text)
            return Ending(Status.NEEDS_PERSON, "unverified", text)
        if ending := await _taken(course):
            return ending
        return await _published(course)


async def _verified(course: Course) -> str:
    """What is wrong with all of it together; nothing when it passes. The lead mends what fails, a few times."""
    mended = 0
    if course.direction and not course.told:  # every unit was done already: somebody has to be told
        await _mend(course, "A person wants something to be otherwise.", "direction")
    while True:
        wrong = await _measured(course)
        if not wrong or mended >= MENDINGS:
            return wrong
        mended += 1
        await _mend(course, wrong, str(mended))


async def _measured(course: Course) -> str:
    """Files that units should have left, their commands, and the project's own goals, on the files of all."""
    wanted = list(dict.fromkeys(path for work in course.team.works for path in paths_out(work)))
    there = await course.run.existing(wanted) if wanted else frozenset[str]()
    if gone := [path for path in wanted if path not in there]:
        return course.word("missing", paths=", ".join(gone))
    if not await course.run.changes():
        return course.word("nothing") if any(work.writes and paths_out(work) for work in course.team.works) else ""
    await course.run.prepare()
    commands = dict.fromkeys(command for work in course.team.works for command in work.checks)
    results = await course.run.check_all([goal_of(command) for command in commands])
    if failing := [result for result in results if result.verdict.blocks]:
        return "\n\n".join(map(_told, failing))
    goals = await course.run.goals(None, False, course.goals)
    own = tuple(goal for goal in goals if goal.name not in ("custom", "interactive"))
    verified = await course.run.verify(own, planned(course.plan), course.accepted, results)
    if not verified.verdict.blocks:
        return ""
    found = [f"{each.path}:{each.line}: {each.message}" for each in verified.findings]
    return "\n".join((verified.reason, *found))


def _told(result: CheckResult) -> str:
    return f"{result.goal}: {result.reason}\n{result.shown(SHOWN_OUTPUT)}".strip()


async def _mend(course: Course, wrong: str, number: str) -> None:
    scope = tuple(dict.fromkeys(path for work in course.team.works for path in work.writes))
    if not scope:
        return
    asked = course.assignment(
        LEADER,
        course.lead,
        "mend",
        name=f"{course.lead.name}-mend-{number}",
        title="mend",
        writes=(".",) if "." in scope else scope,
        plan=course.plan,
        bulletin=await read_bulletin(course),
        wrong=wrong,
        scope=", ".join(f"`{path}`" for path in scope),
    )
    before = course.run.tree
    result = await course.run.ask(asked, ResultForm())
    if course.run.tree != before:
        await course.run.commit_parts([Part(f"Mend the whole\n\n{result.summary}\n\nAndon-Run: {course.run.id}\n")])


async def _taken(course: Course) -> Ending | None:
    """Nobody agreed to what went on at the limit: a person does, or does not."""
    forced = [work for work in course.team.works if course.state(work).forced]
    if not forced:
        return None
    units = course.titles(forced)
    yes, no = course.word("forced.yes"), course.word("forced.no")
    answer = await course.run.hold(Question(course.word("forced.question", units=units), (yes, no), category="limit"))
    if answer == yes:
        for work in forced:
            course.change(work, forced=False)
        return None
    return Ending(Status.NEEDS_PERSON, "rejected", course.word("ended.forced", units=units))


async def _published(course: Course) -> Ending:
    if not await course.run.changes():
        return Ending(Status.DONE, "goal_met", course.word("ended.read", file=course.path(FINDINGS)))
    await course.run.publish()
    return Ending(Status.DONE, "goal_met", course.word("ended.done", branch=branch_name(course.feature)))
