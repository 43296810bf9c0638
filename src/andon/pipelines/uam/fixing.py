"""Phase 4: one fix loop at a time: diagnose, mend, and back to the gates, or back to planning (C-51 to C-61).

Whether it leads anywhere is told by the pass rates that andon measured, never by who fixes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.status import moment
from andon.domain.order import Question
from andon.domain.run import BudgetSpent, Stopped, TeammateFailed
from andon.domain.uam import agents, convergence, state
from andon.domain.uam.artefacts import ATTEMPTS_PATH, iteration_path
from andon.domain.uam.convergence import REPLAN, RESET
from andon.domain.uam.plan import DONE, FAILED
from andon.domain.uam.state import FIX, mapping
from andon.pipelines.commands import goal_of
from andon.pipelines.uam.committing import commits_asked, parts
from andon.pipelines.uam.course import FATAL, Course
from andon.pipelines.uam.outputs import keep_outputs
from andon.pipelines.uam.planfile import commands_of, count, read_plan, set_boxes
from andon.pipelines.uam.sprinting import work_off
from andon.roles.uam_contracts import SectionsForm, WorkerForm

GATES, PLANNING, ENOUGH = "gates", "planning", "enough"
FIXES = "TODO-0"
"""What a worker's result is about that mends no single TODO."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where to go after a fix loop, and why, where that is not back to the gates."""

    to: str
    reason: str = ""
    message: str = ""


async def fix(course: Course) -> Way:
    """One iteration."""
    if not course.small:
        await course.enter(FIX)
    async with course.run.phase(course.stretch("fix")):
        if enough := await _enough(course):
            return enough
        number = int(course.state.get("fix_loop_count") or 0) + 1
        course.change(fix_loop_count=number)
        chosen = _strategy(course)
        await _begin(course, number, chosen)
        if chosen == REPLAN and not course.small:
            await _metrics(course, number, 0, 0.0)
            return Way(PLANNING)
        await _iterate(course, number, chosen)
        return Way(GATES)


async def _enough(course: Course) -> Way | None:
    """Limits first, then the person, where they want to be asked (C-54, C-55)."""
    done, settings = int(course.state.get("fix_loop_count") or 0), course.settings
    if done >= course.most_fixes:
        return Way(ENOUGH, "fix_limit", course.word("ended.loops", count=done))
    used = course.tokens - course.used_before
    if used >= settings.total_tokens:
        text = course.word("ended.tokens", tokens=f"{used:,}", most=f"{settings.total_tokens:,}")
        await course.warn(text)
        return Way(ENOUGH, "token_limit", text)
    if not settings.ask_each_loop or course.small:
        return None
    words = {choice: course.word(f"loop.{choice}") for choice in ("continue", "direction", "finish")}
    text = course.word("loop.question", count=done + 1, rate=round(100 * course.failures.rate))
    asked = Question(
        text,
        tuple(words.values()),
        default=words["continue"],
        timeout=settings.direction_seconds,
        category="direction",
    )
    answer = await course.run.hold(asked)
    if answer == words["direction"]:
        return Way(PLANNING)
    if answer == words["finish"]:
        return Way(ENOUGH, "finished_by_person", course.word("ended.finished"))
    return None


def _strategy(course: Course) -> str:
    """What the failure pattern asks for. Pass rates speak of tests: an objection of a reviewer has none."""
    failures = course.failures
    seen = [*course.state.get("signatures", ()), failures.signature]
    course.change(signatures=seen)
    same = _trailing(seen)
    rates = rates_of(course)
    if failures.gate != 1 or not failures.tests:
        return convergence.strategy(1, 2, same, ())
    return convergence.strategy(len(failures.tests), failures.total, same, rates)


def rates_of(course: Course) -> list[float]:
    """Pass rates since the plan was approved that is carried out now."""
    told = mapping(course.state.get("convergence"))
    return [*told.get("pass_rate_history", ())][int(told.get("since") or 0) :]


