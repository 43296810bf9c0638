"""Phase 2 DESIGN: the design document of STANDARD and HEAVY, and the gate it must pass before Phase 3."""

from __future__ import annotations

from andon.domain.auto.design import missing_items
from andon.domain.auto.mode import Mode
from andon.domain.auto.paths import affected_files
from andon.domain.auto.plan import names_of
from andon.domain.auto.promotion import Facts
from andon.domain.run import Ending, Status
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.promoting import promote
from andon.roles.contracts import TEXT
from andon.roles.library import fill


async def design(cycle: Cycle, wished: str = "") -> Ending | None:
    """Write the design into its document and `cycle.design`. An ending when a person has to complete it (A-71).

    `wished` is what a person wants changed in the one that is there (A-139).
    """
    if wished:
        await _write(cycle, "design-again", missing=wished)
    else:
        more = fill("auto/parts/design-heavy", {}) if cycle.mode is Mode.HEAVY else ""
        await _write(cycle, "design-writer", more_items=more)
    for _ in range(cycle.limits.plan_completion_requests):
        missing = _missing(cycle)
        if not missing:
            break
        await cycle.run.say("design_rerequested", missing=missing)
        await _write(cycle, "design-again", missing=missing)
    if missing := _missing(cycle):
        await cycle.notify(missing)
        return Ending(Status.NEEDS_PERSON, "design_incomplete", missing)
    await promote(cycle, Facts(affected_files=len(affected_files(cycle.design))))
    return None


async def _write(cycle: Cycle, prompt: str, **values: str) -> None:
    asked = cycle.assignment("design-writer", prompt, document=cycle.design_path, **values)
    await cycle.run.ask(asked, TEXT)
    cycle.design = await cycle.read(cycle.design_path)


def _missing(cycle: Cycle) -> str:
    items = missing_items(cycle.design)
    return cycle.say("design.incomplete", missing=names_of(items, cycle.language)) if items else ""
