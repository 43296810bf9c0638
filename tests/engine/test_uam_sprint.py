"""What people and agents do to PLAN.md while its TODOs are worked off, on a real engine with real agents and files."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from andon.domain.language import Language
from andon.domain.uam import agents, state
from andon.domain.uam.plan import Plan
from andon.domain.uam_settings import UamSettings
from andon.engine.run import DurableRun
from andon.pipelines.uam.course import Course
from andon.pipelines.uam.pipeline import phases
from andon.pipelines.uam.planfile import approve, read_plan, write_plan
from andon.pipelines.uam.planning import quick_plan
from andon.pipelines.uam.sprinting import mvp_sprint
from floor import Floor

PLAN = """# PLAN: notes

## Summary
Notes.

## Risk Assessment
- Overall: LOW
- Irreversible changes: none

## TODOs

{todos}
## Test Strategy
"""


def todo(
    number: int, *criteria: str, title: str = "", box: str = " ", after: str = "none", about: str = "A note."
) -> str:
    lines = "\n".join(f"  - {each}" for each in criteria)
    return (
        f"### [{box}] TODO {number}: {title or f'Note {number}'}\n- Description: {about}\n- Dependencies: {after}\n"
        f"- Risk: LOW\n- Estimated complexity: S\n- Acceptance Criteria:\n{lines}\n\n"
    )


def plan(*todos: str) -> str:
    return PLAN.format(todos="".join(todos))


def worker(number: int, *do: dict[str, Any], **told: Any) -> dict[str, Any]:
    reply = {"todo_id": f"TODO-{number}", "status": "PASS", "outputs": {"files_changed": [], "summary": "Did it."}}
    reply |= {"acceptance_criteria": [], "learnings": [], "issues": [], "decisions": [], **told}
    return {"match": {"name": f"worker-{number}*"}, "do": list(do), "reply": f"```json\n{json.dumps(reply)}\n```"}


def writing(number: int) -> dict[str, Any]:
    return worker(number, {"write": {"path": f"{number}.md", "text": "note\n"}})


def course_of(run: DurableRun, **settings: Any) -> Course:
    chosen = UamSettings(**{"direction_seconds": 0.0, "plan_seconds": 0.0, "reconciliations": 1, **settings})
    return Course(run, "Write notes", "notes", "full", Language.EN, chosen, 0.0)


Sprint = Callable[[Course], Awaitable[None]]


def sprint(floor: Floor, first: str, edit: Sprint, *rules: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """The boxes afterwards, when a plan was approved, edited, and worked off."""

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        course = course_of(run, **settings)
        await write_plan(course, first)
        await approve(course)
        await run.prepare()
        await edit(course)
        await mvp_sprint(course)
        return _boxes(await read_plan(course)) | {"verified": sorted(course.verified)}

    crashing = {"match": {"name": "git-master-*"}, "do": [{"crash": {}}]}
    return floor.play(pipeline, *rules, crashing)


def _boxes(found: Plan) -> dict[str, Any]:
    return {"boxes": {str(each.number): each.state for each in found.todos}}


def edited(floor: Floor, text: str) -> Sprint:
    async def by_hand(course: Course) -> None:
        (floor.repository / ".uam/PLAN.md").write_text(text)

    return by_hand


def test_C_04_a_todo_whose_commands_nobody_approved_is_not_begun_and_not_ticked(floor: Floor) -> None:
    one, two = todo(1, "[A] `test -f 1.md`"), todo(2, "[A] `test -f 2.md`")

    found = sprint(floor, plan(one), edited(floor, plan(one, two)), writing(1), worker(2))

    assert found["boxes"] == {"1": "x", "2": " "}
    assert any("TODO 2 is not begun" in each["text"] for each in floor.told("warning"))
    assert "worker-2" not in [each["name"] for each in floor.told("spawn")]


def test_C_29_a_tick_that_never_holds_ends_as_failed(floor: Floor) -> None:
    claimed = plan(todo(1, "[A] `false`", box="x"))

    found = sprint(floor, plan(todo(1, "[A] `false`")), edited(floor, claimed), worker(1))

    assert found == {"boxes": {"1": "FAILED"}, "verified": []}
    assert [each["name"] for each in floor.told("spawn")] == ["worker-1-r1"]


def test_C_29_another_todo_that_has_its_number_by_now_is_not_ticked_for_it(floor: Floor) -> None:
    one, two = todo(1, "[A] `test -f 1.md`"), todo(2, "[A] `test -f 2.md`", after="TODO-1")
    swapped = plan(todo(1, "[A] `test -f 2.md`", title="Note 2"), todo(2, "[A] `test -f 1.md`", title="Note 1"))
    write = {"write": {"path": str(floor.repository / ".uam/PLAN.md"), "text": swapped}}
    note = {"write": {"path": "1.md", "text": "note\n"}}
    renumbering = worker(1, write, note) | {"match": {"name": "worker-1", "call": 1}}

    others = [worker(number, {"write": {"path": f"{3 - number}.md", "text": "note\n"}}) for number in (1, 2)]

    found = sprint(floor, plan(one, two), edited(floor, plan(one, two)), renumbering, *others)

    assert any("TODO 1 (Note 1) is not in PLAN.md any more" in each["text"] for each in floor.told("warning"))
    ticked = {each["title"]: each["number"] for each in floor.told("todo")}
    assert found["boxes"] == {"1": "x", "2": "x"} and ticked == {"Note 2": 1, "Note 1": 2}


def test_C_20_a_discovery_is_one_more_todo_and_never_leads_to_the_next_for_ever(floor: Floor) -> None:
    only_for_users = plan(todo(1, "[S] somebody reads the note"))
    rules = [worker(number, discoveries=[f"One more than {number}"]) for number in range(1, 5)]

    found = sprint(floor, only_for_users, edited(floor, only_for_users), *rules)

    assert found["boxes"] == {"1": "x", "2": "x"}
    assert [each["decision"] for each in floor.told("discovery")] == ["queue", "defer"]


def test_C_26_a_plan_that_was_edited_while_the_run_was_stopped_is_asked_about_and_not_written_anew(
    floor: Floor,
) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        course = course_of(run)
        course.state = {"planned": True}
        (floor.repository / ".uam").mkdir()
        (floor.repository / ".uam/PLAN.md").write_text(plan(todo(1, "[A] `test -f mine.md`")))
        ended = await quick_plan(course)
        return {"ended": ended, "commands": sorted(course.approved.all), "planned": course.state["planned"]}

    found = floor.play(pipeline)

    assert found == {"ended": None, "commands": ["test -f mine.md"], "planned": False}
    assert floor.told("spawn") == [] and len(floor.told("hold_opened")) == 1


def test_C_60_what_was_measured_of_another_plan_proves_nothing_of_the_new_one(floor: Floor) -> None:
    # Given that TODO 1 of the plan before was done, and a person who ticks TODO 1 of the plan that replaces it
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        course = replace(course_of(run), verified=frozenset({1}))
        course.state = {"planned": True, "sprint_status": {}}
        (floor.repository / ".uam").mkdir()
        (floor.repository / ".uam/PLAN.md").write_text(plan(todo(1, "[A] `test -f 1.md`", box="x")))
        await quick_plan(course)
        await mvp_sprint(course)
        return _boxes(await read_plan(course)) | {"verified": sorted(course.verified)}

    found = floor.play(pipeline, writing(1))

    # Then the tick is a claim, which does not hold, and somebody does the work
    assert any("TODO 1 is ticked, but andon has not seen" in each["text"] for each in floor.told("warning"))
    assert [each["name"] for each in floor.told("spawn")] == ["worker-1-r1"]
    assert found == {"boxes": {"1": "x"}, "verified": [1]}


def test_C_03_a_todo_that_a_person_adds_while_the_gates_are_evaluated_is_done_before_the_end(floor: Floor) -> None:
    one, two = todo(1, "[A] `test -f a.txt`"), todo(2, "[A] `test -f a.txt`", title="Once more")

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        course = replace(course_of(run), kind="small")
        await write_plan(course, plan(one))
        await approve(course)
        await run.prepare()
        await mvp_sprint(course)
        (floor.repository / ".uam/PLAN.md").write_text(plan(one.replace("[ ]", "[x]"), two))
        ending = await phases(course, "phase3-gate")
        return {"status": ending.status, "reason": ending.reason} | _boxes(course.plan)

    found = floor.play(pipeline, writing(1), worker(2))

    assert found == {"status": "done", "reason": "goal_met", "boxes": {"1": "x", "2": "x"}}


def test_C_04_a_run_with_a_todo_that_nobody_may_begin_is_not_done(floor: Floor) -> None:
    one, two = todo(1, "[A] `test -f a.txt`"), todo(2, "[A] `test -f nothing`")

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        course = replace(course_of(run), kind="small")
        await write_plan(course, plan(one))
        await approve(course)
        await run.prepare()
        (floor.repository / ".uam/PLAN.md").write_text(plan(one, two))
        ending = await phases(course, "phase2-sprint")
        return {"status": ending.status, "reason": ending.reason, "message": ending.message}

    found = floor.play(pipeline, writing(1))

    assert (found["status"], found["reason"]) == ("needs_user", "open_todos") and "TODO-2" in found["message"]


def test_C_04_a_plan_without_any_command_is_not_measured_and_so_not_passed(floor: Floor) -> None:
    only_for_users = plan(todo(1, "[S] somebody reads the note"))

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        course = replace(course_of(run, small_fixes=1), kind="small")
        await write_plan(course, only_for_users)
        await approve(course)
        await run.prepare()
        ending = await phases(course, "phase2-sprint")
        return {"status": ending.status, "reason": ending.reason, "message": ending.message}

    found = floor.play(pipeline, writing(1))

    assert (found["status"], found["reason"]) == ("needs_user", "nothing_measured"), found
    # No loop of fixes is spent on it, and the machine is not blamed
    assert floor.told("fix_loop") == [] and "in PLAN.md, then `andon uam resume`" in found["message"]


def test_C_89_a_todo_that_names_no_command_is_told_with_its_line_and_not_forgotten(floor: Floor) -> None:
    # Given a person who adds a TODO whose [A] nobody can run, while the sprint is under way
    one, two = todo(1, "[A] `test -f 1.md`"), todo(2, "[A] it reads well", title="By hand")

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        course = replace(course_of(run), kind="small")
        await write_plan(course, plan(one))
        await approve(course)
        await run.prepare()
        (floor.repository / ".uam/PLAN.md").write_text(plan(one, two))
        ending = await phases(course, "phase2-sprint")
        return {"reason": ending.reason, "message": ending.message}

    found = floor.play(pipeline, writing(1), worker(2))

    # Then the line is told, the rest is built, the person's text stays, and what it asks for is not called done
    text = (floor.repository / ".uam/PLAN.md").read_text()
    at = next(number for number, line in enumerate(text.splitlines(), 1) if "it reads well" in line)
    wrong = f"line {at}: [A] names no command in backticks: it reads well"
    assert [each["text"] for each in floor.told("warning") if wrong in each["text"]] != []
    assert text == plan(one.replace("[ ]", "[x]"), two)
    assert found["reason"] == "plan_broken" and wrong in found["message"]


def test_C_20_a_discovery_that_nobody_could_judge_is_told_and_the_sprint_goes_on(floor: Floor) -> None:
    # Given pivot points, a worker that found something out, and a pm that crashes over it
    both = plan(todo(1, "[A] `test -f 1.md`"), todo(2, "[A] `test -f 2.md`", after="TODO-1"))
    finding = writing(1) | {"reply": worker(1, discoveries=["A cache would help"])["reply"]}

    async def with_points(course: Course) -> None:
        (floor.repository / ".uam/pivot-points.md").write_text("- [CONFIRMED] PP-1: No new dependency\n")

    found = sprint(floor, both, with_points, finding, writing(2), {"match": {"name": "pm-1"}, "do": [{"crash": {}}]})

    # Then it is told as not judged, decides nothing, and what waits behind that TODO is done
    [told] = [each["text"] for each in floor.told("warning") if "A cache would help" in each["text"]]
    assert told.startswith("What TODO-1 found could not be compared with the pivot points (")
    assert floor.told("discovery") == [] and found["boxes"] == {"1": "x", "2": "x"}


DIAGNOSIS = "".join(f"## {each}\nIt.\n" for each in agents.agent("uam-debugger").required)


@pytest.mark.parametrize(
    ("status", "box", "reason"),
    [("PASS", "x", "goal_met"), ("PARTIAL", "FAILED", "fix_limit"), ("crash", "FAILED", "fix_limit")],
    ids=["claimed", "unclaimed", "crashed"],
)
def test_C_29_G_28_a_failed_todo_that_nothing_measures_is_done_only_where_its_fixer_says_so(
    floor: Floor, status: str, box: str, reason: str
) -> None:
    # Given a TODO that has failed and that users alone will judge
    failed = plan(todo(1, "[A] `test -f a.txt`", box="x"), todo(2, "[S] somebody reads it", box="FAILED"))

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        course = replace(course_of(run, small_fixes=1), kind="small", verified=frozenset({1}))
        course.state = state.fresh("uam-1-notes", "")
        await write_plan(course, failed)
        await approve(course)
        await run.prepare()
        ending = await phases(course, "phase3-gate")
        return {"reason": ending.reason, "box": course.plan.todos[1].state}

    note = {"write": {"path": "more.md", "text": "note\n"}}
    fixer = worker(0, note, status=status) if status != "crash" else {"do": [{"crash": {}}]}
    rules = {"match": {"name": "debugger-*"}, "reply": DIAGNOSIS}, fixer | {"match": {"name": "fix-*"}}
    found = floor.play(pipeline, *rules)

    assert found == {"reason": reason, "box": box}
    assert len(floor.told("fix_loop")) == 1


@pytest.mark.parametrize(
    ("abouts", "parallel", "together"),
    [
        (("Write `1.md`.", "Write `2.md`."), 4, True),
        (("Write `1.md`.", "Write `2.md`."), 1, False),
        (("Write `1.md` and `both.md`.", "Write `2.md` and `both.md`."), 4, False),
        (("Write `1.md` and files in `notes/`.", "Write `2.md` and `notes/two.md`."), 4, False),
    ],
    ids=["apart", "cap", "one-file", "folder"],
)
def test_G_43_no_more_work_at_once_than_a_person_wants_and_nobody_where_another_writes(
    floor: Floor, abouts: tuple[str, str], parallel: int, together: bool
) -> None:
    both = plan(*(todo(n, f"[A] `test -f {n}.md`", about=about) for n, about in enumerate(abouts, start=1)))

    found = sprint(floor, both, edited(floor, both), writing(1), writing(2), parallel=parallel)

    events = [(e.kind, e.data.get("name")) for e in floor.store.journal.entries("r1") if e.kind in ("spawn", "result")]
    workers = [(kind, name) for kind, name in events if str(name).startswith("worker")]
    assert found["boxes"] == {"1": "x", "2": "x"}
    assert [kind for kind, _ in workers] == (
        ["spawn", "spawn", "result", "result"] if together else ["spawn", "result"] * 2
    )


def measured(floor: Floor) -> list[str]:
    return [each["goal"] for each in floor.told("check")]


def test_C_35_who_passes_together_is_measured_once(floor: Floor) -> None:
    three = plan(*(todo(number, f"[A] `test -f {number}.md`") for number in (1, 2, 3)))

    found = sprint(floor, three, edited(floor, three), *(writing(number) for number in (1, 2, 3)))

    assert found["boxes"] == {"1": "x", "2": "x", "3": "x"}
    assert sorted(measured(floor)) == [f"test -f {number}.md" for number in (1, 2, 3)]


def test_C_35_one_that_did_nothing_of_what_it_claims_keeps_nobody_else_out(floor: Floor) -> None:
    # Given a worker that claims a note it never wrote, beside two that wrote theirs
    three = plan(*(todo(number, f"[A] `test -f {number}.md`") for number in (1, 2, 3)))
    liar = worker(2, {"write": {"path": "other.md", "text": "note\n"}})

    found = sprint(floor, three, edited(floor, three), writing(1), liar, writing(3))

    # Then it is found out by its own command, on its own files, and the others are in
    assert found["boxes"] == {"1": "x", "2": "FAILED", "3": "x"}
    assert {each["name"] for each in floor.told("claim_refused")} == {"worker-2", "worker-2-r1"}
    merged = [each["names"] for each in floor.told("merged")]
    assert sorted(name for names in merged for name in names) == ["todo-1", "todo-3"]


def test_C_37_two_that_pass_alone_and_not_together_are_told_apart(floor: Floor) -> None:
    # Given two TODOs whose commands allow one note in the folder
    only = "[A] `sh -c 'test $(ls notes | wc -l) = 1'`"
    both = plan(todo(1, only), todo(2, only))
    rules = [worker(number, {"write": {"path": f"notes/{number}.md", "text": "note\n"}}) for number in (1, 2)]

    found = sprint(floor, both, edited(floor, both), *rules)

    # Then one of them is in, and the other is told that it passes alone
    assert sorted(found["boxes"].values()) == ["FAILED", "x"]
    [told] = {each["reason"].partition("\n")[0] for each in floor.told("reconciliation")}
    assert told.startswith("It passes alone, and fails together")