def _trailing(seen: list[str]) -> int:
    """How many times in a row the last was the same."""
    return next((at for at, each in enumerate(reversed(seen)) if each != seen[-1]), len(seen))


# --- one iteration --------------------------------------------------------------------------------------------------


async def _iterate(course: Course, number: int, chosen: str) -> None:
    """What it used is told on every way out that lets andon write. One that does not come to its end is made again by
    who resumes the run, and is not counted."""
    before, began = course.tokens, course.run.moved_at
    try:
        told = await _to_its_end(course, number, chosen)
    except (Stopped, BudgetSpent, TeammateFailed):
        course.change(fix_loop_count=number - 1, signatures=course.state["signatures"][:-1])
        await course.run.say("fix_loop_ended", number=number, stopped=True)
        await _metrics(course, number, course.tokens - before, course.run.moved_at - began, stopped=True)
        raise
    await course.run.say("fix_loop_ended", number=number, **told)
    await _metrics(course, number, course.tokens - before, course.run.moved_at - began)


async def _to_its_end(course: Course, number: int, chosen: str) -> dict[str, Any]:
    """The files it changed, and why it was given up, if it was."""
    before, tree = course.tokens, course.run.tree
    claimed, given_up = False, ""
    try:
        diagnosis = await _diagnose(course, number, chosen)
        claimed = await _mend(course, number, chosen, diagnosis, before)
    except TeammateFailed as failure:
        if failure.outcome in FATAL:
            raise
        # A loop that used up what it may, or whose agent failed, is given up; the next one tries.
        given_up = str(failure)
        await course.warn(course.word("loop.aborted", count=number, reason=failure))
    title = f"Fix what gate {course.failures.gate} found"
    changed = await commit_fix(course, f"git-master-fix-{number}", title, tree)
    await _mend_boxes(course, claimed)
    return {"changed": list(changed), "given_up": given_up}


async def _diagnose(course: Course, number: int, chosen: str) -> str:
    """The debugger first: who mends is told the cause (C-52)."""
    rates = rates_of(course)
    stagnating = convergence.trend(rates) == convergence.STAGNATING
    asked = course.assignment(
        "uam-debugger",
        f"debugger-{number}",
        "debug",
        raised={"same_error": _trailing(course.state["signatures"]), "stagnating": stagnating and chosen == RESET},
        tokens=course.settings.iteration_tokens,
        summary=course.failures.summary,
        output=course.failures.output or "(nothing was printed)",
        plan=course.plan_text,
    )
    diagnosis = await course.run.ask(asked, SectionsForm(agents.agent("uam-debugger").required))
    await course.run.say("message", recipient="lead", sender=f"debugger-{number}", content=diagnosis)
    return diagnosis


async def _mend(course: Course, number: int, chosen: str, diagnosis: str, before: int) -> bool:
    """In the session that knows what it did; after a reset in a new one, which must try something else (C-58, C-59).
    Whether the worker says that it is mended."""
    about = f"{course.failures.signature} {course.task}"
    agent = agents.worker_for(about)
    name = f"fix-{agent.removeprefix('uam-')}"
    same = chosen != RESET and course.fixing == name
    asked = course.assignment(
        agent,
        name,
        "fix-anew" if chosen == RESET else "fix",
        writes=(".",),
        continues=same,
        tokens=max(1, course.settings.iteration_tokens - (course.tokens - before)),
        directed=True,
        summary=course.failures.summary,
        failing=", ".join(name for name, _, _ in course.failures.tests) or "see the summary",
        reasons="\n".join(course.failures.texts) or "(nothing besides)",
        diagnosis=diagnosis,
        plan=course.plan_text,
        approaches="\n".join(f"- {each}" for each in course.approaches) or "(none)",
    )
    course.fixing = name
    reply = await course.run.ask(asked, WorkerForm(FIXES))
    summary = str(mapping(reply.get("outputs")).get("summary", ""))
    course.approaches = (*course.approaches, f"loop {number}: {' '.join(summary.split())[:300]}")
    await keep_outputs(course, [{**reply, "todo_id": FIXES, "fix_loop": number}])
    return reply["status"] == "PASS"


