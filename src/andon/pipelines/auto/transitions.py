"""What `--interactive` asks between two phases, and what the answer leads to (A-139 to A-141)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from andon.domain.auto.start import CHOICES, TRANSITIONS, banner
from andon.domain.order import Question
from andon.domain.run import Ending
from andon.pipelines.auto.cycle import Cycle

Revise = Callable[[Cycle, str], Awaitable[Ending | None]]
"""Makes the change a person wants, in their words."""
PHASES = {1: "plan", 2: "design", 3: "do", 4: "check"}


async def transition(cycle: Cycle, phase: int, artefact: str, decision: str) -> str:
    """The choice at the end of a phase, by its key in `CHOICES`. Without `--interactive` nobody is asked."""
    offered = TRANSITIONS[phase]
    if not cycle.request.options.interactive:
        return offered.default
    words = {choice: str(getattr(CHOICES[choice], cycle.language.value)) for choice in offered.choices}
    question = Question(
        text=banner(cycle.language, phase, artefact, _teammates(cycle, phase), decision),
        options=tuple(words.values()),
        default=words[offered.default],
        timeout=cycle.limits.interactive_seconds,
        category="transition",
    )
    answer = await cycle.run.hold(question)
    return next((choice for choice, word in words.items() if word == answer), offered.default)


def _teammates(cycle: Cycle, phase: int) -> tuple[tuple[str, str], ...]:
    """Who worked in the phase, each once, with its model."""
    worked = {mate.name: mate.tier for mate in cycle.run.team if mate.phase == PHASES[phase]}
    return tuple(worked.items())


async def settle(
    cycle: Cycle, phase: int, artefact: Callable[[], str], decided: Callable[[], str], revise: Revise
) -> Ending | None:
    """Ask at the end of a phase until the person goes on; each time they want a change, have it made."""
    while True:
        choice = await transition(cycle, phase, artefact(), decided())
        if choice == "skip":
            cycle.skipped |= {phase + 1}
        if choice != "revise":
            return None
        asked = Question(cycle.word("transition.wish", phase=phase), category="transition")
        if ending := await revise(cycle, await cycle.run.hold(asked)):
            return ending
