"""What workers hand in, kept with all others: `.uam/context` (C-39)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from andon.domain.uam.artefacts import NOTES, OUTPUTS_PATH, notes_path
from andon.domain.uam.knowledge import KEPT, added, one_line
from andon.domain.uam.state import listing
from andon.pipelines.uam.course import Course


async def keep_outputs(course: Course, replies: Sequence[dict[str, Any]]) -> None:
    """What workers handed in, with all others, and what they learned (C-39)."""

    def append(before: str | None) -> str:
        try:
            there = listing(json.loads(before or "[]"))
        except ValueError:
            there = []
        new = [reply for reply in replies if reply not in there]  # a step that is repeated after a kill adds it once
        return json.dumps([*there, *new], ensure_ascii=False, indent=1) + "\n"

    await course.run.amend(OUTPUTS_PATH, append)
    for kind in NOTES:
        told = [str(each) for reply in replies for each in listing(reply.get(kind))]
        entries = [one_line(each) for each in told if each.strip()]
        if entries:
            await course.run.amend(notes_path(kind), _adding(kind, entries))


def _adding(kind: str, entries: list[str]) -> Callable[[str | None], str]:
    def change(before: str | None) -> str:
        return added(before or "", KEPT[kind], entries)

    return change
