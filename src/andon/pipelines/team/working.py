"""Every unit that is ready at once, each on files of its own: worked on, measured, reviewed, brought in.

Units follow each other as the team's plan says. What a member says of its own work counts for nothing: andon looks for
what it should have left behind, runs its commands, and another member reviews it.
"""

from __future__ import annotations

from collections.abc import Sequence

from andon.domain.auto.status import moment
from andon.domain.learning import Lesson
from andon.domain.order import Question
from andon.domain.run import BudgetSpent, Ending, Status, TeammateFailed
from andon.domain.teams.asking import question_of
from andon.domain.teams.bulletin import finding, one_line
from andon.domain.teams.deciding import told as told_decisions
from andon.domain.teams.results import Item, Message, Result, Said
from andon.domain.teams.shared import discoveries, state_of
from andon.domain.teams.standing import DONE, FAILED, OPEN, Lane
from andon.domain.teams.team import LEAD, Work, lane_of
from andon.pipelines.team.course import FATAL, Course, role_of
from andon.pipelines.team.deciding import propose, take_votes
from andon.pipelines.team.jobs import CHECKING, REVIEWING, WORKING, Floor, Job
from andon.pipelines.team.judging import checked, judge, review_asked, reviewed, settled
from andon.pipelines.team.sharing import keep_finding, post, read_bulletin, tick
from andon.ports import Landed, Part
from andon.roles.team_contracts import ResultForm

BEGUN = "begun"
SHOWN_BEFORE = 8_000
"""Characters of each result that a unit builds on, as its prompt has it."""


async def work_off(course: Course) -> None:
    """Until no unit is left that could be begun. What has failed stays so, and those behind it stay open."""
    async with course.run.lanes(course.parallel) as lanes:
        floor = Floor(course, lanes, {lane.name: lane for lane in course.lanes})
        try:
            while course.ending is None:
                await _begin_more(floor)
                if lanes.busy:
                    await _land(floor, await lanes.ended())
                elif not course.ready:
                    break
            while lanes.busy:  # a person wants it to stop: what others are at is taken in, and nothing more begun
                await _land(floor, await lanes.ended())
        finally:
            floor.remember()
    await floor.record()


# --- beginning ------------------------------------------------------------------------------------------------------


async def _begin_more(floor: Floor) -> None:
    """What asks a person comes last: others are at work while they think."""
    course = floor.course
    for work in sorted(course.ready, key=lambda work: work.asks):
        lane = lane_of(course.number(work))
        if course.ending or lane in floor.jobs or not floor.lanes.free or not floor.may_begin(work):
            continue
        if work.asks and work.id not in course.answers:
            await _ask_person(course, work)
        job = _taken_up(course, work, lane, floor.kept.pop(lane, None))
        floor.jobs[lane] = job
        await course.run.say("unit", id=work.id, title=work.title, state=BEGUN, member=work.member)
        await _share_begun(course, work)
        await (_hand_out(floor, job) if job.stage == WORKING else _measure(floor, job))
        await floor.record()


async def _share_begun(course: Course, work: Work) -> None:
    """For as long as one order may take: whoever begins once more says so once more."""
    await course.run.share([state_of(work, BEGUN, course.longest(_role(course, work), bool(work.writes)))])


def _taken_up(course: Course, work: Work, lane: str, before: Lane | None) -> Job:
    """From the present files, or from where an earlier leg left this unit."""
    if before is None or (before.tree == before.base and not before.done):
        attempt, feedback = (before.attempt, before.feedback) if before else (1, "")
        return Job(work, lane, course.run.branch(lane), attempt, feedback=feedback)
    branch = course.run.branch(lane, before.tree, before.base)
    if not before.done or course.direction:
        return Job(work, lane, branch, before.attempt, feedback=before.feedback)
    result = before.result or _by_hand(work)
    return Job(work, lane, branch, before.attempt, CHECKING, result, feedback=before.feedback)


def _by_hand(work: Work) -> Result:
    """Of a person who worked on the files: nobody wrote down what came of it."""
    told = "A person worked on it."
    return Result(Said.DONE, told, tuple(Item(each, told) for each in work.outputs or (work.title,)))


async def _ask_person(course: Course, work: Work) -> None:
    text = course.word("asked", title=work.title, question=question_of(work))
    course.answers[work.id] = await course.run.hold(Question(text))


