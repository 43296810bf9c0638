"""The files that a team shares, and people read: plan, bulletin, findings, progress, and where it stands (B-41, B-43).

Only andon writes them. Members read the plan and the bulletin before they begin, and what they have to say goes in as
entries of their own.
"""

from __future__ import annotations

import json

from andon.domain.auto.status import moment
from andon.domain.teams.bulletin import (
    BULLETIN,
    ELSEWHERE,
    FINDINGS,
    HEADS,
    PLAN,
    PROGRESS,
    Note,
    finding_entry,
    progress,
)
from andon.domain.teams.planning import changed_plan, plan_text
from andon.domain.teams.standing import DONE, STATE
from andon.pipelines.team.course import Course

SHOWN_BULLETIN = 6_000
"""Characters of its end, as prompts have it."""


async def make_files(course: Course) -> None:
    """All four, with the team. A bulletin that is there stays, and grows."""
    run, now = course.run, moment(course.run.moved_at)
    if course.folder == ELSEWHERE:
        await run.write(f"{ELSEWHERE}/.gitignore", "*\n", state=True)
    course.plan = plan_text(course.team, now)
    await run.write(course.path(PLAN), course.plan, state=True)
    await run.amend(course.path(BULLETIN), lambda before: before or HEADS[BULLETIN])
    await run.amend(course.path(FINDINGS), lambda before: before or HEADS[FINDINGS])
    await tick(course)


async def change_plan(course: Course, by: str, text: str, did: str = "proposes") -> None:
    """What a member wants otherwise: the lead writes it down; nobody else touches the plan (B-43)."""
    now, file = moment(course.run.moved_at), course.path(PLAN)
    plan = await course.run.amend(file, lambda before: changed_plan(before or course.plan, now, by, text, did))
    course.plan = plan or course.plan


async def post(course: Course, *entries: Note) -> None:
    await course.run.append(course.path(BULLETIN), "".join(entry.text() for entry in entries))


async def read_bulletin(course: Course) -> str:
    """Its end, from the beginning of an entry: it grows with every run, and what is read is kept."""
    text = await course.run.read(course.path(BULLETIN), last=SHOWN_BULLETIN) or ""
    return text[text.find("\n## ") + 1 :] if len(text) == SHOWN_BULLETIN and "\n## " in text else text


async def keep_finding(course: Course, by: str, text: str) -> None:
    await course.run.append(course.path(FINDINGS), finding_entry(by, text))


async def tick(course: Course) -> None:
    """The check list."""
    rows = [(work.title, course.state(work).state == DONE) for work in course.team.works]
    await course.run.write(course.path(PROGRESS), progress(rows), state=True)


async def record(course: Course) -> None:
    """Where the team stands, for a later leg."""
    ours = {"run": course.run.id, "team": course.team.id, **course.standing().as_json()}
    await course.run.write(course.path(STATE), json.dumps(ours, ensure_ascii=False, indent=1) + "\n", state=True)
