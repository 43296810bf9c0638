"""Takes what an agent forgot out of the tree, before anything is measured on it (A-146)."""

from __future__ import annotations

from andon.domain.auto.leftovers import leftovers
from andon.domain.auto.paths import affected_files
from andon.pipelines.auto.cycle import Cycle


async def tidy(cycle: Cycle, plan: str) -> None:
    """Temporary files that the base does not have and the plan does not name go; the journal says which."""
    run = cycle.run
    if run.tree == cycle.tidied:
        return
    added = [change.path for change in await run.changes() if change.kind == "added"]
    found = leftovers(added, {*affected_files(plan), cycle.plan_path, cycle.report_path})
    if found:
        await run.drop(found)
        await run.say("notice", text=cycle.word("leftovers.dropped", paths=", ".join(found)), paths=list(found))
    cycle.tidied = run.tree
