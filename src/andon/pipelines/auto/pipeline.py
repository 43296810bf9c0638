"""`auto`: plan, design, do, check, act. Reads like the flow chart; the phases are in the modules beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from andon.domain.auto.act import Counters
from andon.domain.auto.artefacts import check_path, design_path, plan_path
from andon.domain.auto.mode import Mode
from andon.domain.auto.options import Request
from andon.domain.auto.resume import ResumePoint, directed, resume_point
from andon.domain.auto.status import PdcaStatus, from_dict
from andon.domain.auto.times import Times
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.domain.run import BudgetSpent, Ending, Status, Stopped, TeammateFailed
from andon.pipelines.auto.acting import act, open_verdicts
from andon.pipelines.auto.checking import qa, write_check
from andon.pipelines.auto.context import gather_context
from andon.pipelines.auto.cycle import Cycle, Judged
from andon.pipelines.auto.designing import design
from andon.pipelines.auto.doing import do
from andon.pipelines.auto.ending import commit_message
from andon.pipelines.auto.forecast import forecast
from andon.pipelines.auto.further import further_checks
from andon.pipelines.auto.judging import judge, judged_in_words
from andon.pipelines.auto.learning import remember_run
from andon.pipelines.auto.measuring import in_words
from andon.pipelines.auto.notepad import remember_people
from andon.pipelines.auto.planning import approve_plan, files_of, plan, revise, unmeasurable
from andon.pipelines.auto.reporting import report_short
from andon.pipelines.auto.request import request_from_json
from andon.pipelines.auto.scouting import link_issues, scout
from andon.pipelines.auto.transitions import settle, transition
from andon.pipelines.ending import ending_of
from andon.ports import Run


async def auto(run: Run, payload: dict[str, Any]) -> Ending:
    """One leg of a run, from its frozen request to an ending. The team exists exactly as long as the leg."""
    request: Request = request_from_json(payload["request"])
    [worktree, *forerunners] = payload["worktrees"] or ("",)
    cycle = Cycle(
        run=run,
        request=request,
        feature=payload["feature"],
        language=Language(payload["language"]),
        limits=AutoLimits(**payload.get("limits", {})),
        times=Times(payload["agent_seconds"], payload.get("role_seconds") or {}),
        role_tiers=payload.get("role_tiers") or {},
        worktree=worktree,
        forerunners=tuple(forerunners),
        extra=payload.get("extra") or {},
        accepted={each["id"]: each["reason"] for each in payload.get("accepted") or ()},
        forecast=payload.get("forecast") or {},
        prices_dated=payload.get("prices_dated") or "",
        direction=payload.get("direction") or "",
        warnings=tuple(payload.get("warnings") or ()),
        by_hand=tuple(payload.get("by_hand") or ()),
    )
    await run.say("team_created", team=cycle.team, options=payload["request"]["options"])
    ending = await ending_of(cycle, _from_the_start_or_on(cycle, payload.get("resume")))
    return await _close(cycle, ending, payload.get("direction") or "")


async def _from_the_start_or_on(cycle: Cycle, resumed: dict[str, Any] | None) -> Ending:
    """The phases from where the run stands; each may end it."""
    await remember_people(cycle)
    point = await _resume(cycle, resumed) if resumed else ResumePoint(1, None)
    if point.phase <= 1:
        ending = await _plan(cycle)
    else:
        ending = await _take_up(cycle)
    if ending is None and cycle.mode is not Mode.LIGHT and point.phase <= 2 and 2 not in cycle.skipped:
        ending = await _design(cycle)
    if ending is None and point.phase <= 3 and 3 not in cycle.skipped:
        ending = await _do(cycle)
    return ending or await _check_and_act(cycle)


async def _resume(cycle: Cycle, resumed: dict[str, Any]) -> ResumePoint:
    status = from_dict(resumed)
    if not isinstance(status, PdcaStatus):
        await cycle.warn(cycle.word("resume.unusable", problem=status.problem))
        return ResumePoint(1, None)
    documents = (plan_path(status.feature), design_path(status.feature))
    existing = [path for path in documents if await cycle.run.read(path)]
    cycle.earlier_report = (await cycle.run.read(cycle.report_path) or "").strip()
    point = resume_point(status, existing, cycle.limits, cycle.language)
    if cycle.direction:
        status = replace(status, counters=Counters(), build_failures=0, skipped=())
        point = directed(point)
    for warning in point.warnings:
        await cycle.warn(warning)
    cycle.extra = {**status.extra, **cycle.extra}
    cycle.phase, cycle.mode, cycle.history = point.phase, point.mode, point.failures
    cycle.counters, cycle.promotions = status.counters, status.promotions
    cycle.build_failures = status.build_failures
    cycle.first_iteration, cycle.remaining, cycle.areas = point.iteration, status.remaining_issues, status.areas
    cycle.used_before, cycle.merged, cycle.skipped = status.iteration, status.merged, frozenset(status.skipped)
    cycle.iteration, cycle.implementation = status.iteration, status.implementation
    cycle.qa_cycle = point.qa_cycle - 1
    cycle.completed = tuple(phase for phase in status.phases_completed if phase < point.phase)
    await cycle.run.say("resumed", phase=point.phase, mode=str(point.mode or ""), directed=bool(cycle.direction))
    return point


async def _take_up(cycle: Cycle) -> None:
    """The documents as they are now, a person's edits included; what is measured is frozen again."""
    cycle.plan = await cycle.read(cycle.plan_path)
    cycle.design = "" if cycle.mode is Mode.LIGHT else await cycle.read(cycle.design_path)
    async with cycle.run.phase("prepare"):
        await approve_plan(cycle)


