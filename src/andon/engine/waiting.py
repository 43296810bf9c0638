"""Waiting inside a step: for work, for a person, for a moment, always ending at once when the run is stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from andon.domain.errors import UserError
from andon.domain.order import Question
from andon.domain.run import Status
from andon.engine.holds import TIMEOUT, Hold
from andon.engine.services import Shared

LONGEST_SLEEP = 3600.0
"""One timer never runs longer, so that a clock set forward or back is noticed within the hour."""


class Waiting:
    def __init__(self, shared: Shared, run: str) -> None:
        self._shared = shared
        self._run = run
        self._stop: asyncio.Future[None] | None = None

    async def stop_requested(self) -> bool:
        return self._stopped().done() or await asyncio.to_thread(self._shared.holds.stop_requested, self._run)

    def _stopped(self) -> asyncio.Future[None]:
        # Registered on first use: it belongs to the loop the run executes on.
        if self._stop is None:
            self._stop = self._shared.watcher.future("stop", self._run)
        return self._stop

    async def first_of(self, work: asyncio.Future[Any], within: float | None = None) -> bool:
        """True when `work` is done; False when the run was stopped first or the time is up."""
        stop = self._stopped()
        if await self.stop_requested():
            return False
        await asyncio.wait({work, stop}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        return work.done()

    async def until(self, moment: float) -> bool:
        """Wait for a wall-clock moment. False when the run was stopped first."""
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # By both clocks, whichever is first: one that is set back must not make the wait longer.
        deadline = time.monotonic() + (moment - time.time())
        while (left := min(moment - time.time(), deadline - time.monotonic())) > 0:
            await self.first_of(never, within=min(left, LONGEST_SLEEP))
            if await self.stop_requested():
                return False
        return True

    async def answer(
        self, id: str, question: Question, opened: Callable[[str], object] = lambda hold: None
    ) -> str | None:
        """Open the hold `run/id` and wait for its answer or its default. None when the run was stopped. `opened` makes
        what belongs to it."""
        full_id = f"{self._run}/{id}"
        question = self._clean(question)
        answered = self._shared.watcher.future("answered", full_id)
        hold = await asyncio.to_thread(self._shared.holds.open, full_id, self._run, question)
        await asyncio.to_thread(opened, full_id)
        asked = {"question": question.text, "options": list(question.options), "default": question.default}
        asked |= {"timeout": question.timeout, "category": question.category}
        await self._say(f"{id}/opened", "hold_opened", hold=full_id, **asked)
        await asyncio.to_thread(self._shared.runs.update, self._run, status=str(Status.WAITING))
        try:
            if hold.open and (given := await asyncio.to_thread(self._given_before, hold)):
                hold = await self._taken(hold, given)
            elif hold.open:
                if not await self._parked(answered, hold):
                    return None
                hold = await asyncio.to_thread(self._shared.holds.get, full_id) or hold
        finally:
            answered.cancel()
        await asyncio.to_thread(self._shared.runs.update, self._run, status=str(Status.RUNNING))
        text = hold.answer or ""
        await self._say(f"{id}/answered", "hold_answered", hold=full_id, answer=text, by=hold.answered_by or "")
        return text

    def _given_before(self, hold: Hold) -> Hold | None:
        """What a person has said to the same question, asked in an earlier leg that was over before it heard them."""
        if hold.question.category == "review":
            return None  # decided with the version that was looked at
        answered = [each for each in self._shared.holds.of_run(self._run) if not each.open and each.by_person]
        same = [each for each in answered if each.question == hold.question and self._leg(each) < self._leg(hold)]
        if not same:
            return None
        entries = self._shared.journal.entries(self._run)
        heard = {str(entry.data["hold"]) for entry in entries if entry.kind == "hold_answered"}
        return next((each for each in reversed(same) if each.id not in heard), None)

    def _leg(self, hold: Hold) -> int:
        return int(hold.id.removeprefix(f"{self._run}/").partition(".")[0])

    async def _taken(self, hold: Hold, given: Hold) -> Hold:
        """The answer counts here, and nowhere else."""
        answer, by = given.answer or "", given.answered_by or ""
        try:
            taken = await asyncio.to_thread(self._shared.holds.answer, hold.id, answer, by)
        except UserError:  # somebody answers it at this very moment
            return await asyncio.to_thread(self._shared.holds.get, hold.id) or hold
        place = given.id.removeprefix(f"{self._run}/")
        await self._say(f"{place}/answered", "hold_answered", hold=given.id, answer=answer, by=by)
        return taken

    async def _parked(self, answered: asyncio.Future[None], hold: Hold) -> bool:
        """True once the hold has an answer, given by a person or taken from the default. False: stopped."""
        if hold.deadline is not None:
            if await self.first_of(answered, within=max(0.0, _left(hold))):
                return True
            if await self.stop_requested():
                return False
            # A person who is faster by a moment wins: by an answer, or by asking the run to wait for one.
            if await asyncio.to_thread(self._shared.holds.take_default, hold.id, TIMEOUT):
                return True
        with self._shared.watcher.parking():
            return await self.first_of(answered)

    def _clean(self, question: Question) -> Question:
        clean = self._shared.journal.redaction.clean
        return replace(
            question,
            text=clean(question.text),
            options=tuple(clean(list(question.options))),
            default=clean(question.default),
        )

    async def _say(self, key: str, kind: str, **data: Any) -> None:
        await asyncio.to_thread(self._shared.journal.append, self._run, key, kind, "", data)


def _left(hold: Hold) -> float:
    """Seconds until the timeout. A clock set back can never make the wait longer than it was meant to be."""
    timeout = hold.question.timeout or 0.0
    return min(timeout, hold.opened_at + timeout - time.time())
