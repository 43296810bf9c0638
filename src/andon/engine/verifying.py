"""The verb `verify`, and what follows from it: nothing is published, and no run is done, without its verdict.

Whether a verdict is needed is decided by the files alone, never by what a pipeline says of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.goal import Goal
from andon.domain.run import Bug
from andon.domain.verdict import CheckResult, Verdict
from andon.domain.verification import Question, Verification, finding_id
from andon.engine import wire
from andon.engine.leg import Leg, Step
from andon.engine.measuring import Measuring
from andon.engine.services import Services
from andon.ports import Prepared

GOOD = (Verdict.PASSED, Verdict.NOT_NEEDED)
UNVERIFIED = "the work was not verified"


class VerifyVerb:
    """Part of DurableRun."""

    _services: Services
    _leg: Leg
    _measuring: Measuring
    _prepared: Prepared
    _prepared_base: Prepared
    id: str
    base: str
    tree: str
    _verified: Verification | None = None
    """The newest verdict of this leg."""
    _accepted: frozenset[str] = frozenset()
    """Findings that a person accepted since it, each signed in the ledger."""

    async def verify(
        self, goals: tuple[Goal, ...], plan: str, accepted: Mapping[str, str], known: tuple[CheckResult, ...]
    ) -> Verification:
        question = Question(self.base, self.tree, goals, plan, accepted, known)
        prepared = {self.base: self._prepared_base, self.tree: self._prepared}

        async def body(position: str) -> dict[str, Any]:
            told = await self._measuring.verify(question, position, prepared)
            if told is None:
                return {"stopped": True}
            await asyncio.to_thread(self._record, told, position, question)
            entry = {"verdict": str(told.verdict), "reason": told.reason, "notes": list(told.notes)}
            entry |= {"findings": [wire.finding_to_json(finding) for finding in told.findings]}
            entry |= {"excused": [each.finding.message for each in told.excused], "tree": told.tree}
            await self._leg.write(f"{position}/verification", "verification", entry)
            return {"verification": wire.verification_to_json(told)}

        recorded = await self._measured("verify", body)
        self._verified = wire.verification_from_json(recorded["verification"])
        return self._verified

    def _record(self, told: Verification, position: str, question: Question) -> None:
        ledger = self._services.shared.ledger
        goals = {goal.name: goal for goal in question.goals}
        fresh = [result for result in told.results if result not in question.known]
        for number, result in enumerate(fresh, start=1):
            ledger.append(self.id, f"{position}.{number}", result, goals.get(result.goal))
        ledger.append(self.id, position, told.as_result)

    async def unverified(self) -> str:
        """Why the present tree may not count as done work; nothing when it may.

        What andon itself writes down about a run, in folders of its own, is no part of the work.
        """
        judged = self._verified
        since = judged.tree if judged else self.base
        tree, workspace = self.tree, self._services.workspace
        changed = await asyncio.to_thread(workspace.changes, since, tree)
        work = [change.path for change in changed if not change.path.startswith(DOCUMENT_FOLDERS)]
        if work:
            return f"{UNVERIFIED}: {work[0]} changed" + (" after its verdict" if judged else "")
        if judged and self._standing(judged).verdict not in GOOD:
            return f"{UNVERIFIED}: {judged.reason}"
        return ""

    def _standing(self, judged: Verification) -> Verification:
        """The verdict without what a person has accepted meanwhile."""
        left = tuple(finding for finding in judged.findings if finding_id(finding) not in self._accepted)
        return replace(judged, findings=left)

    async def _need_verdict(self) -> None:
        if reason := await self.unverified():
            raise Bug(reason, "")

    if TYPE_CHECKING:

        async def _measured(self, label: str, body: Step) -> dict[str, Any]: ...
