"""Coming into the run's files: at once where nothing came in since a TODO was begun, else measured together first.

All who are ready come in at the same time, in one round; what does not pass together comes in one by one, so that it is
known whose fault it is. What fails never was in the run's files, so it fails nobody else's commands.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from andon.domain.verdict import CheckResult
from andon.pipelines.uam.committing import commit
from andon.pipelines.uam.planfile import commands_of, goal_of
from andon.pipelines.uam.works import READY, Sprint, Work, feedback_of

TOGETHER = "together"
"""The lane in which a round is measured."""


@dataclass
class Brought:
    """What came of those who wanted to come in."""

    done: list[Work] = field(default_factory=list[Work])
    refused: list[tuple[Work, str]] = field(default_factory=list[tuple[Work, str]])
    """And what their next worker is to know."""


async def bring_in(sprint: Sprint) -> Brought:
    """Whoever is ready, unless a round is measured already."""
    landed, run = Brought(), sprint.course.run
    while not sprint.round:
        settled = [*landed.done, *(work for work, _ in landed.refused)]
        ready = [work for work in sprint.works.values() if work.stage == READY and work not in settled]
        if not ready:
            return landed
        straight = next((work for work in ready if work.run.began == run.tree), None)
        if straight is not None:
            await run.merge([straight.run])
            await _commit(sprint, straight, landed)
            continue
        if not await _begin_round(sprint, ready[:1] if sprint.singly else ready, landed):
            return landed
    return landed


async def _begin_round(sprint: Sprint, ready: list[Work], landed: Brought) -> bool:
    """Merge all onto the run's files, beside them, and have their commands run there. False: nobody is left to come."""
    run = sprint.course.run
    merged = await run.branch(TOGETHER).merge([work.run for work in ready])
    for work in ready:
        if work.run.name in merged.left:
            paths = ", ".join(merged.conflicts)
            work.run = run.branch(work.lane)
            told = f"Your predecessor's work does not fit what others have done meanwhile, in: {paths}"
            landed.refused.append((work, told))
    fitting = tuple(work for work in ready if work.run.name not in merged.left)
    if not fitting:
        return False
    sprint.together, sprint.round = run.branch(TOGETHER, merged.tree, run.tree), fitting
    commands = dict.fromkeys(each for work in fitting for each in commands_of(sprint.course, work.todo))
    if commands:
        sprint.lanes.check(TOGETHER, sprint.together, [goal_of(command) for command in commands])
        return True
    landed.done += (await end_round(sprint, ())).done
    return True


async def end_round(sprint: Sprint, results: tuple[CheckResult, ...]) -> Brought:
    """All of them come in; or one by one, when not everything passes; or one is refused that was alone."""
    works, together, run, landed = sprint.round, sprint.together, sprint.course.run, Brought()
    assert together is not None
    sprint.round, sprint.together = (), None
    failing = [result for result in results if result.verdict.blocks]
    if not failing:
        sprint.singly = max(0, sprint.singly - len(works))
        await run.merge([together], made_of=[work.run for work in works])
        for work in works:
            await _commit(sprint, work, landed)
    elif len(works) > 1:
        sprint.singly = len(works)
    else:
        sprint.singly = max(0, sprint.singly - 1)
        for work in works:  # there is one
            work.run = run.branch(work.lane, together.tree, together.began)
            told = "It passes alone, and fails together with what others have done meanwhile.\n\n"
            landed.refused.append((work, told + feedback_of(failing, work.reply)))
    return landed


async def _commit(sprint: Sprint, work: Work, landed: Brought) -> None:
    await commit(sprint.course, work.commits, work.files, work.todo.title, str(work.todo.description))
    landed.done.append(work)