async def commit_fix(course: Course, name: str, title: str, tree: str) -> tuple[str, ...]:
    """What changed since that tree, in the project's style; the paths of it."""
    changes = [each for each in await course.run.changes(since=tree) if not each.path.startswith(DOCUMENT_FOLDERS)]
    if not changes:
        return ()
    files = tuple(change.path for change in changes)
    try:  # the plan does not say what this is
        proposed = await course.run.ask(*commits_asked(course, name, title, changes, course.failures.summary))
    except TeammateFailed as failure:
        if failure.outcome in FATAL:
            raise
        proposed = ()
    reason = course.approaches[-1] if course.approaches else ""
    await course.run.commit_parts(parts(course, proposed, files, title, reason, "fix"))
    return files


async def _mend_boxes(course: Course, claimed: bool) -> None:
    """A TODO that had failed is done when its commands pass now, or, where only users and people judge it, when a
    worker says so; what waited for it is worked off (C-29)."""
    await read_plan(course)
    failed = [todo for todo in course.plan.todos if todo.state == FAILED]
    for todo in failed:
        if not claimed and not commands_of(course, todo):
            continue
        results = await course.run.check_all([goal_of(command) for command in commands_of(course, todo)])
        course.known = (*course.known, *results)
        if not any(result.verdict.blocks for result in results):
            await set_boxes(course, [todo], DONE)
    await work_off(course)
    count(course, 0)


# --- records --------------------------------------------------------------------------------------------------------


async def _begin(course: Course, number: int, chosen: str) -> None:
    """`.uam/fix-loop/iteration-NNN/` (C-56), and the attempts that a circuit breaker hands on (C-60)."""
    failures = course.failures
    trend = convergence.trend(rates_of(course))
    await course.run.say(
        "fix_loop", number=number, strategy=chosen, trend=trend, rate=failures.rate, gate=failures.gate
    )
    await course.record()
    await course.run.write(iteration_path(number, "failure_summary.txt"), f"{failures.summary}\n", state=True)
    told = {
        "gate": failures.gate,
        "strategy": chosen,
        "trend": trend,
        "same_error": _trailing(course.state["signatures"]),
    }
    told |= {"failing": [list(each) for each in failures.tests], "reasons": list(failures.texts)}
    await course.run.write(iteration_path(number, "verdict.json"), _json(told), state=True)
    if chosen == REPLAN:
        await course.run.write(iteration_path(number, "PLAN.md"), course.plan_text, state=True)
        await keep_attempt(
            course, f"Fix loop {number}: circuit breaker", f"{failures.summary}\n\n{failed_so_far(course)}"
        )


def failed_so_far(course: Course) -> str:
    return (
        "\n".join(("Tried:", *(f"- {each}" for each in course.approaches)))
        if course.approaches
        else "Tried: nothing yet"
    )


async def keep_attempt(course: Course, title: str, text: str) -> None:
    """One more section of `.uam/bugfix-attempts.md`, once."""
    entry = f"## {title}\n\n{text.strip()}\n"

    def change(before: str | None) -> str | None:
        there = before or "# Attempts\n"
        return None if entry in there else f"{there.rstrip()}\n\n{entry}"

    await course.run.amend(ATTEMPTS_PATH, change)


async def _metrics(course: Course, number: int, tokens: int, seconds: float, *, stopped: bool = False) -> None:
    """With what the same loop had used before it was stopped."""
    path = iteration_path(number, "metrics.json")
    before, _ = state.read(await course.run.read(path) or "{}")
    if before.get("stopped"):
        tokens, seconds = tokens + int(before["tokens"]), seconds + float(before["seconds"])
    told: dict[str, Any] = {"tokens": tokens, "seconds": round(seconds, 1)}
    told |= {"pass_rate": round(course.failures.rate, 4), "ended_at": moment(course.run.moved_at)}
    told |= {"stopped": True} if stopped else {}
    await course.run.write(path, _json(told), state=True)


def _json(told: dict[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"
