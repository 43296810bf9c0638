"""Takes what an agent forgot out of the tree, before anything is measured on it (A-146)."""

from __future__ import annotations

from andon.domain.auto.leftovers import leftovers
from andon.domain.auto.paths import affected_files
from andon.pipelines.auto.cycle import Cycle
from andon.ports import Run


async def tidy(cycle: Cycle, run: Run | None = None) -> None:
    """Temporary files that the base does not have and no document names go; the journal says which."""
    run = run or cycle.run
    if run.tree == cycle.tidied:
        return
    added = [change.path for change in await run.changes() if change.kind == "added"]
    declared = {*affected_files(cycle.plan), *affected_files(cycle.design)}
    found = leftovers(added, {*declared, cycle.plan_path, cycle.design_path, cycle.report_path})
    if found:
        await run.drop(found)
        text = cycle.word("leftovers.dropped", paths=", ".join(found))
        await cycle.run.say("notice", text=text, paths=list(found), tree=run.tree, branch=run.name)
    cycle.tidied = run.tree
