"""Gate 2: the change in eight categories, by the code reviewer and by other programs if there are any (C-45 to C-48).

Who is not installed is SKIPPED, who failed is DEGRADED; neither of them has approved anything. andon counts findings
and gives the verdict itself.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.assignment import Assignment
from andon.domain.run import BudgetSpent
from andon.domain.uam import agents, gates
from andon.domain.uam.artefacts import GATE2_PATH
from andon.pipelines.uam.course import Course
from andon.ports import Landed
from andon.roles.uam_contracts import REVIEW, Review

OWN = "uam-code-reviewer"


async def review(course: Course) -> tuple[bool | None, tuple[str, ...]]:
    """Whether the gate is passed (None: nobody judged), and what stands against the change."""
    rows = await _asked(course)
    passed, status = gates.review_verdict([row["status"] for row in rows])
    course.unreviewed = status if passed is None else ""
    if course.unreviewed:
        await course.warn(course.word("gate.unreviewed", status=status))
    told = {"verdict": status, "passed": passed, "reviewers": rows}
    await course.run.write(GATE2_PATH, json.dumps(told, ensure_ascii=False, indent=1) + "\n", state=True)
    objecting = [row for row in rows if row["status"] == gates.NEEDS_FIXES]
    found = (finding for row in objecting for finding in row["findings"] if not finding.startswith("note"))
    return passed, tuple(dict.fromkeys(found))


async def _asked(course: Course) -> list[dict[str, Any]]:
    """Everybody at once. A failure of one says nothing of the others."""
    there = [name for name, available in course.reviewers if available]
    rows = {name: _row(name, gates.SKIPPED) for name, available in course.reviewers if not available}
    changed = [each for each in await course.run.changes() if not each.path.startswith(DOCUMENT_FOLDERS)]
    changes = "\n".join(f"{change.kind}: {change.path}" for change in changed)
    async with course.run.lanes(len(there) + 1) as lanes:
        for name in (OWN, *there):
            lanes.ask(name, course.run, _assignment(course, name, changes), REVIEW)
        while lanes.busy:
            for landed in await lanes.ended():
                rows[landed.lane] = told = _told(landed)
                verdict = {"verdict": told["status"], "approved": told["status"] == gates.SHIP}
                await course.run.say("verdict", name=landed.lane, reason="\n".join(told["findings"]), **verdict)
    order = (OWN, *(name for name, _ in course.reviewers))
    return [rows[name] for name in order]


def _told(landed: Landed) -> dict[str, Any]:
    if isinstance(landed.failure, BudgetSpent):
        raise landed.failure
    if landed.failure:
        return _row(landed.lane, gates.DEGRADED) | {"detail": str(landed.failure)}
    return _judged(landed.lane, landed.value)


def _assignment(course: Course, name: str, changes: str) -> Assignment:
    own = name == OWN
    asked = course.assignment(
        OWN,
        "code-reviewer" if own else f"reviewer-{name}",
        "review",
        raised={"sensitive": agents.is_sensitive(f"{course.task}\n{course.plan_text}")},
        plan=course.plan_text,
        changes=changes,
    )
    return asked if own else replace(asked, runtime=name)


def _judged(name: str, found: Review) -> dict[str, Any]:
    told = {"critical": found.critical, "warnings": found.warnings, "findings": list(found.findings)}
    return _row(name, gates.verdict_of(found.critical, found.warnings)) | told


def _row(name: str, status: str) -> dict[str, Any]:
    return {"reviewer": name, "status": status, "critical": 0, "warnings": 0, "findings": []}
