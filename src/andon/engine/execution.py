"""One leg of a run, from its payload to its ending: binds the run's services and calls its pipeline."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from andon.domain.run import Blocked, Bug, Ending, Status
from andon.engine.run import DurableRun
from andon.engine.services import Services

UNSERVED = "Stopped without being taken up again: what it needs is not there."
Pipeline = Callable[[DurableRun, dict[str, Any]], Awaitable[Ending]]


class Execution:
    """The entry function of the durable engine. What it returns goes into the run's row once it is recorded."""

    def __init__(self, pipelines: Mapping[str, Pipeline]) -> None:
        self._pipelines = pipelines
        self.services: Services | None = None
        """Set before the engine starts: what a run needs must be there before its workflow is touched.

        None: it is not there, and the run was told to stop. It then ends without another step.
        """

    async def __call__(self, workflow: str, payload: dict[str, Any]) -> dict[str, Any]:
        run_id, _, leg = workflow.rpartition(".")
        services = self.services
        if services is None:
            return _as_json(Ending(Status.STOPPED, "stopped", UNSERVED))
        run = DurableRun(services, run_id, int(leg), payload)
        task = payload["request"].get("task", "")
        await run.say("run_started", leg=int(leg), pipeline=payload["pipeline"], task=task, tree=payload["tree"])
        ending = await self._ending(run, payload | {"worktrees": services.visible})
        await run.tidied()
        await run.say("run_ended", **_as_json(ending), spent=asdict(run.spent))
        return _as_json(ending) | {"cleared": run.cleared}

    async def _ending(self, run: DurableRun, payload: dict[str, Any]) -> Ending:
        """Of the pipeline. It closes itself properly whatever its steps raise; here is what escapes it all the same."""
        try:
            ending = await self._pipelines[payload["pipeline"]](run, payload)
            return await _verified(run, ending)
        except Blocked as blocked:
            return Ending(Status.NEEDS_PERSON, "blocked", str(blocked))
        except Exception as error:
            if type(error).__module__.startswith("dbos"):
                raise  # the engine's own signals are not ours to judge
            bug = error if isinstance(error, Bug) else Bug(f"{type(error).__name__}: {error}", traceback.format_exc())
            await run.say("bug", error=str(bug), traceback=bug.traceback)
            return Ending(Status.FAILED, "bug", f"andon itself failed: {bug}")


async def _verified(run: DurableRun, ending: Ending) -> Ending:
    """Whatever a pipeline says: work that was not verified is not done. There is no other way to that status."""
    if ending.status is not Status.DONE:
        return ending
    reason = await run.unverified()
    return Ending(Status.FAILED, "unverified", reason) if reason else ending


def _as_json(ending: Ending) -> dict[str, Any]:
    return {"status": str(ending.status), "reason": ending.reason, "message": ending.message}
