"""Phase 2: every TODO that is ready at once, each on files of its own: work, word the commits, measure, bring it in.

What a worker claims counts for nothing; its commands are run again by andon (C-35). A box is ticked when they pass and
the commits are made (C-29).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.paths import named_paths
from andon.domain.patterns import overlap
from andon.domain.run import BudgetSpent, TeammateFailed
from andon.domain.uam import agents, graph
from andon.domain.uam.plan import DONE, FAILED, OPEN, Todo, written_todo
from andon.domain.uam.state import SPRINT, listing, mapping
from andon.domain.verdict import CheckResult
from andon.pipelines.commands import goal_of
from andon.pipelines.uam.committing import commits_asked, to_be_asked
from andon.pipelines.uam.course import FATAL, Course, LaneState
from andon.pipelines.uam.discovering import discoveries
from andon.pipelines.uam.landing import TOGETHER, Brought, begin_round, go_on_with_round
from andon.pipelines.uam.outputs import keep_outputs
from andon.pipelines.uam.planfile import commands_of, read_plan, set_boxes, unapproved
from andon.pipelines.uam.works import CHECKED, HANDED, READY, WORDED, WORKING, Sprint, Work, feedback_of
from andon.ports import Landed
from andon.roles.uam_contracts import WorkerForm


async def mvp_sprint(course: Course) -> None:
    await course.enter(SPRINT)
    async with course.run.phase("sprint"):
        await work_off(course)


async def work_off(course: Course) -> None:
    """Until no TODO is left that could be begun. What has failed stays so, and those that wait for it stay open."""
    # As many again are measured, worded and brought in meanwhile.
    async with course.run.lanes(2 * course.settings.parallel) as lanes:
        sprint = Sprint(course, lanes, {lane.name: lane for lane in course.lanes})
        try:
            while True:
                await _begin_more(sprint)
                if lanes.busy:
                    await _land(sprint, await lanes.ended())
                elif not ready(course):
                    break
        finally:
            sprint.remember()
    await sprint.record()


# --- beginning ------------------------------------------------------------------------------------------------------


def ready(course: Course) -> list[Todo]:
    """What can be begun. A tick that nobody measured is an open box, and opens nothing behind it."""
    plan = course.plan
    for todo in plan.todos:
        if todo.state == DONE and todo.number not in course.verified:
            todo.state = OPEN
    found = [plan.todo(number) for number in graph.ready(plan)]
    return [todo for todo in found if todo is not None and not unapproved(course, todo)]


async def _begin_more(sprint: Sprint) -> None:
    if sprint.free > 0:
        await read_plan(sprint.course)  # what a person wrote counts for whoever is begun next
        await _dispatch(sprint)


async def _dispatch(sprint: Sprint) -> None:
    course, works, passed = sprint.course, sprint.works, list[Work]()
    claimed = {todo.number for todo in course.plan.todos if todo.state == DONE} - course.verified
    course.verified &= {todo.number for todo in course.plan.todos if todo.state == DONE}
    for todo in ready(course):
        if sprint.free <= 0:
            break
        if f"todo-{todo.number}" in works or _overlaps(todo, [each.todo for each in works.values()]):
            continue
        work = _taken_up(course, todo, sprint.kept.pop(f"todo-{todo.number}", None))
        works[work.lane] = work
        if todo.number in claimed:
            await course.warn(course.word("todo.claim", number=todo.number))
        if todo.number in claimed or work.stage == CHECKED:
            passed += [work] if await _measure(sprint, work) else []
        else:
            _hand_out(sprint, work)
    await sprint.record()
    if passed:
        brought = Brought()
        await _word(sprint, passed, brought)
        await _come_in(sprint, brought)


def _taken_up(course: Course, todo: Todo, before: LaneState | None) -> Work:
    """From the present files, or from where an earlier leg left this very TODO; others may have been merged since."""
    if before is None or before.tree == before.base:
        return Work(todo, course.run.branch(f"todo-{todo.number}"), attempt=before.attempt if before else 0)
    branch = course.run.branch(f"todo-{todo.number}", before.tree, before.base)
    return Work(todo, branch, before.attempt, CHECKED if before.done else WORKING, {"status": "PASS"})


def _overlaps(todo: Todo, others: list[Todo]) -> bool:
    """Two that declare the same file, or a folder and a file in it, are not worked on at the same time (G-43)."""
    theirs = {path for other in others for path in scope_of(other)}
    return any(overlap(path, far) for path in scope_of(todo) for far in theirs)


def scope_of(todo: Todo) -> tuple[str, ...]:
    """The files a TODO says it touches; empty when it names none."""
    return _paths_in(todo.description)


@lru_cache(maxsize=256)
def _paths_in(description: str) -> tuple[str, ...]:
    """Asked of every TODO whenever one ends, and the same each time."""
    return tuple(each.path for each in named_paths(description) if not each.path.startswith(DOCUMENT_FOLDERS))


def _hand_out(sprint: Sprint, work: Work) -> None:
    course, todo = sprint.course, work.todo
    about = f"{todo.title} {todo.description}"
    asked = course.assignment(
        work.agent,
        work.name,
        "worker-again" if work.feedback else "worker",
        writes=scope_of(todo) or (".",),
        raised={"complexity": todo.complexity, "architecture": agents.changes_architecture(about)},
        directed=True,
        todo=written_todo(todo),
        todo_id=todo.id,
        scope=", ".join(f"`{path}`" for path in scope_of(todo)) or "the files this TODO needs, and no others",
        learned="\n".join(f"- {each}" for each in course.learned) or "(nothing)",
        measured=work.feedback,
    )
    work.stage, work.files, work.alone = WORKING, (), False
    sprint.lanes.ask(work.lane, work.run, asked, WorkerForm(todo.id))


# --- landing --------------------------------------------------------------------------------------------------------


async def _land(sprint: Sprint, ends: Sequence[Landed]) -> None:
    """All who have ended by now: each goes its way, and whoever is ready comes in."""
    handed_in = _handed_in(sprint, ends)
    kept = [{**work.reply, "todo_id": work.todo.id, "attempt": work.attempt} for work in handed_in]
    spent = next((each.failure for each in ends if isinstance(each.failure, BudgetSpent)), None)
    if spent is None:
        if handed_in:
            await _begin_more(sprint)  # the next ones need not wait for what becomes of these
        await _go_on_with(sprint, ends)
    if kept:
        await keep_outputs(sprint.course, kept)
    if spent is not None:
        raise spent


async def _go_on_with(sprint: Sprint, ends: Sequence[Landed]) -> None:
    brought, passed = Brought(), list[Work]()
    for landed in ends:
        if landed.lane == TOGETHER:
            brought = go_on_with_round(sprint, landed.value)
        elif await _go_on(sprint, sprint.works[landed.lane], landed):
            passed.append(sprint.works[landed.lane])
    await _word(sprint, passed, brought)
    await _leave_out_strangers(sprint)
    await _come_in(sprint, brought)


def _handed_in(sprint: Sprint, ends: Sequence[Landed]) -> list[Work]:
    handed_in: list[Work] = []
    for landed in ends:
        work = sprint.works.get(landed.lane)
        if work is not None and work.stage == WORKING and landed.failure is None:
            work.reply, work.stage = landed.value, HANDED
            handed_in.append(work)
    return handed_in


async def _go_on(sprint: Sprint, work: Work, landed: Landed) -> bool:
    """Its next stage. True when what it changed has to become commits."""
    failure = landed.failure
    if isinstance(failure, TeammateFailed) and (work.stage != WORDED or failure.outcome in FATAL):
        await _failed_teammate(sprint, work, failure)
        return False
    match work.stage:
        case "handed":
            return work.claims or await _measure(sprint, work)
        case "check":
            return await _judge(sprint, work, landed.value)
        case _:
            work.commits = () if failure else landed.value
            work.stage = READY
            return False


async def _leave_out_strangers(sprint: Sprint) -> None:
    """Work on a TODO that a person has taken out of the plan, or made into another one."""
    for work in [each for each in sprint.works.values() if each.stage == READY and each not in sprint.round]:
        if not work.todo.is_like(sprint.course.plan.todo(work.todo.number)):
            del sprint.works[work.lane]
            told = {"number": work.todo.number, "title": work.todo.title}
            await sprint.course.warn(sprint.course.word("todo.gone", **told))
            await sprint.record()


async def _come_in(sprint: Sprint, brought: Brought) -> None:
    """What follows from it; and the next round, if somebody is ready."""
    if brought.done:
        await _done(sprint, brought.done)
    for work, told in brought.refused:
        await _reconcile(sprint, work, told)
    for work, failing in brought.failed:
        await _fail(sprint, work, failing)
    for work in brought.suspects:
        await _measure(sprint, work)
    begin_round(sprint)


async def _failed_teammate(sprint: Sprint, work: Work, failure: TeammateFailed) -> None:
    """A crash, a hang, a change outside the scope: the TODO's failure, unless nobody could do better (G-41)."""
    if failure.outcome in FATAL:
        raise failure
    await _reconcile(sprint, work, f"The worker before you did not finish: {failure}")


