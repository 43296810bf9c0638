"""Phase 3 DO: LIGHT has one executor and a build; STANDARD and HEAVY the five conditions and the architect's gate."""

from __future__ import annotations

from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Facts, retries_build
from andon.domain.run import Ending, Status
from andon.domain.verdict import CheckResult
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.ending import environment_error
from andon.pipelines.auto.gating import architect_gate
from andon.pipelines.auto.implementing import implement
from andon.pipelines.auto.measuring import measure, refresh_environment
from andon.pipelines.auto.promoting import promote
from andon.pipelines.auto.tidying import tidy
from andon.roles.contracts import TEXT
from andon.roles.library import fill


async def do(cycle: Cycle, wished: str = "") -> Ending | None:
    """An ending when the work cannot go on to Phase 4. `wished` is what a person wants changed in it (A-139)."""
    if cycle.mode is Mode.LIGHT:
        built = await _light(cycle, wished)
        if cycle.mode is Mode.LIGHT:
            return await _after_build(cycle, built)
    outcome = await implement(cycle, wished)
    if outcome.completed:
        await architect_gate(cycle)
        return None
    if outcome.environment_problem:
        return await environment_error(cycle, outcome.environment_problem)
    issues = "; ".join(outcome.remaining) or "-"
    if outcome.recommendation:
        text = cycle.say("implementation.failed", remaining_issues=issues, recommendation=outcome.recommendation)
    else:
        text = cycle.say("implementation.failed.plain", remaining_issues=issues)
    await cycle.notify(text)
    reason = "merge_conflict" if outcome.conflicts else "implementation_failed"
    return Ending(Status.NEEDS_PERSON, reason, text)


async def _light(cycle: Cycle, wished: str) -> CheckResult | None:
    """Implement and build. The build as last measured, None when there is nothing to build; see `cycle.mode`."""
    told = fill("auto/parts/wish", {"wish": wished}, cycle.limits) if wished else ""
    by_hand = bool(cycle.by_hand) and not cycle.direction and not wished  # a person did it: measured, not done again
    while True:
        if not by_hand:
            await cycle.run.ask(cycle.assignment("executor", "executor-light", plan=cycle.plan, feedback=told), TEXT)
        by_hand = False
        await tidy(cycle)
        built = await _build(cycle)
        if built is None or not built.verdict.blocks or built.environment_error:
            return built
        cycle.build_failures += 1
        if await promote(cycle, Facts(build_failures=cycle.build_failures)):
            return built
        if not retries_build(cycle.mode or Mode.LIGHT, cycle.build_failures, cycle.limits):
            return built
        told = fill("auto/parts/executor-build-failed", {"failure": built.output or built.reason}, cycle.limits)


async def _build(cycle: Cycle) -> CheckResult | None:
    await refresh_environment(cycle)
    measured = await measure(cycle, only=("build",), needed=True)
    return next(iter(measured.results), None)


async def _after_build(cycle: Cycle, built: CheckResult | None) -> Ending | None:
    if built is None or not built.verdict.blocks:
        return None
    if built.environment_error:
        return await environment_error(cycle, built.reason)
    text = cycle.word("ended.build", reason=built.reason)
    await cycle.notify(text)
    return Ending(Status.FAILED, "build", text)
