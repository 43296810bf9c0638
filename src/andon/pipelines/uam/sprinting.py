"""Phase 2: every TODO that is ready at once, each on files of its own: work, measure, word the commits, bring it in.

What a worker claims counts for nothing; its commands are run again by andon (C-35). A box is ticked when they pass and
the commits are made (C-29).
"""

from __future__ import annotations

from functools import lru_cache

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.paths import named_paths
from andon.domain.run import BudgetSpent, TeammateFailed
from andon.domain.uam import agents, graph
from andon.domain.uam.plan import DONE, FAILED, OPEN, Todo, written_todo
from andon.domain.uam.state import SPRINT, listing, mapping
from andon.domain.verdict import CheckResult
from andon.pipelines.uam.committing import commits_asked
from andon.pipelines.uam.course import FATAL, Course, LaneState
from andon.pipelines.uam.discovering import discoveries
from andon.pipelines.uam.landing import TOGETHER, Brought, bring_in, end_round
from andon.pipelines.uam.outputs import keep_output
from andon.pipelines.uam.planfile import commands_of, goal_of, read_plan, set_box, unapproved
from andon.pipelines.uam.works import CHECKED, READY, WORDED, WORKING, Sprint, Work, feedback_of
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
                if sprint.free > 0:  # what a person wrote counts for whoever is begun next
                    await read_plan(course)
                    await _dispatch(sprint)
                if lanes.busy:
                    await _land(sprint, await lanes.first())
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


async def _dispatch(sprint: Sprint) -> None:
    course, works = sprint.course, sprint.works
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
            await _measure(sprint, work)
        elif work.stage == "check":
            await _measure(sprint, work)
        else:
            _hand_out(sprint, work)
    await sprint.record()


def _taken_up(course: Course, todo: Todo, before: LaneState | None) -> Work:
    """From the present files, or from where an earlier leg left this very TODO; others may have been merged since."""
    if before is None or before.tree == before.base:
        return Work(todo, course.run.branch(f"todo-{todo.number}"), before.attempt if before else 0)
    branch = course.run.branch(f"todo-{todo.number}", before.tree, before.base)
    return Work(todo, branch, before.attempt, "check" if before.done else "work", {"status": "PASS"})


def _overlaps(todo: Todo, others: list[Todo]) -> bool:
    """Two that declare the same file are not worked on at the same time (G-43)."""
    mine = set(scope_of(todo))
    return any(mine & set(scope_of(other)) for other in others)


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
    work.stage = WORKING
    sprint.lanes.ask(work.lane, work.run, asked, WorkerForm(todo.id))


# --- landing --------------------------------------------------------------------------------------------------------


async def _land(sprint: Sprint, landed: Landed) -> None:
    if isinstance(landed.failure, BudgetSpent):
        raise landed.failure
    if landed.lane == TOGETHER:
        await _come_in(sprint, await end_round(sprint, landed.value))
        return
    work = sprint.works[landed.lane]
    if landed.failure is not None and (work.stage != WORDED or landed.failure.outcome in FATAL):
        await _failed_teammate(sprint, work, landed.failure)
        return
    match work.stage:
        case "work":
            work.reply = landed.value
            kept = {**work.reply, "todo_id": work.todo.id, "attempt": work.attempt}
            await keep_output(sprint.course, kept)
            await _measure(sprint, work)
        case "check":
            await _judge(sprint, work, landed.value)
        case _:
            work.commits = () if landed.failure else landed.value
            work.stage = READY
            await _leave_out_strangers(sprint)
            await _come_in(sprint, await bring_in(sprint))


async def _leave_out_strangers(sprint: Sprint) -> None:
    """Work on a TODO that a person has taken out of the plan, or made into another one."""
    for work in [each for each in sprint.works.values() if each.stage == READY and each not in sprint.round]:
        if not work.todo.is_like(sprint.course.plan.todo(work.todo.number)):
            del sprint.works[work.lane]
            told = {"number": work.todo.number, "title": work.todo.title}
            await sprint.course.warn(sprint.course.word("todo.gone", **told))
            await sprint.record()


async def _come_in(sprint: Sprint, brought: Brought) -> None:
    """What follows from it, until nobody is ready any more or a round is measured."""
    for work in brought.done:
        await _done(sprint, work)
    for work, told in brought.refused:
        await _reconcile(sprint, work, told)
    if not sprint.round and any(work.stage == READY for work in sprint.works.values()):
        await _come_in(sprint, await bring_in(sprint))


async def _failed_teammate(sprint: Sprint, work: Work, failure: TeammateFailed) -> None:
    """A crash, a hang, a change outside the scope: the TODO's failure, unless nobody could do better (G-41)."""
    if failure.outcome in FATAL:
        raise failure
    await _reconcile(sprint, work, f"The worker before you did not finish: {failure}")


async def _measure(sprint: Sprint, work: Work) -> None:
    work.stage = CHECKED
    goals = [goal_of(command) for command in commands_of(sprint.course, work.todo)]
    if goals:
        sprint.lanes.check(work.lane, work.run, goals)
    else:  # nothing but what users and people judge, later
        await _judge(sprint, work, ())


async def _judge(sprint: Sprint, work: Work, results: tuple[CheckResult, ...]) -> None:
    failing = [result for result in results if result.verdict.blocks]
    claimed = str(work.reply.get("status", "PASS"))
    if failing and claimed == "PASS" and work.reply:
        reasons = [f"{result.goal}: {result.reason}" for result in failing]
        told = {"name": work.name, "iteration": work.attempt + 1, "reasons": reasons}
        await sprint.course.run.say("claim_refused", **told)
    if failing or claimed != "PASS":
        await _reconcile(sprint, work, feedback_of(failing, work.reply))
        return
    changes = await work.run.changes(since=work.run.began)
    work.files = tuple(change.path for change in changes)
    if not work.files:
        await _done(sprint, work)
        return
    work.stage = WORDED
    summary = str(mapping(work.reply.get("outputs")).get("summary", ""))
    name = f"git-master-{work.todo.number}"
    asked = commits_asked(sprint.course, name, written_todo(work.todo), changes, summary)
    sprint.lanes.ask(work.lane, work.run, *asked)


async def _done(sprint: Sprint, work: Work) -> None:
    course = sprint.course
    del sprint.works[work.lane]
    await set_box(course, work.todo, DONE)
    # What is not recorded here is recorded with whoever is begun next.
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
        await set_box(course, work.todo, FAILED)
        await course.warn(course.word("todo.failed", number=work.todo.number, count=work.attempt))
        await sprint.record()
        return
    await course.run.say("reconciliation", todo=work.todo.id, attempt=work.attempt, reason=feedback[:400])
    _hand_out(sprint, work)
    await sprint.record()
