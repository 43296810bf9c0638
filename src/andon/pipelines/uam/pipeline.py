"""`uam`: plan, sprint, gate, fix, finalize. Reads like the flow chart; the phases are in the modules beside it."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from andon.domain.auto.status import moment
from andon.domain.language import Language
from andon.domain.run import Ending, Status
from andon.domain.uam import state
from andon.domain.uam.artefacts import CONFIG_PATH, IGNORE_PATH
from andon.domain.uam.plan import OPEN
from andon.domain.uam.state import CANCELLED, COMPLETED, FINALIZE, FIX, GATE, PLAN, SPRINT
from andon.domain.uam.words import BUGFIX, ESTIMATES, FULL, SMALL
from andon.domain.uam_settings import UamSettings
from andon.pipelines.ending import ending_of
from andon.pipelines.uam.bugfixing import bugfix
from andon.pipelines.uam.committing import commit_meanwhile
from andon.pipelines.uam.course import Approved, Course, LaneState
from andon.pipelines.uam.failures import Failures
from andon.pipelines.uam.finalizing import finalize
from andon.pipelines.uam.fixing import ENOUGH, PLANNING, Way, failed_so_far, fix
from andon.pipelines.uam.gating import out_of_hand, quality_gate
from andon.pipelines.uam.learning import remember_run
from andon.pipelines.uam.pivoting import interview
from andon.pipelines.uam.planfile import approve, read_plan
from andon.pipelines.uam.planning import quick_plan
from andon.pipelines.uam.sprinting import mvp_sprint, ready
from andon.ports import Part, Run

PIVOT = "pivot"


async def uam(run: Run, payload: dict[str, Any]) -> Ending:
    """One leg of a run, from its frozen request to an ending. The team exists exactly as long as the leg."""
    course = _course(run, payload)
    options = payload["request"]["options"]
    await run.say("team_created", team=course.team, options=options)
    if course.kind == PIVOT:
        flow = interview(course, tuple(options.get("points") or ()))
    else:
        flow = _begun(course, payload, str(options.get("command") or ""))
    ending = await ending_of(course, flow, "andon uam resume")
    if course.kind != PIVOT and payload.get("learnings"):
        await remember_run(course, ending, payload.get("direction") or "")
    return await _close(course, ending)


def _course(run: Run, payload: dict[str, Any]) -> Course:
    options = payload["request"]["options"]
    settings: dict[str, Any] = payload.get("uam") or {}
    return Course(
        run=run,
        task=payload["request"]["task"],
        feature=payload["feature"],
        kind=options["pipeline"],
        language=Language(payload["language"]),
        settings=UamSettings(**settings),
        created_at=payload["created_at"],
        agent_seconds=payload.get("agent_seconds"),
        role_seconds=payload.get("role_seconds") or {},
        role_tiers=payload.get("role_tiers") or {},
        reviewers=tuple((name, bool(there)) for name, there in payload.get("reviewers") or ()),
        history=tuple(payload.get("history") or ()),
        accepted={each["id"]: each["reason"] for each in payload.get("accepted") or ()},
        direction=payload.get("direction") or "",
        warnings=tuple(payload.get("warnings") or ()),
        approved=Approved.read(payload.get("approved") or {}),
    )


# --- the flow -------------------------------------------------------------------------------------------------------


async def _begun(course: Course, payload: dict[str, Any], command: str) -> Ending:
    phase = await _take_up(course, payload) if payload.get("resume") else await _begin(course)
    if course.kind == BUGFIX:
        if ending := await bugfix(course, command):
            return ending
        course.kind = FULL
        course.change(pipeline=FULL, fix_loop_count=0, failed=failed_so_far(course))
        if await course.run.changes():  # so that no later commit has to tell of them
            await course.run.commit_parts([Part(f"Attempts: {course.task[:60]}\n\nAndon-Run: {course.run.id}\n")])
        phase = PLAN
    return await phases(course, phase)


async def phases(course: Course, phase: str) -> Ending:
    """P1 → P2 → P3, then P5 when every gate passes, else P4: back to P3, to P1, or to P5 when it is enough (C-21)."""
    partial: Way | None = None
    while True:
        match phase:
            case state.PLAN:
                if ending := await quick_plan(course):
                    return ending
                phase = SPRINT
            case state.SPRINT:
                await mvp_sprint(course)
                phase = GATE
            case state.GATE:
                failures = await _gates(course)
                if ending := out_of_hand(course):
                    await course.notify(ending.message)
                    return ending
                phase = FIX if failures.gate else SPRINT if ready(course) else FINALIZE
                partial = _left_open(course)
            case state.FIX:
                way = await fix(course)
                course.change(failed=f"{course.failures.summary}\n\n{failed_so_far(course)}")
                partial = way if way.to == ENOUGH else None
                phase = {ENOUGH: FINALIZE, PLANNING: PLAN}.get(way.to, GATE)
            case _:
                return await finalize(course, partial)


def _left_open(course: Course) -> Way | None:
    """Gates that pass are not enough while a TODO is open that nobody could begin, or that nobody could read."""
    if course.broken:
        return Way(ENOUGH, "plan_broken", course.word("ended.broken", problem=course.broken))
    left = ", ".join(todo.id for todo in course.plan.todos if todo.state == OPEN)
    return Way(ENOUGH, "open_todos", course.word("ended.open", todos=left)) if left else None


async def _gates(course: Course) -> Failures:
    """Where a person said what to do, that comes first: somebody has to be told."""
    if course.direction:
        course.failures = Failures(gate=2, texts=(course.direction,))
        return course.failures
    return await quality_gate(course)


# --- beginning and going on -----------------------------------------------------------------------------------------


async def _begin(course: Course) -> str:
    day = datetime.fromtimestamp(course.created_at, UTC).strftime("%Y%m%d")
    course.state = {
        **state.fresh(f"uam-{day}-{course.feature}", moment(course.created_at)),
        "current_phase": None,  # until the first is entered
        "max_fix_loops": course.most_fixes,
        "pipeline": course.kind,
        "driver": "andon",
        "run": course.run.id,
    }
    await course.run.mark(mode=course.kind.upper())
    await course.run.write(IGNORE_PATH, "*\n", state=True)
    await _keep_config(course)
    tokens = {"tokens": f"{ESTIMATES[course.kind]:,}", "most": f"{course.settings.total_tokens:,}"}
    await course.run.say("notice", text=course.word("estimate", kind=course.kind, **tokens))
    return PLAN


async def _keep_config(course: Course) -> None:
    """`.uam/config.json`: what is in force, for people and the plugin to read. andon follows its own settings."""
    settings = course.settings
    told = {
        "models": dict(course.role_tiers),
        "maturity_mode": settings.maturity_mode,
        "limits": {
            "max_fix_loops": course.most_fixes,
            "max_total_tokens": settings.total_tokens,
            "max_iteration_tokens": settings.iteration_tokens,
            "parallel": settings.parallel,
        },
    }
    await course.run.write(CONFIG_PATH, json.dumps(told, indent=1) + "\n", state=True)


async def _take_up(course: Course, payload: dict[str, Any]) -> str:
    """From the state file and PLAN.md as they are now, a person's edits included; what is measured is frozen again."""
    resumed: dict[str, Any] = payload["resume"]
    course.used_before = course.tokens
    course.state = state.resumed(resumed)
    course.change(driver="andon", run=course.run.id, pipeline=course.state.get("pipeline", course.kind))
    course.kind = course.state["pipeline"] if course.state["pipeline"] in (FULL, SMALL, BUGFIX) else course.kind
    course.verified = frozenset(number for number in state.listing(resumed.get("verified")) if isinstance(number, int))
    theirs = payload.get("by_hand") if not course.direction else ()  # a person did it: measured, not done again
    course.lanes = tuple(_lane(each, theirs or ()) for each in state.listing(resumed.get("lanes")))
    course.approaches = tuple(map(str, state.listing(resumed.get("approaches"))))
    course.learned = tuple(map(str, state.listing(resumed.get("learned"))))
    phase = course.phase
    if course.state.pop("partial", None) or phase in (COMPLETED, CANCELLED):
        course.change(fix_loop_count=0)  # a person wants more of them
    await course.run.mark(mode=course.kind.upper())
    await course.run.say("resumed", phase=phase, mode=course.kind, directed=bool(course.direction))
    adopted = resumed.get("run") != course.run.id
    if adopted:
        course.change(adopted=True)
    if adopted and await course.run.changes():
        await course.run.commit_parts([Part(f"Take over what a session wrote\n\nAndon-Run: {course.run.id}\n")])
    elif course.kind != BUGFIX:  # which commits all attempts at once
        series = payload.get("series") or [("", course.run.base)]
        await commit_meanwhile(course, series[-1][1], by_hand=bool(payload.get("by_hand")))
    if course.kind == BUGFIX or phase == PLAN:
        return PLAN
    await read_plan(course)
    if not course.approved.todos:
        await approve(course)
    await course.run.prepare(at_base=True)
    course.goals = await course.run.goals(None, False, at_base=True)
    # A person may have added or unticked TODOs, whatever phase it was.
    return SPRINT if phase == SPRINT or ready(course) else GATE


def _lane(told: dict[str, Any], by_hand: Collection[str]) -> LaneState:
    name, done = str(told["name"]), bool(told.get("done"))
    return LaneState(name, str(told["base"]), str(told["tree"]), int(told.get("attempt", 0)), done or name in by_hand)


async def _close(course: Course, ending: Ending) -> Ending:
    """Record, clean up, dissolve the team: on every way out."""
    for finding in course.failures.findings if ending.status is not Status.DONE else ():
        await course.run.say("open_finding", **finding.as_data())
    if course.state:
        if ending.status is not Status.DONE and state.active(course.state):
            course.state = state.cancelled(course.state)
        course.change(ended=ending.reason)
        await course.record()
    if ending.status is Status.DONE:
        await course.run.remove_workspace()
        await course.run.say("worktree_removed", path="")
    await course.run.say("team_deleted", team=course.team)
    return ending
