"""Proposals to change the plan, and the votes on them: counted by andon, told to all, kept in the team's memory."""

from __future__ import annotations

from collections.abc import Sequence

from andon.domain.teams.deciding import Ballot, joined, proposed
from andon.domain.teams.shared import decision_row
from andon.pipelines.team.course import Course
from andon.pipelines.team.sharing import change_plan


async def recall_decisions(course: Course) -> None:
    """Those of earlier runs too, and what a person settled since the last leg."""
    course.decisions = joined(course.decisions, await course.run.decisions())


async def take_votes(course: Course, by: str, ballots: Sequence[Ballot]) -> None:
    """Of a result that was handed in. A number that no proposal has is nobody's vote."""
    before = list(course.decisions)
    for ballot in ballots:
        place = ballot.decision - 1
        if 0 <= place < len(before):
            course.decisions[place] = course.decisions[place].voted(by, ballot.vote, course.voters)
    await _tell(course, [place for place, each in enumerate(before) if course.decisions[place] != each])


async def propose(course: Course, by: str, text: str) -> None:
    """Once, whatever became of it: who is told to revise their work says it again."""
    if any((each.by, each.text) == (by, text) for each in course.decisions):
        return
    await change_plan(course, by, text)
    made = proposed(text, by, course.run.moved_at, course.voters)
    course.decisions.append(made)
    if made.open:
        told = {"number": len(course.decisions), "by": by, "text": text[:400]}
        await course.run.say("notice", text=course.word("decision.proposed", **told))
    await _tell(course, [len(course.decisions) - 1])


async def _tell(course: Course, changed: Sequence[int]) -> None:
    for place in changed:
        each = course.decisions[place]
        if not each.open:
            await change_plan(course, "the team", each.text, each.stand.value)
            told = {"number": place + 1, "count": each.count, "text": each.text[:400]}
            await course.run.say("notice", text=course.word(f"decision.{each.stand.value}", **told))
    await course.run.share([decision_row(course.decisions[place]) for place in changed])
