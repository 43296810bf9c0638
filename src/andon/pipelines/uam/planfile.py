"""PLAN.md on the way: read with people's edits before every step, its boxes set, its commands as they were approved."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from andon.domain.order import Question
from andon.domain.uam import commands, graph, plan
from andon.domain.uam.artefacts import PLAN_AT_ROOT, PLAN_PATH
from andon.domain.uam.plan import Plan, Todo
from andon.domain.uam.state import counted, listing
from andon.pipelines.uam.course import Approved, Course


async def read_plan(course: Course) -> Plan:
    """The plan as it stands there now. What a person broke is told with its line, and stays as they wrote it."""
    text, found, wrong = await _as_it_stands(course)
    while wrong and not course.plan.todos:  # there is no earlier one to go on with
        asked = course.word("plan.stuck", problem=wrong[0])
        await course.run.hold(Question(asked, options=(course.word("plan.mended"),), category="plan"))
        text, found, wrong = await _as_it_stands(course)
    course.broken = wrong[0] if wrong else ""
    if wrong:
        await _tell(course, wrong)
        for todo in course.plan.todos:
            there = found.todo(todo.number)
            todo.state = there.state if there and todo.is_like(there) else todo.state
        return course.plan
    if course.approved.todos:
        await _approve_changed(course, found)
    others = (todo.number for todo in course.plan.todos if not todo.is_like(found.todo(todo.number)))
    course.verified -= frozenset(others)
    course.plan, course.plan_text = found, text
    return found


async def _instead(course: Course) -> str:
    """The one at the root, where a person keeps it there (X-29); else the last that was read, again."""
    if not course.plan_text:
        return await course.run.read(PLAN_AT_ROOT) or ""
    await course.warn(course.word("plan.gone"))
    await course.run.write(PLAN_PATH, course.plan_text, state=True)
    return course.plan_text


async def _tell(course: Course, problems: Sequence[str]) -> None:
    for problem in problems:
        if problem not in course.told_problems:
            course.told_problems |= {problem}
            await course.warn(course.word("plan.broken", problem=problem))


async def _as_it_stands(course: Course) -> tuple[str, Plan, list[str]]:
    text = await course.run.read(PLAN_PATH)
    if text is None:
        text = await _instead(course)
    found = plan.parse(text)
    return text, found, [repr(each) for each in (*found.problems, *graph.cycles(found), *found.unrunnable)]


async def write_plan(course: Course, text: str) -> None:
    await course.run.write(PLAN_PATH, text, state=True)
    course.plan, course.plan_text = plan.parse(text), text


# --- commands -------------------------------------------------------------------------------------------------------


def as_approved(found: Plan) -> Approved:
    todos = {todo.number: commands.of_todo(todo) for todo in found.todos}
    return Approved(todos, {tier: tuple(told) for tier, told in commands.tiers(found).items()})


async def approve(course: Course) -> None:
    """From now on these commands are what is run, whatever becomes of the file."""
    course.approved = as_approved(course.plan)
    await course.run.say("plan_approved", path=PLAN_PATH, graph=_drawn(course.plan), **course.approved.as_json())


def _drawn(found: Plan) -> list[dict[str, Any]]:
    """The TODOs as screens draw them: which comes after which, and how each stands now."""
    return [
        {"number": todo.number, "title": todo.title, "after": list(todo.dependencies), "box": todo.state}
        for todo in found.todos
    ]


async def _approve_changed(course: Course, found: Plan) -> None:
    """Other commands than those approved need a person's word; until then the old ones are run."""
    now = as_approved(found)
    added, gone = sorted(now.all - course.approved.all), sorted(course.approved.all - now.all)
    changes = ", ".join([*(f"+ `{each}`" for each in added), *(f"- `{each}`" for each in gone)])
    if not changes or changes in course.told_problems:
        return
    course.told_problems |= {changes}
    yes, no = course.word("plan.approve"), course.word("plan.keep")
    text = course.word("plan.commands", changes=changes)
    asked = Question(text, (yes, no), default=no, timeout=course.settings.direction_seconds, category="approval")
    if await course.run.hold(asked) == yes:
        course.approved = now
        await course.run.say("plan_approved", path=PLAN_PATH, graph=_drawn(found), **now.as_json())
    for todo in found.todos:
        if unapproved(course, todo):
            await course.warn(course.word("todo.unapproved", number=todo.number))


def commands_of(course: Course, todo: Todo) -> tuple[str, ...]:
    """Its own where all of them are approved, whatever its number is by now; else those approved for that number."""
    own = commands.of_todo(todo)
    if own and course.approved.all.issuperset(own):
        return own
    return course.approved.todos.get(todo.number, ())


def unapproved(course: Course, todo: Todo) -> bool:
    """It came later, with commands nobody has approved: nothing could be measured of it."""
    return bool(todo.commands()) and not commands_of(course, todo)


# --- boxes ----------------------------------------------------------------------------------------------------------


async def set_boxes(course: Course, todos: Sequence[Todo], box: str) -> None:
    """Their boxes, in the text as it is at that moment, where it has these very TODOs still."""
    verified = course.verified

    def change(text: str | None) -> str | None:
        after, found = text or "", plan.parse(text or "")
        for todo in todos:
            if todo.is_like(found.todo(todo.number)):
                with suppress(ValueError):
                    after = plan.marked(after, todo.number, box, claimed=todo.number not in verified)
        return after if after != text else None

    text = await course.run.amend(PLAN_PATH, change) or ""
    there = plan.parse(text)
    for todo in todos:
        found = there.todo(todo.number)
        if found is None or found.state != box or not todo.is_like(found):
            await course.warn(course.word("todo.unmarked", number=todo.number, title=todo.title))
        if (known := course.plan.todo(todo.number)) is not None and todo.is_like(known):
            known.state = box
            course.verified |= {todo.number} if box == plan.DONE else frozenset()
    course.plan_text = text or course.plan_text
    told = [{"number": todo.number, "box": box, "title": todo.title} for todo in todos]
    await course.run.say_each("todo", told)


def count(course: Course, under_way: int) -> None:
    """The numbers of state.json are PLAN.md's (C-03)."""
    states = [todo.state for todo in course.plan.todos]
    counts = (states.count(plan.OPEN), states.count(plan.DONE), states.count(plan.FAILED))
    course.state = counted(course.state, counts)
    course.change(sprint_status={**course.state["sprint_status"], "in_progress_todos": under_way})


async def add_todo(course: Course, title: str, like: Todo) -> None:
    """One more TODO behind all others, judged as the one it came from."""
    number = max(todo.number for todo in course.plan.todos) + 1
    told = [f"[A] `{command}`" for command in commands_of(course, like)]
    told += [f"[{each.kind}] {each.text}" for each in like.criteria if each.kind != "A"]
    criteria = "\n".join(f"  - {each}" for each in told)
    text = (
        f"### [ ] TODO {number}: {title}\n- Description: {title}\n- Dependencies: {like.id}\n- Risk: {like.risk}\n"
        f"- Estimated complexity: S\n- Acceptance Criteria:\n{criteria}\n"
    )
    approved = {**course.approved.todos, number: commands_of(course, like)}
    course.approved = replace(course.approved, todos=approved)
    course.change(discovered=[*listing(course.state.get("discovered")), number])

    def change(before: str | None) -> str | None:
        head, mark, tail = (before or "").partition("## Test Strategy")
        return f"{head.rstrip()}\n\n{text}\n{mark}{tail}" if f"TODO {number}:" not in (before or "") else None

    await course.run.amend(PLAN_PATH, change)
    await course.run.say("todo_added", number=number, title=title, after=[like.number])
