"""Raising the mode when reality disagrees with the score. What follows reads the mode where it needs it."""

from __future__ import annotations

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Facts, promotion
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.notepad import remember
from andon.ports import Change


async def promote_by_work(cycle: Cycle, changes: tuple[Change, ...]) -> bool:
    """Promote if the work touches more files than the mode is for, whatever the plan said (A-65)."""
    return await promote(cycle, Facts(affected_files=affected(changes)))


def affected(changes: tuple[Change, ...]) -> int:
    """Files of the work, without andon's own documents."""
    return sum(not change.path.startswith(DOCUMENT_FOLDERS) for change in changes)


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
    await remember(cycle, text)
    if found.before is Mode.LIGHT and cycle.phase > 1:
        # LIGHT needs neither; from here on they are as the base has them, like all that is measured.
        cycle.further_goals = await cycle.run.further_goals(at_base=True)
    return True
