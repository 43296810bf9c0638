"""Ways a phase ends the run that more than one phase has."""

from __future__ import annotations

from andon.domain.run import Ending, Status
from andon.pipelines.auto.cycle import Cycle


async def environment_error(cycle: Cycle, detail: str) -> Ending:
    """A tool is missing, and no change of the code could help (A-106)."""
    text = cycle.say("qa.environment", detail=detail)
    await cycle.notify(text)
    return Ending(Status.NEEDS_PERSON, "environment", text)
