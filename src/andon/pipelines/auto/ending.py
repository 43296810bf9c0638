"""Ways a phase ends the run that more than one phase has, and what the end of one that is done says."""

from __future__ import annotations

from andon.domain.run import Ending, Status
from andon.pipelines.auto.cycle import Cycle

TITLE = 72
"""Characters of a commit's first line."""


async def environment_error(cycle: Cycle, detail: str) -> Ending:
    """A tool is missing, and no change of the code could help (A-106)."""
    text = cycle.say("qa.environment", detail=detail)
    await cycle.notify(text)
    return Ending(Status.NEEDS_PERSON, "environment", text)


def done_message(cycle: Cycle) -> str:
    """What a person accepted is said with it: done over a finding is not done without one."""
    if not cycle.accepted:
        return cycle.word("ended.done", feature=cycle.feature)
    findings = ", ".join(_accepted(cycle))
    return cycle.word("ended.done_accepted", feature=cycle.feature, findings=findings)


def commit_message(cycle: Cycle) -> str:
    """The task as title; plan, report, run and each acceptance as trailers."""
    first = " ".join(cycle.request.task.split())
    title = first if len(first) <= TITLE else first[: TITLE - 1] + "…"
    trailers = [f"Plan: {cycle.plan_path}", f"Report: {cycle.report_path}", f"Andon-Run: {cycle.run.id}"]
    trailers += [f"Andon-Accepted: {each}" for each in _accepted(cycle)]
    return "\n".join([title, "", *trailers]) + "\n"


def _accepted(cycle: Cycle) -> list[str]:
    """Each in one line, whatever its reason looks like."""
    return [f"{id} ({' '.join(reason.split())})" for id, reason in cycle.accepted.items()]
