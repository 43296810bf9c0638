"""`.omc/notepad.md`: the orchestrator's scratch memory, which outlives runs (A-29). Append only."""

from __future__ import annotations

from andon.domain.auto.artefacts import NOTEPAD_PATH, SCRATCH_IGNORE
from andon.ports import Run

MOST = 200_000
"""Characters of it that are kept; the oldest lines go first."""


async def note(run: Run, text: str) -> None:
    """One more line, after whatever people and earlier runs wrote there."""
    await keep_out_of_commits(run)
    before = await run.read(NOTEPAD_PATH) or ""
    whole = f"{before.rstrip()}\n- {' '.join(text.split())} (run {run.id})\n".lstrip()
    await run.write(NOTEPAD_PATH, whole if len(whole) <= MOST else whole[-MOST:].partition("\n")[2], state=True)


async def keep_out_of_commits(run: Run) -> None:
    """What andon remembers of chats and mail is not for a `git add --all` to publish; a person's own rules stand."""
    if await run.read(SCRATCH_IGNORE) is None:
        await run.write(SCRATCH_IGNORE, "*\n", state=True)
