"""Phase 1 PLAN, LIGHT: two scouts in parallel, the score, one planner, the Lead's own gate."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from andon.domain.auto.complexity import Score, score, score_block
from andon.domain.auto.paths import affected_files
from andon.domain.auto.plan import light_gate, missing_sections, names_of
from andon.domain.auto.promotion import Facts
from andon.domain.run import Stopped
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.promoting import promote
from andon.ports import CallResult
from andon.roles.contracts import SCOUTING, TEXT, Scouting

ISSUE_LIST = ("issue", "list", "--limit", "50", "--state", "open")
PRD = (
    "Decompose the task into user stories first (`As a … I want … so that …`), each with its own acceptance criteria, "
    "in a section `## User stories`."
)
LINKED_ISSUES = 5
"""A scout that calls everything related must not make andon comment on a whole backlog."""
_LISTED = re.compile(r"^#?(\d+)\b", re.MULTILINE)
_MENTIONED = re.compile(r"#(\d+)\b")


@dataclass(frozen=True, slots=True)
class Scouted:
    summary: str
    score: Score
    issues: tuple[int, ...] = ()
    """Related issues, by number."""


async def scout(cycle: Cycle) -> Scouted:
    """Steps 1.0 and 1.1: what is there already, and how big the task is."""
    run = cycle.run
    listed = await run.call("gh", *ISSUE_LIST)
    usable = _worked(listed)
    if not usable:
        await cycle.warn(cycle.word("issues.unavailable", detail=listed.output))
    issues = listed.output if usable else ""
    note = "complete" if usable else "not available"
    documents, related = await asyncio.gather(
        run.ask(cycle.assignment("doc-analyst", "doc-analyst"), SCOUTING),
        run.ask(cycle.assignment("issue-analyst", "issue-analyst", issues=issues, issues_note=note), TEXT),
        return_exceptions=True,
    )
    # Only now, when both have ended: a run that closes while one of them works would leave that one behind.
    if not isinstance(documents, Scouting) or not isinstance(related, str):
        raise _first_reason(documents, related)
    found = score(documents.judgement, cycle.request.task)
    cycle.mode = found.mode
    await run.mark(mode=str(found.mode))
    await run.say("score", text=score_block(found, cycle.language), total=found.total, mode=str(found.mode))
    return Scouted(f"{documents.summary}\n\nIssues:\n{related}", found, _related(related, issues))


def _first_reason(*outcomes: object) -> BaseException:
    """Why a pair did not succeed. A person's stop says more than what it interrupted."""
    failures = [each for each in outcomes if isinstance(each, BaseException)]
    return next((each for each in failures if isinstance(each, Stopped)), failures[0])


def _related(said: str, listed: str) -> tuple[int, ...]:
    """Issues the scout named that exist: it may have made one up, or have been talked into one."""
    existing = set(_LISTED.findall(listed))
    named = dict.fromkeys(number for number in _MENTIONED.findall(said) if number in existing)
    return tuple(int(number) for number in named)[:LINKED_ISSUES]


async def light_plan(cycle: Cycle, scouted: Scouted) -> str:
    """Step 1.2 LIGHT: one planner, a few re-requests; a plan that still falls short goes on with a warning."""
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
    for _ in range(cycle.limits.light_plan_rerequests):
        missing = _missing(cycle, plan)
        if not missing:
            return plan
        await cycle.run.say("plan_rerequested", missing=missing)
        again = cycle.assignment("planner", "planner-again", document=cycle.plan_path, plan=plan, missing=missing)
        await cycle.run.ask(again, TEXT)
        plan = await cycle.run.read(cycle.plan_path) or ""
    if still := _missing(cycle, plan):
        await cycle.warn(cycle.say("plan.light_warning", missing=_in_brackets(still)))
    return plan


def _missing(cycle: Cycle, plan: str) -> str:
    """What the Lead Quality Gate or the section gate finds wanting, in words for the planner."""
    if gate := light_gate(plan, cycle.limits):
        return cycle.say(gate)
    if sections := missing_sections(plan):
        return cycle.say("plan.incomplete", missing=names_of(sections, cycle.language))
    return ""


def _in_brackets(message: str) -> str:
    """A message as part of another: without its phase tag and full stop."""
    return message.partition("] ")[2].rstrip(".")


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


async def link_issues(cycle: Cycle, issues: tuple[int, ...]) -> None:
    """Step 1.3: each related issue is told where the plan is; where there is none, `--issue` makes one (A-37, A-57).

    What fails is only a warning.
    """
    if not issues and cycle.request.options.create_issue:
        await _create_issue(cycle)
    for number in issues:
        text = cycle.say("issue.comment", path=cycle.plan_path)
        said = await cycle.run.call("gh", "issue", "comment", str(number), "--body", text)
        if _worked(said):
            await cycle.run.say("issue_linked", number=number)
        else:
            await cycle.warn(cycle.word("issue.not_linked", number=number, detail=said.output))


async def _create_issue(cycle: Cycle) -> None:
    words = ("--title", cycle.feature, "--body", f"Plan: {cycle.plan_path}", "--label", "auto")
    said = await cycle.run.call("gh", "issue", "create", *words)
    if _worked(said):
        await cycle.run.say("issue_created", url=said.output.strip())
    else:
        await cycle.warn(cycle.word("issue.not_created", detail=said.output))


def _worked(said: CallResult) -> bool:
    return said.available and said.code == 0
