"""`auto`: plan, design, do, check, act. Reads like the flow chart; the phases are in the modules beside it.

LIGHT is complete. A task that is bigger than LIGHT, or turns out to be, ends with a clear message and can be resumed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from andon.domain.auto.act import Counters
from andon.domain.auto.artefacts import plan_path
from andon.domain.auto.mode import Mode, line_up, teammate
from andon.domain.auto.options import Request
from andon.domain.auto.resume import ResumePoint, directed, resume_point
from andon.domain.auto.status import PdcaStatus, from_dict
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.domain.run import Blocked, BudgetSpent, Bug, Ending, Status, Stopped, TeammateFailed
from andon.pipelines.auto.acting import light_act
from andon.pipelines.auto.checking import Checked, light_check, write_check
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.doing import light_do
from andon.pipelines.auto.findings import leave_open, of_checks
from andon.pipelines.auto.planning import approve_plan, light_plan, link_issues, scout
from andon.pipelines.auto.request import request_from_json
from andon.ports import Run


async def auto(run: Run, payload: dict[str, Any]) -> Ending:
    """One leg of a run, from its frozen request to an ending. The team exists exactly as long as the leg."""
    request: Request = request_from_json(payload["request"])
    cycle = Cycle(
        run=run,
        request=request,
        feature=payload["feature"],
        language=Language(payload["language"]),
        limits=AutoLimits(**payload.get("limits", {})),
        agent_seconds=payload["agent_seconds"],
        worktree=payload.get("worktree") or "",
        extra=payload.get("extra") or {},
        direction=payload.get("direction") or "",
    )
    await run.say("team_created", team=cycle.team, options=payload["request"]["options"])
    try:
        ending = await _from_the_start_or_on(cycle, payload.get("resume"))
    except Stopped:
        ending = Ending(Status.STOPPED, "stopped", cycle.word("ended.stopped"))
    except BudgetSpent as spent:
        ending = Ending(Status.NEEDS_PERSON, "budget", cycle.word("ended.budget", spent=spent))
        await cycle.notify(ending.message)
    except TeammateFailed as failure:
        ending = _ending_of(failure)
        await cycle.notify(ending.message)
    except Blocked as blocked:
        ending = Ending(Status.NEEDS_PERSON, "blocked", str(blocked))
        await cycle.notify(ending.message)
    except Bug as bug:
        await run.say("bug", error=str(bug), traceback=bug.traceback)
        ending = Ending(Status.FAILED, "bug", cycle.word("ended.bug", error=bug))
    return await _close(cycle, ending)


async def _from_the_start_or_on(cycle: Cycle, resumed: dict[str, Any] | None) -> Ending:
    point = await _resume(cycle, resumed) if resumed else ResumePoint(1, None)
    if point.mode not in (None, Mode.LIGHT):
        return _beyond_light(cycle)
    if point.phase <= 1:
        ending, plan = await _plan(cycle)
        if ending:
            return ending
    else:
        plan = await cycle.run.read(cycle.plan_path) or ""
        async with cycle.run.phase("prepare"):
            if not await approve_plan(cycle, plan):
                return _beyond_light(cycle)
    if point.phase <= 3:
        ending = await _do(cycle, plan)
        if ending:
            return ending
    return await _check_and_act(cycle, plan)


async def _resume(cycle: Cycle, resumed: dict[str, Any]) -> ResumePoint:
    status = from_dict(resumed)
    if not isinstance(status, PdcaStatus):
        await cycle.warn(cycle.word("resume.unusable", problem=status.problem))
        return ResumePoint(1, None)
    plan = plan_path(status.feature)
    existing = [plan] if await cycle.run.read(plan) else []
    point = resume_point(status, existing, cycle.limits, cycle.language)
    if cycle.direction:
        status, point = replace(status, counters=Counters(), build_failures=0), directed(point)
    for warning in point.warnings:
        await cycle.warn(warning)
    cycle.extra = {**status.extra, **cycle.extra}
    cycle.mode, cycle.history = point.mode, point.failures
    cycle.counters, cycle.promotions = status.counters, status.promotions
    cycle.build_failures = status.build_failures
    cycle.completed = tuple(phase for phase in status.phases_completed if phase < point.phase)
    await cycle.run.say("resumed", phase=point.phase, mode=str(point.mode or ""), directed=bool(cycle.direction))
    return point


async def _plan(cycle: Cycle) -> tuple[Ending | None, str]:
    cycle.phase = 1
    async with cycle.run.phase("plan"):
        await cycle.record()
        scouted = await scout(cycle)
        if cycle.request.options.dry_run:
            await _list_line_up(cycle)
            return Ending(Status.DONE, "dry_run", cycle.word("ended.dry_run")), ""
        if cycle.mode is not Mode.LIGHT:
            return _beyond_light(cycle), ""
        plan = await light_plan(cycle, scouted)
        if not await approve_plan(cycle, plan):
            return _beyond_light(cycle), plan
        await link_issues(cycle, scouted.issues)
    cycle.finished(1)
    return None, plan


async def _list_line_up(cycle: Cycle) -> None:
    options, mode = cycle.request.options, cycle.mode or Mode.LIGHT
    for name in line_up(mode):
        mate = teammate(name, mode, opus=options.opus, eco=options.eco)
        await cycle.run.say("notice", text=f"would spawn {mate.name} ({mate.type}, {mate.tier})")


async def _do(cycle: Cycle, plan: str) -> Ending | None:
    cycle.phase = 3
    async with cycle.run.phase("do"):
        await cycle.record()
        built = await light_do(cycle, plan)
    if cycle.mode is not Mode.LIGHT:
        return _beyond_light(cycle)
    if built is not None and built.verdict.blocks:
        if built.environment_error:
            return await _environment_error(cycle, built.reason)
        text = cycle.word("ended.build", reason=built.reason)
        await cycle.notify(text)
        return Ending(Status.FAILED, "build", text)
    cycle.finished(3)
    return None


async def _check_and_act(cycle: Cycle, plan: str) -> Ending:
    while True:
        cycle.phase = 4
        async with cycle.run.phase("check"):
            await cycle.record()
            checked = await light_check(cycle, plan)
            await write_check(cycle)
        if checked.verdict is None:
            return await _qa_failed(cycle, checked)
        cycle.finished(4)
        cycle.phase = 5
        async with cycle.run.phase("act"):
            await cycle.record()
            ending = await light_act(cycle, plan, checked.verdict)
            if ending is not None:
                if ending.status is Status.DONE:
                    cycle.finished(5)
                    await cycle.run.commit(_commit_message(cycle))
                return ending


async def _qa_failed(cycle: Cycle, checked: Checked) -> Ending:
    """LIGHT reports and repairs nothing (A-98, G-06, G-46)."""
    if checked.environment_problem:
        return await _environment_error(cycle, checked.environment_problem)
    issues = "; ".join(goal.signature or f"{goal.goal} {goal.status}" for goal in checked.report.failures)
    await leave_open(cycle, of_checks(cycle.results))
    text = cycle.say("qa.light_failed", remaining_issues=issues)
    await cycle.notify(text)
    return Ending(Status.FAILED, "qa_failed", text)


async def _environment_error(cycle: Cycle, detail: str) -> Ending:
    text = cycle.say("qa.environment", detail=detail)
    await cycle.notify(text)
    return Ending(Status.NEEDS_PERSON, "environment", text)


def _beyond_light(cycle: Cycle) -> Ending:
    return Ending(Status.NEEDS_PERSON, "mode_not_available", cycle.word("ended.mode", mode=cycle.mode))


def _ending_of(failure: TeammateFailed) -> Ending:
    person = failure.outcome in ("unauthenticated", "refused")
    return Ending(Status.NEEDS_PERSON if person else Status.FAILED, f"teammate_{failure.outcome}", str(failure))


def _commit_message(cycle: Cycle) -> str:
    first = " ".join(cycle.request.task.split())
    title = first if len(first) <= 72 else first[:71] + "…"
    return f"{title}\n\nPlan: {cycle.plan_path}\nReport: {cycle.report_path}\nAndon-Run: {cycle.run.id}\n"


async def _close(cycle: Cycle, ending: Ending) -> Ending:
    """Record, clean up, dissolve the team: on every way out (A-129)."""
    await cycle.record(ending.status, ending.reason)
    if ending.status is Status.DONE:
        await cycle.run.remove_workspace()
        await cycle.run.say("worktree_removed", path=cycle.worktree)
    await cycle.run.say("team_deleted", team=cycle.team)
    return ending
