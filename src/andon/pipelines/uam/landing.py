"""Coming into the run's files: all who are ready, in one round, measured once on the files of all.

What fails never was in the run's files, so it fails nobody else's commands. Whose commands failed in a round is
measured by itself; who passes there comes in again with nobody else, so that it is known what does not go together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from andon.domain.verdict import CheckResult
from andon.pipelines.uam.committing import parts
from andon.pipelines.uam.planfile import commands_of, goal_of
from andon.pipelines.uam.works import READY, Sprint, Work, feedback_of
from andon.ports import Merged

TOGETHER = "together"
"""The lane in which a round is measured."""
CLASH = "It passes alone, and fails together with what others have done meanwhile."


@dataclass
class Brought:
    """What came of those who wanted to come in."""

    done: list[Work] = field(default_factory=list[Work])
    refused: list[tuple[Work, str]] = field(default_factory=list[tuple[Work, str]])
    """And what their next worker is to know."""
    failed: list[tuple[Work, list[CheckResult]]] = field(default_factory=list[tuple[Work, list[CheckResult]]])
    """By what they did themselves: nobody else's work was there."""
    suspects: list[Work] = field(default_factory=list[Work])
    """Their commands failed, perhaps by what others did."""


def begin_round(sprint: Sprint) -> None:
    """With whoever is ready, unless one is under way. Their work is brought together beside the run's files."""
    ready = [work for work in sprint.works.values() if work.stage == READY]
    if ready and not sprint.round:
        sprint.round = tuple(work for work in ready if not work.alone) or (ready[0],)
        sprint.together = sprint.course.run.branch(TOGETHER)
        sprint.lanes.merge(TOGETHER, sprint.together, [work.run for work in sprint.round])


async def go_on_with_round(sprint: Sprint, value: Merged | tuple[CheckResult, ...]) -> Brought:
    """Its files are there, or what was measured on them."""
    return await (_measure(sprint, value) if isinstance(value, Merged) else _end(sprint, value))


async def _measure(sprint: Sprint, merged: Merged) -> Brought:
    """Have the commands of all run, on the files of all. Who does not fit there is refused."""
    brought = Brought()
    for work in [each for each in sprint.round if each.run.name in merged.left]:
        work.run = sprint.course.run.branch(work.lane)
        told = (
            f"Your predecessor's work does not fit what others have done meanwhile, in: {', '.join(merged.conflicts)}"
        )
        brought.refused.append((work, told))
    refused = [work for work, _ in brought.refused]
    sprint.round = tuple(work for work in sprint.round if work not in refused)
    commands = dict.fromkeys(each for work in sprint.round for each in commands_of(sprint.course, work.todo))
    if commands and sprint.together is not None:
        sprint.lanes.check(TOGETHER, sprint.together, [goal_of(command) for command in commands])
    else:
        brought.done += (await _end(sprint, ())).done
    return brought


async def _end(sprint: Sprint, results: tuple[CheckResult, ...]) -> Brought:
    """All of them come in, or nobody."""
    works, together, run, brought = sprint.round, sprint.together, sprint.course.run, Brought()
    assert together is not None
    sprint.round, sprint.together = (), None
    failing = {result.goal: result for result in results if result.verdict.blocks}
    if works and not failing:
        await run.merge([together], made_of=[work.run for work in works])
        await _commit(sprint, works, brought)
    for work in works if failing else ():
        own = [failing[each] for each in commands_of(sprint.course, work.todo) if each in failing]
        if own and work.run.tree == together.tree:
            brought.failed.append((work, own))
        elif own and work.alone:
            work.run = run.branch(work.lane, together.tree, together.began)
            brought.refused.append((work, f"{CLASH}\n\n{feedback_of(own, work.reply)}"))
        elif own:
            brought.suspects.append(work)
    return brought


async def _commit(sprint: Sprint, works: Sequence[Work], brought: Brought) -> None:
    course = sprint.course
    made = (parts(course, work.commits, work.files, work.todo.title, _reason(work)) for work in works)
    await course.run.commit_parts([part for each in made for part in each])
    brought.done += works


def _reason(work: Work) -> str:
    """What was asked for, and what the worker says of it."""
    return "\n\n".join(filter(None, (str(work.todo.description).strip(), work.summary.strip())))