async def _plan(cycle: Cycle) -> Ending | None:
    if ending := await gather_context(cycle):
        return ending
    cycle.phase = 1
    async with cycle.run.phase("plan"):
        await cycle.record()
        scouted = await scout(cycle)
        if cycle.request.options.dry_run:
            await forecast(cycle)
            return Ending(Status.DONE, "dry_run", cycle.word("ended.dry_run"))
        if ending := await plan(cycle, scouted):
            return ending
        if ending := await settle(cycle, 1, lambda: cycle.plan_path, lambda: files_of(cycle.plan), revise):
            return ending
        await approve_plan(cycle)
        if ending := await unmeasurable(cycle):
            return ending
        await link_issues(cycle, scouted.issues)
    cycle.finished(1)
    return None


async def _design(cycle: Cycle) -> Ending | None:
    cycle.phase = 2
    async with cycle.run.phase("design"):
        await cycle.record()
        ending = await design(cycle)
        ending = ending or await settle(cycle, 2, lambda: cycle.design_path, lambda: files_of(cycle.design), design)
        if ending is not None:
            return ending
    cycle.finished(2)
    return None


async def _do(cycle: Cycle) -> Ending | None:
    cycle.phase = 3
    async with cycle.run.phase("do"):
        await cycle.record()
        ending = await do(cycle)
        ending = ending or await settle(cycle, 3, lambda: cycle.run.folder, lambda: in_words(cycle.known_now), do)
        if ending is not None:
            return ending
    cycle.finished(3)
    return None


async def _check_and_act(cycle: Cycle) -> Ending:
    before = cycle.qa_cycle if cycle.counters.reentries else 0
    while True:
        cycle.phase = 4
        async with cycle.run.phase("check"):
            ending = await _check(cycle, before)
        if ending is not None:
            return ending
        before = cycle.qa_cycle
        cycle.finished(4)
        if ending := await _decide_on_findings(cycle):
            return ending
        cycle.phase = 5
        async with cycle.run.phase("act"):
            await cycle.record()
            ending = await act(cycle)
            if ending is not None:
                if ending.status is Status.DONE:
                    cycle.finished(5)
                    await cycle.run.commit(commit_message(cycle))
                return ending


async def _decide_on_findings(cycle: Cycle) -> Ending | None:
    """With `--interactive`: improve on as the judges ask, leave it to a person's hands, or take it as it is (A-139)."""
    choice = await transition(cycle, 4, check_path(cycle.feature), judged_in_words(cycle))
    if choice == "manual":
        cycle.open_findings = await open_verdicts(cycle)
        return Ending(Status.NEEDS_PERSON, "manual", cycle.word("transition.manual"))
    if choice == "finish":
        reason = cycle.word("transition.finished")
        for finding in await open_verdicts(cycle):
            cycle.accepted = {**cycle.accepted, finding.id: reason}
            await cycle.run.accept(finding.id, finding.text, reason)
        await remember_people(cycle)
        cycle.judged = replace(cycle.judged, broken=())
    return None


async def _check(cycle: Cycle, before: int) -> Ending | None:
    """Steps 4.1 to 4.4, again when mending the end-to-end tests changed the files: what is judged is what was measured.

    The check document tells how far it came, on every way out that lets andon write.
    """
    tree, ending = "", None
    try:
        while ending is None and cycle.run.tree != tree:
            cycle.judged, cycle.further = Judged(), ()  # of other files, if of any
            ending = await qa(cycle, before)
            tree = cycle.run.tree
            if ending is None:
                await judge(cycle)
                ending = await further_checks(cycle)
    except (Stopped, BudgetSpent, TeammateFailed):
        await write_check(cycle)
        raise
    await write_check(cycle)
    return ending


async def _close(cycle: Cycle, ending: Ending, direction: str) -> Ending:
    """Record, clean up, dissolve the team: on every way out (A-129)."""
    if ending.status not in (Status.DONE, Status.STOPPED):
        await report_short(cycle, ending)
    if ending.status is not Status.DONE:
        cycle.remaining = tuple(finding.text for finding in cycle.open_findings) or cycle.remaining
        for finding in cycle.open_findings:
            await cycle.run.say("open_finding", **finding.as_data())
    await cycle.record(ending.status, ending.reason)
    await remember_run(cycle, ending, direction)
    if ending.status is Status.DONE:
        await cycle.run.remove_workspace()
        await cycle.run.say("worktree_removed", path=cycle.worktree)
    await cycle.run.say("team_deleted", team=cycle.team)
    return ending
