"""Looks at the files of an agent that is at work, and tells in the journal which steps of its phase are done.

An agent is not asked and not believed: a step is done when its document, or the part of it, lies there (D-120, D-121).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from andon.domain.tasks.stepping import Seen, Underway
from andon.ports import Workspace

LOOK_SECONDS = 2.0
Told = tuple[str, str, dict[str, Any]]
SayAll = Callable[[Sequence[Told]], Awaitable[None]]
"""(key, kind, data) each; what has been told under a key is not told again."""


class Stepping:
    def __init__(self, underway: Underway, workspace: Workspace, began: str, say_all: SayAll) -> None:
        self._underway = underway
        self._workspace = workspace
        self._began = began
        """The tree that the phase began with."""
        self._say_all = say_all
        self._before: dict[str, str] | None = None
        self._seen = Seen()

    @property
    def progress(self) -> float | None:
        return self._underway.progress(self._seen)

    async def begin(self, place: str) -> None:
        """A new attempt: it begins with what lies there. Work that was put back is not done any more."""
        self._seen = await asyncio.to_thread(self._look)
        await self._say_all(self._starts(place))

    async def look(self, place: str) -> None:
        """What has come since: never less within one attempt."""
        before, self._seen = self._seen, self._seen | await asyncio.to_thread(self._look)
        if self._seen == before:
            return
        told: list[Told] = [
            (f"{place}/document.{path}", "document_created", {"path": path})
            for path in self._seen.documents
            if path not in before.documents
        ]
        for count, number in enumerate(sorted(self._seen.steps - before.steps), len(before.steps)):
            told.append((f"{place}/step_started.{number}", "step_started", self._underway.told(number, count)))
            told.append((f"{place}/step_ended.{number}", "step_ended", self._underway.told(number, count + 1)))
        await self._say_all([*told, *self._starts(place)])

    def _starts(self, place: str) -> list[Told]:
        """The first that is not done."""
        number = self._underway.next_step(self._seen)
        if number is None:
            return []
        data = self._underway.told(number, len(self._seen.steps))
        return [(f"{place}/step_started.{number}", "step_started", data)]

    def _look(self) -> Seen:
        paths = self._underway.paths
        if self._before is None:
            kept = self._workspace.contents(self._began, paths) if self._began else {}
            self._before = {path: content.decode(errors="replace") for path, content in kept.items()}
        found = ((path, self._workspace.read(path)) for path in paths)
        return self._underway.seen({path: text for path, text in found if text is not None}, self._before)
