"""What andon measures on the present tree, each goal once for as long as the tree stays the same."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from andon.domain.auto.conditions import COMPARED, asks_to_mend
from andon.domain.auto.findings import check_findings
from andon.domain.goal import Goal
from andon.domain.manifests import declared_manifests
from andon.domain.verdict import CheckResult, Verdict
from andon.pipelines.auto.cycle import Cycle
from andon.ports import Run


@dataclass(frozen=True, slots=True)
class Measured:
    goals: tuple[Goal, ...]
    results: tuple[CheckResult, ...]

    def environment_problem(self, cycle: Cycle) -> str:
        """Why nothing an agent does could help, if so (A-106), and no person accepts that."""
        broken = (result for result in self.results if result.environment_error)
        return next((result.reason for result in broken if not cycle.accepts(*check_findings(result))), "")


async def measure(
    cycle: Cycle,
    run: Run | None = None,
    *,
    goals: tuple[Goal, ...] = (),
    only: Collection[str] = (),
    needed: bool = False,
) -> Measured:
    """The goals on the run's tree, or a branch's; `only` names those wanted, `needed` leaves out what has no command.

    What is known of this very tree is not measured again.
    """
    run = run or cycle.run
    options = cycle.request.options
    goals = goals or await run.goals(options.custom, options.interactive, cycle.goals)
    # The first tests of a project are frozen as they appear: nobody gets rid of them again by deleting them.
    cycle.goals = goals
    wanted = tuple(goal for goal in goals if (not only or goal.name in only) and (goal.commands or not needed))
    known = {result.goal: result for result in cycle.known if result.tree == run.tree}
    fresh = await run.check_all([goal for goal in wanted if goal.name not in known])
    known |= {result.goal: await _to_blame(cycle, run, goals, result) for result in fresh}
    others = (result for result in cycle.known if result.goal not in known)
    cycle.known = (*others, *known.values())
    return Measured(wanted, tuple(known[goal.name] for goal in wanted))


async def _to_blame(cycle: Cycle, run: Run, goals: tuple[Goal, ...], result: CheckResult) -> CheckResult:
    """A linter's or type checker's failure without what the base has too, unless mending that is the task."""
    if result.verdict is not Verdict.FAILED or result.goal not in COMPARED or asks_to_mend(cycle.request.task):
        return result
    goal = next(goal for goal in goals if goal.name == result.goal)
    before = cycle.at_base.get(goal) or await run.check(goal, at_base=True)
    cycle.at_base = {**cycle.at_base, goal: before}
    return await run.compare(goal, before, result) if before.verdict is Verdict.FAILED else result


async def check_once(cycle: Cycle, goal: Goal) -> CheckResult:
    """One goal on the present tree, unless it is known already."""
    known = next((each for each in cycle.known if each.goal == goal.name and each.tree == cycle.run.tree), None)
    if known is not None:
        return known
    result = await cycle.run.check(goal)
    cycle.known = (*(each for each in cycle.known if each.goal != goal.name), result)
    return result


async def refresh_environment(cycle: Cycle, run: Run | None = None) -> None:
    """Where the plan named a manifest or lock file and it was changed, checks need what it asks for now."""
    run = run or cycle.run
    declared = declared_manifests(cycle.plan)
    if declared and any(change.path in declared for change in await run.changes()):
        await run.prepare()
        cycle.known = ()  # measured in another environment


def in_words(results: tuple[CheckResult, ...]) -> str:
    """For prompts and reports, one line each."""
    lines: list[str] = []
    for result in results:
        how = " ".join(result.command) or result.reason
        if result.command and result.reason and not result.verdict.blocks:
            how = f"{how}: {result.reason}"
        lines.append(f"{result.goal}: {str(result.verdict).replace('_', ' ')} ({how})")
    return "\n".join(lines)
