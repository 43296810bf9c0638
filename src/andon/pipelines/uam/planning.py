"""Phase 1: explore side by side, rate the risk, write PLAN.md, ask once, freeze what is measured (C-23 to C-26)."""

from __future__ import annotations

from andon.domain.auto.status import moment
from andon.domain.order import Question
from andon.domain.run import Ending, Status, TeammateFailed
from andon.domain.uam import agents
from andon.domain.uam.artefacts import MEMORY_PATH, PIVOT_PATH, PLAN_PATH
from andon.domain.uam.pivots import read as read_points
from andon.domain.uam.plan import Todo
from andon.domain.uam.state import PLAN, SPRINT, mapping
from andon.pipelines.learning import learned_before
from andon.pipelines.uam.course import FATAL, Approved, Course
from andon.pipelines.uam.pivoting import tell_unread
from andon.pipelines.uam.planfile import approve, count, read_plan, write_plan
from andon.roles.uam_contracts import PlanForm, SectionsForm

NOTHING = "(nothing)"


async def quick_plan(course: Course) -> Ending | None:
    """Until a person, or the time that passes, lets the plan proceed. The state's `failed` is what a circuit breaker
    knows."""
    course.approved, course.verified = Approved(), frozenset()  # what was approved and measured is another plan's
    await course.enter(PLAN)
    replans = 0
    async with course.run.phase("plan"):
        while True:
            try:
                await (_go_on(course) if course.state.get("planned") else _write(course))
            except TeammateFailed as failure:
                if failure.outcome in FATAL:
                    raise
                return Ending(Status.FAILED, "plan_incomplete", course.word("ended.incomplete", failure=failure))
            choice = await _direction(course)
            if choice != "replan":
                break
            course.change(planned=False)
            replans += 1
            if replans > course.settings.replans:
                text = course.word("plan.replans", count=replans)
                await course.notify(text)
                return Ending(Status.NEEDS_PERSON, "replan_limit", text)
            unwanted = f"A person wants another plan than this one:\n{course.plan_text}"
            course.change(failed="\n\n".join(filter(None, (course.state.get("failed"), unwanted))))
        await settle(course)
    return None


async def settle(course: Course) -> None:
    """The plan stands: its commands are frozen, and so is what the project itself measures."""
    await approve(course)
    # As the base has them: what agents do to the project must not decide what is measured.
    await course.run.prepare(at_base=True)
    course.goals = await course.run.goals(None, False, at_base=True)
    course.change(
        planned=False, failed="", plan_approved=True, plan_approved_at=moment(course.run.moved_at), signatures=[]
    )
    # Pass rates of another plan's commands say nothing of this one's.
    told = mapping(course.state.get("convergence"))
    course.change(convergence={**told, "since": len(told.get("pass_rate_history", ()))})
    count(course, 0)
    await course.enter(SPRINT)


# --- the steps ------------------------------------------------------------------------------------------------------


async def _write(course: Course) -> None:
    known = {
        "memory": await course.run.read(MEMORY_PATH) or NOTHING,
        "pivots": await _pivots(course) or NOTHING,
        "failed": str(course.state.get("failed") or NOTHING),
    }
    analyses = await _explore(course, known)
    if not course.small:
        rated = course.assignment(
            agents.ANALYSIS, "tradeoff-analyzer", "tradeoff", raised=_raised(course), analyses=analyses, known=known
        )
        analyses += f"\n\n# tradeoff-analyzer\n\n{await course.run.ask(rated, _form(agents.ANALYSIS))}"
    asked = course.assignment(
        "uam-pm",
        "planner",
        "plan",
        raised=_raised(course),
        directed=True,
        analyses=analyses,
        learnings=await learned_before(course.run, course.task),
        known=known,
    )
    await write_plan(course, await course.run.ask(asked, PlanForm(points=_points(known["pivots"]))))
    course.change(planned=True)
    await course.record()


async def _pivots(course: Course) -> str:
    text = await course.run.read(PIVOT_PATH) or ""
    await tell_unread(course, text)
    return text


async def _go_on(course: Course) -> None:
    """With the plan that was written before the run was stopped, as a person may have edited it since."""
    await read_plan(course)
    if course.direction:
        await _revise(course, course.direction)


async def _explore(course: Course, known: dict[str, str]) -> str:
    """Everyone of Step 1 at once; of the small pipeline only who knows the code."""
    names = agents.MANDATORY[:1] if course.small else agents.explorers(course.task)
    works = [
        (
            course.run,
            course.assignment(
                name,
                name.removeprefix("uam-"),
                "analyse",
                raised=_raised(course) if name == "uam-pm" else None,
                role_text=agents.agent(name).role,
                known=known,
            ),
            _form(name),
        )
        for name in names
    ]
    told = await course.run.ask_all(works)
    return "\n\n".join(f"# {name.removeprefix('uam-')}\n\n{text}" for name, text in zip(names, told, strict=True))


def _form(agent: str) -> SectionsForm:
    return SectionsForm(agents.agent(agent).required)


def _points(pivots: str) -> tuple[str, ...]:
    return tuple(point.id for point in read_points(pivots))


def _raised(course: Course) -> dict[str, bool]:
    return {"ambiguous": agents.is_ambiguous(course.task), "system_wide": agents.is_system_wide(course.task)}


# --- the question ---------------------------------------------------------------------------------------------------


def _shown(course: Course) -> str:
    """The plan in a few lines, for whoever is asked about it."""
    rows = [f"[{todo.state}] TODO {todo.number}: {todo.title}{_after(todo)}" for todo in course.plan.todos]
    return "\n".join((f"{PLAN_PATH}: {course.plan.summary}", *(f"    {row}" for row in rows)))


def _after(todo: Todo) -> str:
    names = ", ".join(f"TODO-{number}" for number in todo.dependencies)
    return f"  (after {names})" if names else ""


async def _direction(course: Course) -> str:
    """proceed or replan; a wish for changes is carried out and asked about again (C-26)."""
    while True:
        await course.run.say("notice", text=_shown(course))
        words = {choice: course.word(f"plan.{choice}") for choice in ("proceed", "change", "replan")}
        text = course.word("plan.question", todos=len(course.plan.todos), risk=course.plan.risk or "-", path=PLAN_PATH)
        asked = Question(
            text,
            tuple(words.values()),
            default=words["proceed"],
            timeout=course.settings.plan_seconds,
            category="plan",
        )
        answer = await course.run.hold(asked)
        choice = next((choice for choice, word in words.items() if word == answer), "change")
        if choice != "change":
            await read_plan(course)  # a person may have edited it instead of answering
            return choice
        # Who answered in words of their own has said already what they want.
        wish = answer if answer != words["change"] else await course.run.hold(Question(course.word("plan.wish")))
        await _revise(course, wish)


async def _revise(course: Course, wish: str) -> None:
    asked = course.assignment("uam-pm", "planner", "plan-revise", directed=True, plan=course.plan_text, wish=wish)
    pivots = await course.run.read(PIVOT_PATH) or ""
    await write_plan(course, await course.run.ask(asked, PlanForm(points=_points(pivots))))
