"""Coming into the run's files: all who are ready, in one round, measured once on the files of all.

What fails never was in the run's files, so it fails nobody else's commands. Whose commands failed in a round is
measured by itself; who passes there comes in again with nobody else, so that it is known what does not go together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from andon.domain.verdict import CheckResult
from andon.pipelines.commands import goal_of
from andon.pipelines.uam.committing import parts
from andon.pipelines.uam.planfile import commands_of
from andon.pipelines.uam.works import READY, Sprint, Work, feedback_of
from andon.ports import Merged
from andon.roles.uam_contracts import Commit

TOGETHER = "together"
"""The lane of a round."""
MERGED, MEASURED, IN, COMMITTED = "merged", "measured", "in", "committed"
"""What is done next with a round."""
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
        sprint.together, sprint.coming = sprint.course.run.branch(TOGETHER), MERGED
        sprint.lanes.merge(TOGETHER, sprint.together, [work.run for work in sprint.round])


def go_on_with_round(sprint: Sprint, value: Any) -> Brought:
    """One step further with it. Each is a verb of its lane: who works next does not wait for it."""
    match sprint.coming:
        case "merged":
            return _measure(sprint, value)
        case "measured":
            return _judge(sprint, value)
        case "in":
            sprint.coming = COMMITTED
            made = (parts(sprint.course, *_told(work)) for work in sprint.round)
            sprint.lanes.commit(TOGETHER, sprint.course.run, [part for each in made for part in each])
            return Brought()
        case _:
            return Brought(done=list(_ended(sprint)))


def _measure(sprint: Sprint, merged: Merged) -> Brought:
    """Have the commands of all run, on the files of all. Who does not fit there is refused."""
    assert sprint.together is not None
    brought, sprint.coming = Brought(), MEASURED
    for work in [each for each in sprint.round if each.run.name in merged.left]:
        work.run = sprint.course.run.branch(work.lane)
        paths = ", ".join(merged.conflicts)
        told = f"Your predecessor's work does not fit what others have done meanwhile, in: {paths}"
        brought.refused.append((work, told))
    refused = [work for work, _ in brought.refused]
    sprint.round = tuple(work for work in sprint.round if work not in refused)
    commands = dict.fromkeys(each for work in sprint.round for each in commands_of(sprint.course, work.todo))
    if commands:
        sprint.lanes.check(TOGETHER, sprint.together, [goal_of(command) for command in commands])
    elif sprint.round:
        _let_in(sprint)
    return brought


def _let_in(sprint: Sprint) -> None:
    assert sprint.together is not None
    sprint.coming = IN
    sprint.lanes.merge(TOGETHER, sprint.course.run, [sprint.together], made_of=[work.run for work in sprint.round])


def _judge(sprint: Sprint, results: tuple[CheckResult, ...]) -> Brought:
    """All of them come in, or nobody."""
    failing = {result.goal: result for result in results if result.verdict.blocks}
    if not failing:
        _let_in(sprint)
        return Brought()
    together, brought = sprint.together, Brought()
    assert together is not None
    for work in _ended(sprint):
        own = [failing[each] for each in commands_of(sprint.course, work.todo) if each in failing]
        if own and work.run.tree == together.tree:
            brought.failed.append((work, own))
        elif own and work.alone:
            work.run = sprint.course.run.branch(work.lane, together.tree, together.began)
            brought.refused.append((work, f"{CLASH}\n\n{feedback_of(own, work.reply)}"))
        elif own:
            brought.suspects.append(work)
    return brought


def _ended(sprint: Sprint) -> tuple[Work, ...]:
    works, sprint.round, sprint.together = sprint.round, (), None
    return works


def _told(work: Work) -> tuple[Sequence[Commit], Sequence[str], str, str]:
    return work.commits, work.files, work.todo.title, _reason(work)


def _reason(work: Work) -> str:
    """What was asked for, and what the worker says of it."""
    return "\n\n".join(filter(None, (str(work.todo.description).strip(), work.summary.strip())))
