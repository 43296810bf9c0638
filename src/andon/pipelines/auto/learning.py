"""What a run of `auto` leaves for later ones: what failed, what a person said, why it ended (E-14). Nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator

from andon.domain.learning import Lesson
from andon.domain.run import Ending, Status
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.learning import bounded, lesson


async def remember_run(cycle: Cycle, ending: Ending, direction: str) -> None:
    if not cycle.request.options.dry_run:
        await cycle.run.remember(bounded(_lessons(cycle, ending, direction)), ending)


def _lessons(cycle: Cycle, ending: Ending, direction: str) -> Iterator[Lesson]:
    """What people said comes first: it is worth most."""
    word = cycle.word
    if direction:
        yield lesson(word("notepad.direction", text=direction), "direction")
    for id, reason in cycle.accepted.items():
        yield lesson(word("record.accepted", id=id, reason=reason), "accepted")
    if ending.status not in (Status.DONE, Status.STOPPED):
        yield lesson(word("learned.ended", message=ending.message or ending.reason), "ending")
        for finding in cycle.open_findings:
            yield lesson(word("learned.open", text=finding.text), "open")
    for failure in {each.signature: each for each in cycle.history}.values():
        yield lesson(word("learned.failed", goal=failure.type, detail=failure.signature or failure.detail), "failure")
    if cycle.judged.verifier == "REJECT" and cycle.judged.reason:
        yield lesson(word("learned.rejected", reason=cycle.judged.reason), "rejection", "verifier")
    for each in cycle.promotions:
        cause = str(each.cause).replace("_", " ")
        yield lesson(word("learned.promoted", before=each.before, after=each.after, cause=cause), "size")
    if cycle.qa_cycle > 1:
        yield lesson(word("learned.cycles", mode=cycle.mode or "-", count=cycle.qa_cycle), "metrics")
