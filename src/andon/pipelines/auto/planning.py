"""Phase 1 PLAN, LIGHT: two scouts in parallel, the score, one planner, the Lead's own gate."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from andon.domain.auto.complexity import Score, score, score_block
from andon.domain.auto.paths import affected_files
from andon.domain.auto.plan import light_gate, missing_sections, names_of
from andon.domain.auto.promotion import Facts
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.promoting import promote
from andon.roles.contracts import SCOUTING, TEXT

ISSUE_LIST = ("issue", "list", "--limit", "50", "--state", "open")
PRD = (
    "Decompose the task into user stories first (`As a … I want … so that …`), each with its own acceptance criteria, "
    "in a section `## User stories`."
)


@dataclass(frozen=True, slots=True)
class Scouted:
    summary: str
    issues: tuple[int, ...]
    score: Score


async def scout(cycle: Cycle) -> Scouted:
    """Steps 1.0 and 1.1: what is there already, and how big the task is."""
    run = cycle.run
    listed = await run.call("gh", *ISSUE_LIST)
    note = "complete" if listed.available and listed.code == 0 else f"not available: {listed.output or 'no gh'}"
    if note != "complete":
        await cycle.warn(f"gh issue list {note}")
    issues = listed.output if listed.available and listed.code == 0 else ""
    documents, related = await asyncio.gather(
        run.ask(cycle.assignment("doc-analyst", "doc-analyst"), SCOUTING),
        run.ask(cycle.assignment("issue-analyst", "issue-analyst", issues=issues, issues_note=note), TEXT),
    )
    found = score(documents.judgement, cycle.request.task)
    cycle.mode = found.mode
    await run.mark(mode=str(found.mode))
    await run.say("score", text=score_block(found, cycle.language), total=found.total, mode=str(found.mode))
    numbers = tuple(sorted({int(number) for number in re.findall(r"#(\d+)", related)}))
    return Scouted(f"{documents.summary}\n\nIssues:\n{related}", numbers, found)


async def light_plan(cycle: Cycle, scouted: Scouted) -> str:
    """Step 1.2 LIGHT: one planner, at most one re-request; a plan that still falls short goes on with a warning."""
    prd = PRD if cycle.request.options.prd else ""
    asked = cycle.assignment(
        "planner",
        "planner-light",
        document=cycle.plan_path,
        score=str(scouted.score.total),
        scouting=scouted.summary,
        prd=prd,
    )
    await cycle.run.ask(asked, TEXT)
    plan = await cycle.run.read(cycle.plan_path) or ""
    if missing := _missing(cycle, plan):
        await cycle.run.say("plan_rerequested", missing=missing)
        again = cycle.assignment("planner", "planner-again", document=cycle.plan_path, plan=plan, missing=missing)
        await cycle.run.ask(again, TEXT)
        plan = await cycle.run.read(cycle.plan_path) or ""
        if still := _missing(cycle, plan):
            await cycle.warn(cycle.say("plan.light_warning", missing=still))
    return plan


def _missing(cycle: Cycle, plan: str) -> str:
    """What the Lead Quality Gate or the section gate finds wanting, in words for the planner."""
    if gate := light_gate(plan, cycle.limits):
        return cycle.say(gate)
    if sections := missing_sections(plan):
        return cycle.say("plan.incomplete", missing=names_of(sections, cycle.language))
    return ""


async def approve_plan(cycle: Cycle, plan: str) -> bool:
    """The plan stands: promote if it touches too much; freeze what will be measured and the environment for it.

    False when the promotion leads out of LIGHT.
    """
    if await promote(cycle, Facts(affected_files=len(affected_files(plan)))):
        return False
    await cycle.run.prepare()
    cycle.goals = await cycle.run.goals(cycle.request.options.custom, cycle.request.options.interactive)
    measured = [goal.name for goal in cycle.goals if goal.commands]
    await cycle.run.say("plan_approved", path=cycle.plan_path, goals=measured)
    return True
