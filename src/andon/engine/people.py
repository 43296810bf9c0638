"""The verbs at which a run waits for people: a question, a review, a finding that somebody accepts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

from andon.domain.order import Question
from andon.domain.tasks.reviews import DECISIONS, Presented, Review
from andon.engine import wire
from andon.engine.ledger import Acceptance
from andon.engine.leg import Leg
from andon.engine.services import Services
from andon.engine.waiting import Waiting


class PeopleVerbs:
    """Part of DurableRun."""

    _services: Services
    _leg: Leg
    _waiting: Waiting
    _accepted: frozenset[str]
    id: str
    tree: str

    async def hold(self, question: Question) -> str:
        async def body(position: str) -> dict[str, Any]:
            answer = await self._waiting.answer(position, question)
            return {"stopped": True} if answer is None else {"answer": answer}

        return (await self._leg.step("hold", body))["answer"]

    async def review(self, shown: Presented) -> Review:
        tree = self.tree

        async def body(position: str) -> dict[str, Any]:
            reviews, id = self._services.shared.reviews, f"{self.id}.{position}"
            new = Review(id, self.id, shown.phase, tree, datetime.now(UTC), shown.base, shown.deliverables)
            stands = list[Review]()

            def opened(hold: str) -> None:
                stands.append(reviews.open(hold, new, shown.verification))

            asked = Question(shown.text, tuple(map(str, DECISIONS)), category="review")
            if await self._waiting.answer(position, asked, opened) is None:
                return {"stopped": True}
            return {"review": wire.review_to_json(await asyncio.to_thread(reviews.get, stands[0].id))}

        return wire.review_from_json((await self._leg.step("review", body))["review"])

    async def accept(self, finding: str, text: str, reason: str) -> None:
        tree = self.tree

        async def body(position: str) -> dict[str, Any]:
            # Whoever answered last: accepting is what they chose.
            answered = [hold.answered_by for hold in self._services.shared.holds.of_run(self.id) if hold.answered_by]
            by = answered[-1] if answered else ""
            accepted = Acceptance(finding, text, by, reason, tree)
            await asyncio.to_thread(self._services.shared.ledger.accept, self.id, f"{position}/{finding}", accepted)
            told = {"id": finding, "text": text, "by": by, "reason": reason}
            await self._leg.write(f"{position}/accepted", "accepted", told)
            return {}

        await self._leg.step("accept", body)
        self._accepted |= {finding}
