"""Phase 5: learnings, the project's memory, what only people can confirm, the report, the branch (C-62 to C-68)."""

from __future__ import annotations

import json

from andon.domain.auto.artefacts import report_path
from andon.domain.money import in_dollars, used
from andon.domain.order import Question
from andon.domain.run import Ending, Status
from andon.domain.uam.artefacts import MEMORY_PATH, OUTPUTS_PATH, REPORT_PATH, learnings_path
from andon.domain.uam.knowledge import KEPT, added, collected, metrics, remembered
from andon.domain.uam.plan import DONE, FAILED
from andon.domain.uam.state import COMPLETED, FINALIZE, listing, mapping
from andon.pipelines.uam.course import Course
from andon.pipelines.uam.fixing import Way


async def finalize(course: Course, partial: Way | None = None) -> Ending:
    """`partial` says why not everything passes: then nothing is published, and all that is known is kept."""
    if not course.small:
        await course.enter(FINALIZE)
    async with course.run.phase(course.stretch("finalize")):
        await _learn(course)
        ending = await _confirmed(course) if partial is None else None
        if partial is not None:
            ending = Ending(Status.NEEDS_PERSON, partial.reason, partial.message)
        ending = ending or Ending(Status.DONE, "goal_met", _done(course))
        await _report(course, ending)
        course.change(current_phase=COMPLETED, partial=ending.reason if ending.status is not Status.DONE else None)
        await course.record()
        if ending.status is Status.DONE:
            await course.run.commit_part(_message(course))
            await course.run.publish()
        return ending


def _done(course: Course) -> str:
    if course.unreviewed:
        return course.word("ended.done_unreviewed", feature=course.feature, status=course.unreviewed)
    return course.word("ended.done", feature=course.feature)


def _message(course: Course) -> str:
    return f"docs: learnings and report of {course.feature}\n\nAndon-Run: {course.run.id}\n"


async def _learn(course: Course) -> None:
    """Four files that are committed, and what is of use to other features in the project's memory."""
    try:
        outputs = listing(json.loads(await course.run.read(OUTPUTS_PATH) or "[]"))
    except ValueError:
        outputs = []
    found = collected(outputs)
    for kind, title in KEPT.items():
        path = learnings_path(course.feature, kind)
        await course.run.write(
            path, added(await course.run.read(path) or "", f"{title}: {course.feature}", found[kind])
        )
    rates = mapping(course.state.get("convergence")).get("pass_rate_history", ())
    loops, results = int(course.state.get("fix_loop_count") or 0), mapping(course.state.get("gate_results"))
    shown = {name: value for name, value in results.items() if name.endswith("_passed")}
    text = metrics(course.feature, rates, loops, course.tokens, shown)
    await course.run.write(learnings_path(course.feature, "metrics"), text)
    await course.run.amend(MEMORY_PATH, lambda before: remembered(before or "", course.feature, found))


async def _confirmed(course: Course) -> Ending | None:
    """What only a person can judge waits for one, however long (C-66)."""
    for item in course.plan.for_people:
        yes, no = course.word("human.yes"), course.word("human.no")
        asked = Question(course.word("human.question", text=item), (yes, no), category="human")
        answer = await course.run.hold(asked)
        if answer != yes:
            said = item if answer == no else f"{item} ({answer})"
            return Ending(Status.NEEDS_PERSON, "rejected", course.word("ended.human", text=said))
    return None


# --- the report -----------------------------------------------------------------------------------------------------


async def _report(course: Course, ending: Ending) -> None:
    text = "\n".join(_lines(course, ending)) + "\n"
    await course.run.write(report_path(course.feature), text)
    await course.run.write(REPORT_PATH, text, state=True)


def _lines(course: Course, ending: Ending) -> list[str]:
    todos, results = course.plan.todos, mapping(course.state.get("gate_results"))
    rates = mapping(course.state.get("convergence")).get("pass_rate_history", ())
    done, failed = [t for t in todos if t.state == DONE], [t for t in todos if t.state == FAILED]
    total = used("total", course.run.team).usage
    rows = [f"| {todo.id} | {_box(todo.state)} | {todo.title} |" for todo in todos]
    return [
        f"# {course.feature}",
        "",
        ending.message,
        "",
        f"Task: {' '.join(course.task.split())}",
        "",
        f"- TODOs: {len(done)} done, {len(failed)} failed, {len(todos) - len(done) - len(failed)} open",
        f"- Gates: {_gates(course, results)}",
        f"- Pass rates: {', '.join(f'{round(100 * rate)}%' for rate in rates) or 'none measured'}",
        f"- Fix loops: {course.state.get('fix_loop_count', 0)}",
        f"- Tokens: {total.tokens:,}; cost: {in_dollars(total) or 'unknown'}",
        "",
        "| TODO | state | title |",
        "|---|---|---|",
        *rows,
        *_further(course),
        "",
        f"Run {course.run.id}.",
    ]


def _box(box: str) -> str:
    return {DONE: "done", FAILED: "failed"}.get(box, "open")


def _gates(course: Course, results: dict[str, object]) -> str:
    told = {True: "passed", False: "failed"}
    words = [f"{number} {told.get(results.get(f'gate{number}_passed'), 'not evaluated')}" for number in (1, 2, 3)]  # type: ignore[arg-type]
    if course.unreviewed:
        words[1] = f"2 review not performed ({course.unreviewed})"
    if course.small:
        words = words[:1]
    elif not course.plan.needs_scenarios:
        words[2] = "3 not required"
    return ", ".join(words)


def _further(course: Course) -> list[str]:
    """What is left, what was learned, what went otherwise than it should."""
    lines: list[str] = []
    if course.failures.gate:
        lines += ["", "## What does not pass", "", "```", course.failures.summary, "```"]
        lines += [f"- {finding.id}: {' '.join(finding.text.split())}" for finding in course.failures.findings]
    if course.accepted:
        lines += ["", "## Accepted by a person", ""]
        lines += [f"- {id}: {' '.join(reason.split())}" for id, reason in course.accepted.items()]
    if course.warnings:
        lines += ["", "## Warnings", "", *(f"- {' '.join(each.split())}" for each in course.warnings)]
    paths = ", ".join(f"`{learnings_path(course.feature, kind)}`" for kind in (*KEPT, "metrics"))
    return [*lines, "", f"Learnings, decisions, open issues and metrics: {paths}"]
