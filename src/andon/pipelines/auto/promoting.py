"""Raising the mode when reality disagrees with the score. What follows reads the mode where it needs it."""

from __future__ import annotations

from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Facts, promotion
from andon.pipelines.auto.cycle import Cycle


async def promote(cycle: Cycle, facts: Facts) -> bool:
    """Promote if the facts call for it; the change is recorded with its cause."""
    found = promotion(cycle.mode or Mode.LIGHT, cycle.phase, facts, cycle.limits, eco=cycle.request.options.eco)
    if found is None:
        return False
    cycle.promoted(found)
    await cycle.run.mark(mode=str(found.after))
    text = cycle.say(
        "promoted", phase=cycle.phase, before=found.before, after=found.after, cause=f"{found.cause} ({found.count})"
    )
    data = {"before": str(found.before), "after": str(found.after), "cause": str(found.cause), "count": found.count}
    await cycle.run.say("promoted", text=text, **data)
    return True
