"""Steps 4.3 and 4.4: end-to-end tests where a Playwright configuration exists, and the coverage of the tests."""

from __future__ import annotations

from andon.domain.auto.coverage import read_coverage
from andon.domain.auto.findings import check_findings
from andon.domain.auto.mode import Mode
from andon.domain.auto.red_flags import in_coverage
from andon.domain.goal import Goal
from andon.domain.run import Ending, Status
from andon.domain.verdict import CheckResult
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.ending import environment_error
from andon.pipelines.auto.measuring import check_once, refresh_environment
from andon.pipelines.auto.tidying import tidy
from andon.roles.contracts import TEXT

SHOWN_FILES = 10


async def further_checks(cycle: Cycle) -> Ending | None:
    """Not in LIGHT (A-119, A-121, X-70). An ending when the end-to-end tests cannot be made to pass."""
    cycle.further = ()
    if cycle.mode is Mode.LIGHT:
        return None
    goals = {goal.name: goal for goal in await cycle.run.further_goals(cycle.further_goals)}
    if cycle.request.options.skip_e2e:
        await cycle.run.say("notice", text=cycle.word("e2e.skipped"))
    elif ending := await _end_to_end(cycle, goals["e2e"], goals["e2e-details"]):
        return ending
    await _coverage(cycle, goals["coverage"])
    return None


async def _end_to_end(cycle: Cycle, tests: Goal, details: Goal) -> Ending | None:
    """A failure is looked at in detail, debugged by a teammate, and everything is run again (A-120, X-08)."""
    if not tests.commands and tests.settled is not None and not tests.settled.blocks:
        return None
    result = await check_once(cycle, tests)
    while _to_be_mended(cycle, result):
        cycle.e2e_fixes += 1
        seen = await check_once(cycle, details)
        most = cycle.limits.prompt_output_characters
        told = seen.shown(most) or result.shown(most) or result.reason
        await cycle.run.ask(cycle.assignment("fixer", "debugger", failure=told), TEXT)
        await tidy(cycle)
        await refresh_environment(cycle)
        result = await check_once(cycle, tests)
    cycle.further = (*cycle.further, result)
    if not result.verdict.blocks or cycle.accepts(*check_findings(result)):
        return None
    if result.environment_error:
        return await environment_error(cycle, result.reason)
    cycle.open_findings = check_findings(result)
    text = cycle.word("e2e.failed", reason=result.reason or "; ".join(result.signatures))
    await cycle.notify(text)
    return Ending(Status.NEEDS_PERSON, "e2e_failed", text)


def _to_be_mended(cycle: Cycle, result: CheckResult) -> bool:
    if not result.verdict.blocks or result.environment_error or cycle.accepts(*check_findings(result)):
        return False
    return cycle.e2e_fixes < cycle.limits.e2e_fixes


async def _coverage(cycle: Cycle, goal: Goal) -> None:
    """Told, and warned about below the mark; it blocks nothing."""
    if not goal.commands:
        return
    result = await check_once(cycle, goal)
    cycle.further = (*cycle.further, result)
    found = read_coverage(result.output)
    if found is None:
        await cycle.warn(cycle.word("coverage.unknown", reason=result.reason or "-"))
        return
    lines = [f"{each.path}: {each.lines}" for each in found.uncovered[:SHOWN_FILES]]
    text = cycle.word("coverage.measured", percent=f"{found.percent:g}", lines="; ".join(lines) or "-")
    await cycle.run.say("notice", text=text)
    if in_coverage(found.percent, cycle.limits):
        values = {"percent": f"{found.percent:g}", "threshold": cycle.limits.coverage_warning}
        await cycle.warn(cycle.say("coverage.low", **values))
