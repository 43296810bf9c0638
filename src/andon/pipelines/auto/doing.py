"""Phase 3 DO, LIGHT: one executor; andon measures the build; one retry, then promotion (A-63, A-90, X-01)."""

from __future__ import annotations

from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Facts, retries_build
from andon.domain.verdict import CheckResult
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.promoting import promote
from andon.pipelines.auto.tidying import tidy
from andon.roles.contracts import TEXT
from andon.roles.library import fill


async def light_do(cycle: Cycle, plan: str) -> CheckResult | None:
    """Implement and build. The build as last measured, None when there is nothing to build; see `cycle.mode`."""
    feedback = ""
    while True:
        await cycle.run.ask(cycle.assignment("executor", "executor-light", plan=plan, feedback=feedback), TEXT)
        await tidy(cycle, plan)
        built = await _build(cycle)
        if built is None or not built.verdict.blocks or built.environment_error:
            return built
        cycle.build_failures += 1
        if await promote(cycle, Facts(build_failures=cycle.build_failures)):
            return built
        if not retries_build(cycle.mode or Mode.LIGHT, cycle.build_failures, cycle.limits):
            return built
        feedback = fill("auto/executor-build-failed", {"failure": built.output or built.reason})


async def _build(cycle: Cycle) -> CheckResult | None:
    options = cycle.request.options
    goals = await cycle.run.goals(options.custom, options.interactive, cycle.goals)
    build = next((goal for goal in goals if goal.name == "build" and goal.commands), None)
    cycle.built = await cycle.run.check(build) if build else None
    return cycle.built