async def _hand_out(floor: Floor, job: Job) -> None:
    """The plan first, then the bulletin, then the unit (B-43)."""
    course, work = floor.course, job.work
    member = course.member(work)
    again = job.iteration > 1 and bool(job.feedback)
    mail = job.mail = tuple(course.mail(member.name))
    asked = course.assignment(
        _role(course, work),
        member,
        "again" if again else "unit",
        title=work.title,
        writes=work.writes,
        continues=again,
        plan=course.plan,
        bulletin=await read_bulletin(course),
        before="\n\n".join(f"### {each.title}\n{told.text()[:SHOWN_BEFORE]}" for each, told in course.before(work)),
        decisions=told_decisions(course.decisions),
        mail="\n".join(f"- {each.by}: {_indented(each.text)}" for each in mail),
        learned=course.learned,
        unit=_unit_text(course, work),
        scope=", ".join(f"`{path}`" for path in work.writes) or "nothing: you only read",
        iteration=str(job.iteration),
        feedback=job.feedback,
    )
    job.stage, course.told = WORKING, True
    floor.lanes.ask(job.lane, job.run, asked, ResultForm(work.outputs, any(each.open for each in course.decisions)))


def _role(course: Course, work: Work) -> str:
    return role_of(course.member(work), bool(work.writes))


def _indented(text: str) -> str:
    """No line of a message looks like another one, from somebody else."""
    return "\n  ".join(text.splitlines())


def _unit_text(course: Course, work: Work) -> str:
    lines = [work.title, "", work.instructions, ""]
    lists = (("In", work.inputs), ("Out", work.outputs), ("Commands that must end with 0", work.checks))
    lines += [f"{name}: {', '.join(each)}" for name, each in lists if each]
    if answer := course.answers.get(work.id):
        lines.append(f"A person was asked ({question_of(work)}) and answered: {answer}")
    return "\n".join(lines).strip()


# --- landing --------------------------------------------------------------------------------------------------------


async def _land(floor: Floor, ends: Sequence[Landed]) -> None:
    for landed in ends:
        if isinstance(landed.failure, BudgetSpent):
            raise landed.failure
        job = floor.jobs[landed.lane]
        if isinstance(landed.failure, TeammateFailed):
            await _failed_member(floor, job, landed.failure)
        elif job.stage == WORKING:
            await _handed_in(floor, job, landed.value)
        elif floor.course.ending is not None:
            pass  # a later leg measures and reviews it again
        elif job.stage == CHECKING:
            checked(job, landed.value)
            await _go_on(floor, job)
        else:
            await _decide(floor, job, await reviewed(floor.course, job, landed.value))


async def _handed_in(floor: Floor, job: Job, result: Result) -> None:
    """Told to all, before anything becomes of it: also an attempt that is refused is on the bulletin (B-58)."""
    course, work = floor.course, job.work
    job.result, job.stage = result, CHECKING
    course.delivered(job.mail)
    attempt = f" (attempt {job.iteration})" if job.iteration > 1 else ""
    note = finding(moment(course.run.moved_at), work.member, f"{work.title}{attempt}", result.summary, result.links)
    await post(course, note)
    await take_votes(course, work.member, result.votes)
    await _deliver(course, work.member, result.messages)
    if course.ending is None:
        await _measure(floor, job)


async def _measure(floor: Floor, job: Job) -> None:
    await judge(floor, job)
    if job.lane not in floor.lanes.busy:  # there is no command to wait for
        await _go_on(floor, job)


async def _deliver(course: Course, by: str, messages: Sequence[Message]) -> None:
    """To a member's next order; what goes to the lead is a wish to change the plan (B-43)."""
    names = {each.name for each in course.team.members}
    for message in messages:
        to = message.to
        if to not in names:
            await course.warn(course.word("stranger", by=by, to=to))
            to = course.lead.name
        await course.run.say("message", recipient=to, content=message.text, sender=by)
        if message.to in (LEAD, course.lead.name):
            await propose(course, by, message.text)
        course.messages.append(Message(to, message.text, by))


async def _go_on(floor: Floor, job: Job) -> None:
    """It is measured. What is wrong already needs no reviewer; else the reviewer is asked, where there is one."""
    opinion = settled(floor.course, job)
    if opinion is not None:
        await _decide(floor, job, await reviewed(floor.course, job, opinion))
        return
    job.stage = REVIEWING
    floor.lanes.ask(job.lane, job.run, *await review_asked(floor.course, job))


