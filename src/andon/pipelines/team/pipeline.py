"""`team`: make the shared files, work off the units, measure the whole, publish it. Reads like the flow chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from andon.domain.language import Language
from andon.domain.learning import offered
from andon.domain.run import Ending, Status
from andon.domain.teams.bulletin import PLAN
from andon.domain.teams.layers import Layer
from andon.domain.teams.standing import read_standing
from andon.domain.teams.team import team_from
from andon.pipelines.ending import ending_of
from andon.pipelines.team.course import Course
from andon.pipelines.team.deciding import recall_decisions
from andon.pipelines.team.finishing import finish
from andon.pipelines.team.sharing import make_files, record
from andon.pipelines.team.working import reopened, work_off
from andon.ports import Part, Run


async def team(run: Run, payload: dict[str, Any]) -> Ending:
    """One leg of a run, from its frozen team to an ending."""
    course = _course(run, payload)
    options = {"team": course.team.id, "members": len(course.team.members), "units": len(course.team.works)}
    await run.say("team_created", team=course.team.id, options=options)
    ending = await ending_of(course, _flow(course, payload))
    if ending.status is Status.DONE:
        course.lanes = ()
    await record(course)
    await run.remember(course.lessons, ending)
    if ending.status is Status.DONE:
        await run.remove_workspace()
        await run.say("worktree_removed", path="")
    await run.say("team_deleted", team=course.team.id)
    return ending


def _course(run: Run, payload: dict[str, Any]) -> Course:
    options = payload["request"]["options"]
    return Course(
        run=run,
        team=team_from(options["team"]),
        feature=payload["feature"],
        folder=options["folder"],
        language=Language(payload["language"]),
        parallel=int(options.get("parallel") or 4),
        servers=frozenset(payload.get("servers") or ()),
        agent_seconds=payload.get("agent_seconds"),
        role_seconds=payload.get("role_seconds") or {},
        role_tiers=payload.get("role_tiers") or {},
        accepted={each["id"]: each["reason"] for each in payload.get("accepted") or ()},
        direction=payload.get("direction") or "",
    )


async def _flow(course: Course, payload: dict[str, Any]) -> Ending:
    async with course.run.phase("plan"):
        if payload.get("resume"):
            await _take_up(course, payload)
        else:
            await course.run.mark(mode="RALPH" if course.team.ralph.enabled else "TEAM")
            await make_files(course)
            if Layer.MCP in course.team.layers and not payload.get("memory_server"):
                await course.run.say("notice", text=course.word("no_server"))
            await _tell_servers(course, payload.get("servers") or {})
        await recall_decisions(course)
        course.learned = offered(await course.run.recall(course.team.purpose))
        await course.run.prepare(at_base=True)
        course.goals = await course.run.goals(None, False, at_base=True)
    async with course.run.phase("work"):
        await work_off(course)
    return course.ending or await finish(course)


async def _tell_servers(course: Course, usable: Mapping[str, Any]) -> None:
    """What members may start, as its command line says; and what they have to do without."""
    if lines := [f"{name}: {told['line']}" for name, told in usable.items()]:
        await course.run.say("notice", text=course.word("servers", servers="; ".join(lines)))
    if lacking := [name for name in course.team.servers if name not in usable]:
        await course.run.say("notice", text=course.word("servers_left", servers=", ".join(lacking)))


async def _take_up(course: Course, payload: dict[str, Any]) -> None:
    """From the state file as it is now; what a person did by hand is measured, not done again."""
    stood = read_standing(payload["resume"])
    names = {work.id for work in course.team.works}
    course.units = {id: state for id, state in stood.units.items() if id in names}
    theirs = frozenset(payload.get("by_hand") or ()) if not course.direction else frozenset[str]()
    course.lanes = tuple(replace(lane, done=lane.done or lane.name in theirs) for lane in stood.lanes)
    course.messages, course.answers = list(stood.messages), dict(stood.answers)
    course.decisions = list(stood.decisions)
    reopened(course)
    course.plan = await course.run.read(course.path(PLAN)) or ""
    if not course.plan:
        await make_files(course)
    await course.run.say("resumed", phase="work", mode=course.team.id, directed=bool(course.direction))
    series = payload.get("series") or [("", course.run.base)]
    if await course.run.changes(since=series[-1][1]):
        what = "What a person changed" if payload.get("by_hand") else "What was left in the files"
        await course.run.commit_parts([Part(f"{what}\n\nAndon-Run: {course.run.id}\n")])
