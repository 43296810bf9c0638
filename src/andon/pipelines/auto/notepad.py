"""`.omc/notepad.md`: the orchestrator's scratch memory, which outlives runs (A-29). Append only."""

from __future__ import annotations

from andon.domain.auto.artefacts import NOTEPAD_PATH, SCRATCH_IGNORE
from andon.domain.run import Blocked
from andon.pipelines.auto.cycle import Cycle
from andon.ports import Run

MOST = 200_000
"""Characters of it that are kept; the oldest lines go first."""


async def note(run: Run, *texts: str) -> None:
    """One more line each, after whatever people and earlier runs wrote there; what stands there is not said again."""
    await keep_out_of_commits(run)
    before = (await run.read(NOTEPAD_PATH) or "").rstrip()
    lines = [f"- {' '.join(text.split())} (run {run.id})" for text in texts]
    fresh = [line for line in lines if line not in before.splitlines()]
    if not fresh:
        return
    whole = "\n".join([before, *fresh]).lstrip() + "\n"
    await run.write(NOTEPAD_PATH, whole if len(whole) <= MOST else whole[-MOST:].partition("\n")[2], state=True)


async def remember(cycle: Cycle, *texts: str) -> None:
    """What a later run may want to know of this one. A notepad that cannot be written is no reason to end."""
    if not texts or cycle.request.options.dry_run:
        return
    try:
        await note(cycle.run, *texts)
    except Blocked as blocked:
        await cycle.warn(cycle.word("notepad.unwritten", problem=blocked))


async def remember_people(cycle: Cycle) -> None:
    """What a person said and accepted before this leg."""
    said = [cycle.word("notepad.direction", text=cycle.direction)] if cycle.direction else []
    accepted = [cycle.word("record.accepted", id=id, reason=reason) for id, reason in cycle.accepted.items()]
    await remember(cycle, *said, *accepted)


async def keep_out_of_commits(run: Run) -> None:
    """What andon remembers of chats and mail is not for a `git add --all` to publish; a person's own rules stand."""
    if await run.read(SCRATCH_IGNORE) is None:
        await run.write(SCRATCH_IGNORE, "*\n", state=True)
