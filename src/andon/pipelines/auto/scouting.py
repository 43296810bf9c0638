"""Steps 1.0, 1.1 and 1.3: what is there already, how big the task is, and the issues it belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from andon.domain.assignment import Assignment
from andon.domain.auto.complexity import Score, score, score_block
from andon.pipelines.auto.cycle import Cycle
from andon.ports import CallResult, Contract, Run
from andon.roles.contracts import SCOUTING, TEXT, Scouting

ISSUE_LIST = ("issue", "list", "--limit", "50", "--state", "open")
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
    """What is there already, and how big the task is."""
    run = cycle.run
    listed = await run.call("gh", *ISSUE_LIST)
    usable = _worked(listed)
    if not usable:
        await cycle.warn(cycle.word("issues.unavailable", detail=listed.output))
    issues = listed.output if usable else ""
    note = "complete" if usable else "not available"
    asked: list[tuple[Run, Assignment, Contract[Scouting | str]]] = [
        (run, cycle.assignment("doc-analyst", "doc-analyst"), SCOUTING),
        (run, cycle.assignment("issue-analyst", "issue-analyst", issues=issues, issues_note=note), TEXT),
    ]
    documents, related = cast("tuple[Scouting, str]", await run.ask_all(asked))
    found = score(documents.judgement, cycle.request.task)
    cycle.mode = found.mode
    await run.mark(mode=str(found.mode))
    await run.say("score", text=score_block(found, cycle.language), total=found.total, mode=str(found.mode))
    return Scouted(f"{documents.summary}\n\nIssues:\n{related}", found, _related(related, issues))


def _related(said: str, listed: str) -> tuple[int, ...]:
    """Issues the scout named that exist: it may have made one up, or have been talked into one."""
    existing = set(_LISTED.findall(listed))
    named = dict.fromkeys(number for number in _MENTIONED.findall(said) if number in existing)
    return tuple(int(number) for number in named)[:LINKED_ISSUES]


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
    words = ("--title", cycle.feature, "--body", cycle.say("issue.body", path=cycle.plan_path))
    said = await cycle.run.call("gh", "issue", "create", *words, "--label", "auto")
    if not _worked(said) and "label" in said.output:  # most repositories have none of that name
        said = await cycle.run.call("gh", "issue", "create", *words)
    if _worked(said):
        await cycle.run.say("issue_created", url=said.output.strip())
    else:
        await cycle.warn(cycle.word("issue.not_created", detail=said.output))


def _worked(said: CallResult) -> bool:
    return said.available and said.code == 0