async def _measure(sprint: Sprint, work: Work) -> bool:
    """By itself. True when there is nothing to be measured: users and people judge it later."""
    work.stage = CHECKED
    if goals := [goal_of(command) for command in commands_of(sprint.course, work.todo)]:
        sprint.lanes.check(work.lane, work.run, goals)
        return False
    return await _judge(sprint, work, ())


async def _judge(sprint: Sprint, work: Work, results: tuple[CheckResult, ...]) -> bool:
    """What was measured by itself. True when it has passed, and is not known yet what it changed."""
    failing = [result for result in results if result.verdict.blocks]
    if failing or not work.claims:
        await _fail(sprint, work, failing)
        return False
    if work.files:
        work.stage, work.alone = READY, True
    return not work.files


async def _fail(sprint: Sprint, work: Work, failing: list[CheckResult]) -> None:
    if failing and work.claims and work.reply:
        # The reason of a command of the plan begins with it.
        reasons = [f"{each.goal}: {each.reason.removeprefix(f'{each.goal}: ')}" for each in failing]
        told = {"name": work.name, "iteration": work.attempt + 1, "reasons": reasons}
        await sprint.course.run.say("claim_refused", **told)
    await _reconcile(sprint, work, feedback_of(failing, work.reply))


async def _word(sprint: Sprint, works: Sequence[Work], brought: Brought) -> None:
    """What each of them changed: several commits, and the git-master words them; or one; or nothing, and it is done if
    what it is measured by passes."""
    if not works:
        return
    course = sprint.course
    for work, changes in zip(works, await course.run.changes_of([work.run for work in works]), strict=True):
        work.files = tuple(change.path for change in changes)
        if not work.files:
            if work.stage == CHECKED or await _measure(sprint, work):
                brought.done.append(work)
        elif to_be_asked(work.files) and not work.is_worded:
            work.stage = WORDED
            name = f"git-master-{work.todo.number}"
            asked = commits_asked(course, name, written_todo(work.todo), changes, work.summary)
            sprint.lanes.ask(work.lane, work.run, *asked)
        else:
            work.stage = READY


