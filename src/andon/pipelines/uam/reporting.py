"""The completion report: TODOs, gates, pass rates, fix loops, what is left, what was learned (C-64)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andon.domain.money import in_dollars, used
from andon.domain.run import Ending
from andon.domain.uam.artefacts import learnings_path
from andon.domain.uam.knowledge import KEPT
from andon.domain.uam.plan import DONE, FAILED
from andon.domain.uam.state import mapping
from andon.pipelines.uam.course import Course

VERDICTS = {True: "passed", False: "failed"}


def report_lines(course: Course, ending: Ending) -> list[str]:
    word, todos = course.word, course.plan.todos
    states = [todo.state for todo in todos]
    done, failed = states.count(DONE), states.count(FAILED)
    rates = mapping(course.state.get("convergence")).get("pass_rate_history", ())
    told = ", ".join(f"{round(100 * rate)}%" for rate in rates) or word("report.unmeasured")
    total = used("total", course.run.team).usage
    lines = [
        *(f"# {course.feature}", "", ending.message, ""),
        word("report.task", task=" ".join(course.task.split())),
        "",
        word("report.todos", done=done, failed=failed, open=len(todos) - done - failed),
        word("report.gates", gates=_gates(course)),
        word("report.rates", rates=told),
        word("report.loops", count=course.state.get("fix_loop_count", 0)),
        word("report.cost", tokens=f"{total.tokens:,}", cost=in_dollars(total) or word("report.unknown")),
    ]
    if todos:
        rows = [f"| {todo.id} | {word(_BOX.get(todo.state, 'box.open'))} | {todo.title} |" for todo in todos]
        lines += ["", word("report.table"), "|---|---|---|", *rows]
    return [*lines, *_further(course), "", word("report.run", run=course.run.id)]


_BOX = {DONE: "box.done", FAILED: "box.failed"}


def _gates(course: Course) -> str:
    results: Mapping[str, Any] = mapping(course.state.get("gate_results"))
    words = [_gate(course, number, results.get(f"gate{number}_passed")) for number in (1, 2, 3)]
    if course.small:
        return words[0]
    if course.unreviewed:
        words[1] = course.word("report.unreviewed", status=course.unreviewed)
    if not course.plan.needs_scenarios:
        words[2] = course.word("report.not_required")
    return ", ".join(words)


def _gate(course: Course, number: int, passed: bool | None) -> str:
    told = "gate.unevaluated" if passed is None else f"gate.{VERDICTS[passed]}"
    return f"{number} {course.word(told)}"


def _further(course: Course) -> list[str]:
    """What is left, what a person accepted, what went otherwise than it should, and where the learnings are."""
    word, lines = course.word, list[str]()
    if course.failures.gate:
        lines += ["", word("report.left"), "", "```", course.failures.summary, "```"]
        lines += [f"- {finding.id}: {' '.join(finding.text.split())}" for finding in course.failures.findings]
        if course.approaches:
            lines += ["", word("report.tried"), "", *(f"- {each}" for each in course.approaches)]
    if course.accepted:
        lines += ["", word("report.accepted"), ""]
        lines += [f"- {id}: {' '.join(reason.split())}" for id, reason in course.accepted.items()]
    if course.warnings:
        lines += ["", word("report.warnings"), "", *(f"- {' '.join(each.split())}" for each in course.warnings)]
    paths = ", ".join(f"`{learnings_path(course.feature, kind)}`" for kind in (*KEPT, "metrics"))
    return [*lines, "", word("report.learnings", paths=paths)]
