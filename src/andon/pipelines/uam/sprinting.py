"""Phase 2: every TODO that is ready at once, each on files of its own: work, measure, word the commits, bring it in.

What a worker claims counts for nothing; its commands are run again by andon (C-35). A box is ticked when they pass and
the commits are made (C-29).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.paths import named_paths
from andon.domain.run import BudgetSpent, TeammateFailed
from andon.domain.uam import agents, graph
from andon.domain.uam.artefacts import NOTES, OUTPUTS_PATH, notes_path
from andon.domain.uam.knowledge import KEPT, added, one_line
from andon.domain.uam.plan import DONE, FAILED, OPEN, Todo, written_todo
from andon.domain.uam.state import SPRINT, listing, mapping
from andon.domain.verdict import CheckResult
from andon.pipelines.uam.committing import commit, commits_asked
from andon.pipelines.uam.course import FATAL, Course, LaneState
from andon.pipelines.uam.discovering import discoveries
from andon.pipelines.uam.planfile import commands_of, count, goal_of, read_plan, set_box, unapproved
from andon.ports import Landed, Lanes, Run
from andon.roles.uam_contracts import Commit, WorkerForm

SHOWN_OUTPUT = 2_000


@dataclass
class Work:
    """One TODO on its way."""

    todo: Todo
    run: Run
    attempt: int = 0
    """Reconciliations so far (C-37)."""
    stage: str = "work"
    """What the lane does now: work, check, commits."""
    reply: dict[str, Any] = field(default_factory=dict[str, Any])
    commits: tuple[Commit, ...] = ()
    feedback: str = ""
    """What andon measured, for the next worker."""
    files: tuple[str, ...] = ()

    @property
    def agent(self) -> str:
        return agents.worker_for(f"{self.todo.title} {self.todo.description}")

    @property
    def name(self) -> str:
        """Of the worker that has it now."""
        again = f"-r{self.attempt}" if self.attempt else ""
        return f"{self.agent.removeprefix('uam-')}-{self.todo.number}{again}"

    @property
    def lane(self) -> str:
        return f"todo-{self.todo.number}"


async def mvp_sprint(course: Course) -> None:
    await course.enter(SPRINT)
    async with course.run.phase("sprint"):
        await work_off(course)


async def work_off(course: Course) -> None:
    """Until no TODO is left that could be begun. What has failed stays so, and those that wait for it stay open."""
    works: dict[str, Work] = {}
    kept = {lane.name: lane for lane in course.lanes}
    async with course.run.lanes(course.settings.parallel) as lanes:
        try:
            while True:
                await read_plan(course)
                await _dispatch(course, lanes, works, kept)
                if lanes.busy:
                    await _land(course, lanes, works, await lanes.first())
                elif not ready(course):
                    break
        finally:
            _remember(course, works)
    course.lanes = ()
    await _record(course, works)


# --- beginning ------------------------------------------------------------------------------------------------------


def ready(course: Course) -> list[Todo]:
    """What can be begun. A tick that nobody measured is an open box, and opens nothing behind it."""
    plan = course.plan
    for todo in plan.todos:
        if todo.state == DONE and todo.number not in course.verified:
            todo.state = OPEN
    found = [plan.todo(number) for number in graph.ready(plan)]
    return [todo for todo in found if todo is not None and not unapproved(course, todo)]


async def _dispatch(course: Course, lanes: Lanes, works: dict[str, Work], kept: dict[str, LaneState]) -> None:
    claimed = {todo.number for todo in course.plan.todos if todo.state == DONE} - course.verified
    course.verified &= {todo.number for todo in course.plan.todos if todo.state == DONE}
    for todo in ready(course):
        if not lanes.free:
            break
        if f"todo-{todo.number}" in works or _overlaps(todo, [each.todo for each in works.values()]):
            continue
        work = _taken_up(course, todo, kept.pop(f"todo-{todo.number}", None))
        works[work.lane] = work
        if todo.number in claimed:
            await course.warn(course.word("todo.claim", number=todo.number))
            await _measure(course, lanes, works, work)
        elif work.stage == "check":
            await _measure(course, lanes, works, work)
        else:
            _hand_out(course, lanes, work)
    await _record(course, works)


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
    return tuple(each.path for each in named_paths(todo.description) if not each.path.startswith(DOCUMENT_FOLDERS))


def _hand_out(course: Course, lanes: Lanes, work: Work) -> None:
    todo = work.todo
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
    work.stage = "work"
    lanes.ask(work.lane, work.run, asked, WorkerForm(todo.id))


# --- landing --------------------------------------------------------------------------------------------------------


async def _land(course: Course, lanes: Lanes, works: dict[str, Work], landed: Landed) -> None:
    work = works[landed.lane]
    if isinstance(landed.failure, BudgetSpent):
        raise landed.failure
    if landed.failure is not None and (work.stage != "commits" or landed.failure.outcome in FATAL):
        await _failed_teammate(course, lanes, works, work, landed.failure)
        return
    match work.stage:
        case "work":
            work.reply = landed.value
            await _keep(course, work)
            await _measure(course, lanes, works, work)
        case "check":
            await _judge(course, lanes, works, work, landed.value)
        case _:
            work.commits = () if landed.failure else landed.value
            await _bring_in(course, lanes, works, work)


async def _failed_teammate(
    course: Course, lanes: Lanes, works: dict[str, Work], work: Work, failure: TeammateFailed
) -> None:
    """A crash, a hang, a change outside the scope: the TODO's failure, unless nobody could do better (G-41)."""
    if failure.outcome in FATAL:
        raise failure
    await _reconcile(course, lanes, works, work, f"The worker before you did not finish: {failure}")