async def _done(sprint: Sprint, works: Sequence[Work]) -> None:
    course = sprint.course
    for work in works:
        del sprint.works[work.lane]
        if work.files:
            changed = {**mapping(course.state.get("changed")), str(work.todo.number): list(work.files)}
            # In the order of their numbers: which of two workers came in first is chance.
            course.change(changed=dict(sorted(changed.items(), key=lambda each: (len(each[0]), each[0]))))
    await set_boxes(course, [work.todo for work in works], DONE)
    # What is not recorded here is recorded with whoever is begun next.
    for work in works:
        if found := [str(each) for each in listing(work.reply.get("discoveries"))]:
            await sprint.record()
            await discoveries(course, work.todo, found)


async def _reconcile(sprint: Sprint, work: Work, feedback: str) -> None:
    """A new worker on what the one before left, told what was measured; after the last one the TODO has failed."""
    course = sprint.course
    work.attempt += 1
    work.feedback = feedback
    if work.attempt > course.settings.reconciliations:
        del sprint.works[work.lane]
        await set_boxes(course, [work.todo], FAILED)
        await course.warn(course.word("todo.failed", number=work.todo.number, count=work.attempt))
        await sprint.record()
        return
    await course.run.say("reconciliation", todo=work.todo.id, attempt=work.attempt, reason=feedback[:400])
    _hand_out(sprint, work)
    await sprint.record()
