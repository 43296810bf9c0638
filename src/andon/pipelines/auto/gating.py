"""Steps 3.2 and 3.3: the architect verifies from outside; a rejection is mended by the agent its domain asks for."""

from __future__ import annotations

from andon.domain.auto.routing import agent_for
from andon.domain.grammar import ArchitectReply
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.judging import tdd_note, told_changes
from andon.pipelines.auto.measuring import in_words, measure, refresh_environment
from andon.pipelines.auto.tidying import tidy
from andon.roles.contracts import ARCHITECT, TEXT


async def architect_gate(cycle: Cycle) -> None:
    """Two rejections at most; after the last a person has to decide, and the run goes on (A-91 to A-95).

    Going on is no approval: Phase 4 measures and judges the work again, and the report says what happened here.
    """
    for number in range(1, cycle.limits.architect_rejections + 1):
        verdict = await _verify(cycle)
        if verdict.approved:
            return
        cycle.count(cycle.counters.rejected())
        if number == cycle.limits.architect_rejections:
            text = cycle.say("gate.rejected", count=number)
            await cycle.warn(text)
            await cycle.notify(f"{text}\n{verdict.reason}")
            return
        await _fix(cycle, verdict)


async def _verify(cycle: Cycle) -> ArchitectReply:
    changes = await cycle.run.changes()
    asked = cycle.assignment(
        "impl-verifier",
        "impl-verifier",
        changes=told_changes(cycle, changes),
        checks=in_words(cycle.known_now),
        tdd_note=tdd_note(changes),
    )
    verdict = await cycle.run.ask(asked, ARCHITECT)
    cycle.architect = said = "APPROVE" if verdict.approved else "REJECT"
    reason = verdict.reason.removeprefix(f"DOMAIN: {verdict.domain}").lstrip()
    told = {"verdict": said, "domain": verdict.domain, "reason": reason}
    await cycle.run.say("verdict", name="impl-verifier", **told)
    return verdict


async def _fix(cycle: Cycle, verdict: ArchitectReply) -> None:
    """Step 3.3, then the checks the next verification is told about."""
    asked = cycle.assignment(
        "domain-fixer",
        "domain-fixer",
        agent_type=agent_for(verdict.domain),
        domain=verdict.domain,
        reason=verdict.reason,
    )
    await cycle.run.ask(asked, TEXT)
    await tidy(cycle)
    await refresh_environment(cycle)
    await measure(cycle)