async def _measure(course: Course, lanes: Lanes, works: dict[str, Work], work: Work) -> None:
    work.stage = "check"
    goals = [goal_of(command) for command in commands_of(course, work.todo)]
    if goals:
        lanes.check(work.lane, work.run, goals)
    else:  # nothing but what users and people judge, later
        await _judge(course, lanes, works, work, ())


async def _judge(
    course: Course, lanes: Lanes, works: dict[str, Work], work: Work, results: tuple[CheckResult, ...]
) -> None:
    failing = [result for result in results if result.verdict.blocks]
    claimed = str(work.reply.get("status", "PASS"))
    if failing and claimed == "PASS" and work.reply:
        reasons = [f"{result.goal}: {result.reason}" for result in failing]
        await course.run.say("claim_refused", name=work.name, iteration=work.attempt + 1, reasons=reasons)
    if failing or claimed != "PASS":
        await _reconcile(course, lanes, works, work, feedback_of(failing, work.reply))
        return
    changes = await work.run.changes(since=work.run.began)
    work.files = tuple(change.path for change in changes)
    if not work.files:
        await _done(course, works, work)
        return
    work.stage = "commits"
    summary = str(mapping(work.reply.get("outputs")).get("summary", ""))
    asked = commits_asked(course, f"git-master-{work.todo.number}", written_todo(work.todo), changes, summary)
    lanes.ask(work.lane, work.run, *asked)


def feedback_of(failing: list[CheckResult], reply: dict[str, Any]) -> str:
    parts = [f"$ {result.goal}\n{result.reason}\n{result.shown(SHOWN_OUTPUT)}".strip() for result in failing]
    if not failing:
        left = "; ".join(map(str, listing(reply.get("issues")))) or "it did not say what is left"
        parts.append(f"The worker before you said {reply.get('status')}: {left}")
    return "\n\n".join(parts)


async def _bring_in(course: Course, lanes: Lanes, works: dict[str, Work], work: Work) -> None:
    """Merge, commit, measure again where others were merged meanwhile, tick."""
    if not work.todo.is_like(course.plan.todo(work.todo.number)):
        del works[work.lane]
        await course.warn(course.word("todo.gone", number=work.todo.number, title=work.todo.title))
        await _record(course, works)
        return
    merged = await course.run.merge([work.run])
    if merged.left:
        told = (
            f"Your predecessor's work does not fit what others have done meanwhile, in: {', '.join(merged.conflicts)}"
        )
        work.run = course.run.branch(work.lane)
        await _reconcile(course, lanes, works, work, told)
        return
    # Before it is measured together with the rest: what is in the run's files is told by a commit of its own.
    await commit(course, work.commits, work.files, work.todo.title, str(work.todo.description))
    if merged.tree != work.run.tree:
        results = await course.run.check_all([goal_of(command) for command in commands_of(course, work.todo)])
        if failing := [result for result in results if result.verdict.blocks]:
            told = "It passes alone, and fails together with what others have done meanwhile.\n\n"
            work.run = course.run.branch(work.lane)
            await _reconcile(course, lanes, works, work, told + feedback_of(failing, work.reply))
            return
    await _done(course, works, work)


async def _done(course: Course, works: dict[str, Work], work: Work) -> None:
    del works[work.lane]
    await set_box(course, work.todo, DONE)
    # What is not recorded here is recorded with whoever is begun next.
    if found := [str(each) for each in listing(work.reply.get("discoveries"))]:
        await _record(course, works)
        await discoveries(course, work.todo, found)


async def _reconcile(course: Course, lanes: Lanes, works: dict[str, Work], work: Work, feedback: str) -> None:
    """A new worker on what the one before left, told what was measured; after the last one the TODO has failed."""
    work.attempt += 1
    work.feedback = feedback
    if work.attempt > course.settings.reconciliations:
        del works[work.lane]
        await set_box(course, work.todo, FAILED)
        await course.warn(course.word("todo.failed", number=work.todo.number, count=work.attempt))
        await _record(course, works)
        return
    await course.run.say("reconciliation", todo=work.todo.id, attempt=work.attempt, reason=feedback[:400])
    _hand_out(course, lanes, work)
    await _record(course, works)


# --- records --------------------------------------------------------------------------------------------------------


def _remember(course: Course, works: dict[str, Work]) -> None:
    """Where workers stand whose work is not in the run's files yet."""
    course.lanes = tuple(
        LaneState(work.lane, work.run.began, work.run.tree, work.attempt, work.stage != "work")
        for work in works.values()
    )


async def _record(course: Course, works: dict[str, Work]) -> None:
    """Where the sprint stands, if that is not what the file says already: every write is a step of its own, and while
    it is made no lane goes on."""
    _remember(course, works)
    count(course, len(works))
    if course.standing != course.recorded:
        await course.record()


async def _keep(course: Course, work: Work) -> None:
    await keep_output(course, {**work.reply, "todo_id": work.todo.id, "attempt": work.attempt})


async def keep_output(course: Course, reply: dict[str, Any]) -> None:
    """The worker's result with all others, and what it learned (C-39)."""

    def append(before: str | None) -> str:
        try:
            there = listing(json.loads(before or "[]"))
        except ValueError:
            there = []
        kept = there if reply in there else [*there, reply]  # a step that is repeated after a kill adds it once
        return json.dumps(kept, ensure_ascii=False, indent=1) + "\n"

    await course.run.amend(OUTPUTS_PATH, append)
    for kind in NOTES:
        entries = [one_line(str(each)) for each in listing(reply.get(kind)) if str(each).strip()]
        if entries:
            await course.run.amend(notes_path(kind), _adding(kind, entries))


def _adding(kind: str, entries: list[str]) -> Callable[[str | None], str]:
    def change(before: str | None) -> str:
        return added(before or "", KEPT[kind], entries)

    return change