async def _decide(floor: Floor, job: Job, ends: str) -> None:
    """What becomes of a unit after a round."""
    match ends:
        case "":
            await _again(floor, job)
        case "blocked":
            await _escalate(floor, job)
        case _:
            await _ship(floor, job, forced=ends == "limit")
    await floor.record()


async def _again(floor: Floor, job: Job) -> None:
    job.iteration, job.stage = job.iteration + 1, WORKING
    content = job.feedback[:2_000]
    course, why = floor.course, job.feedback.strip().partition("\n")[0][:300]
    if not job.agreed:
        course.lessons.append(Lesson(f"{job.work.title} came back: {why}", (job.work.category,), job.work.member))
    await course.run.say("message", recipient=job.work.member, content=content, sender="review")
    await _share_begun(course, job.work)
    await _hand_out(floor, job)


async def _ship(floor: Floor, job: Job, *, forced: bool) -> None:
    course, work = floor.course, job.work
    assert job.result is not None
    merged = await course.run.merge([job.run])
    if merged.left:
        job.run = course.run.branch(job.lane)
        job.feedback = f"Your work does not fit what others have done meanwhile, in: {', '.join(merged.conflicts)}"
        if job.iteration < course.team.ralph.max_iterations:
            await _again(floor, job)
            return
        await _fail(floor, job, job.feedback)
        return
    if job.run.tree != job.run.began:
        await course.run.commit_parts([Part(_message(course, work, job.result))])
    if forced:
        told = {"title": work.title, "count": job.iteration, "feedback": job.feedback[:400]}
        await course.warn(course.word("forced", **told))
    del floor.jobs[job.lane]
    course.change(work, state=DONE, iterations=job.iteration, forced=forced, result=job.result)
    await keep_finding(course, work.member, f"### {work.title}\n{job.result.text()}")
    await tick(course)
    await course.run.share([*discoveries(work, job.result), state_of(work, DONE)])
    told = {"id": work.id, "title": work.title, "state": DONE, "member": work.member}
    await course.run.say("unit", **told, iterations=job.iteration, forced=forced)


def _message(course: Course, work: Work, result: Result) -> str:
    return f"{one_line(work.title)[:72] or work.member}\n\n{result.summary}\n\nAndon-Run: {course.run.id}\n"


async def _escalate(floor: Floor, job: Job) -> None:
    """A worker cannot go on by itself: a person says what becomes of it (B-60)."""
    course, work = floor.course, job.work
    assert job.result is not None
    problem = job.result.blocked
    text = course.word("blocked", name=work.member, title=work.title, problem=problem)
    await course.run.say("escalated", id=work.id, title=work.title, member=work.member, problem=problem)
    await course.notify(text)
    again, leave, stop = (course.word(f"blocked.{key}") for key in ("again", "leave", "stop"))
    answer = await course.run.hold(Question(text, (again, leave, stop), category="blocked"))
    if answer == leave:
        await _fail(floor, job, problem)
    elif answer == stop:
        course.ending = Ending(Status.NEEDS_PERSON, "blocked", course.word("ended.blocked", problem=problem))
    else:
        said = "Try again." if answer == again else answer
        job.feedback = f"You said that you are blocked: {problem}\nA person answers: {said}"
        await _again(floor, job)


async def _failed_member(floor: Floor, job: Job, failure: TeammateFailed) -> None:
    """A crash, a hang, a change outside the scope, twice: the unit's failure (G-41)."""
    if failure.outcome in FATAL:
        raise failure
    if job.stage == REVIEWING:  # what it handed in is there, and a later leg has it reviewed
        floor.kept[job.lane] = job.left()
    await _fail(floor, job, str(failure))
    await floor.record()


async def _fail(floor: Floor, job: Job, why: str) -> None:
    course, work = floor.course, job.work
    del floor.jobs[job.lane]
    course.change(work, state=FAILED, iterations=job.iteration, why=why[:400])
    await course.warn(course.word("failed", title=work.title, why=why[:400]))
    await course.run.share([state_of(work, FAILED)])
    await course.run.say("unit", id=work.id, title=work.title, state=FAILED, member=work.member, why=why[:400])


def reopened(course: Course) -> None:
    """Who resumes a run wants what failed to be tried again; and who directs it, what nobody agreed to."""
    forced = [work for work in course.of_state(DONE) if course.state(work).forced] if course.direction else []
    for work in (*course.of_state(FAILED), *forced):
        course.change(work, state=OPEN, why="", forced=False)
