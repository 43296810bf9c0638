"""What follows when an agent's turn ends: stay in the phase and go on, or the next phase (C-21, C-38, C-78 to C-82)."""

from __future__ import annotations

from .state import COMPLETED, FINALIZE, FIX, GATE, MAX_FIX_LOOPS, PLAN, SPRINT, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    State = dict[str, Any]

NOT_PERFORMED = ("SKIPPED", "DEGRADED")
SMALL = "small"
"""As `pipeline` of the state: `words.SMALL`, named here so that a hook need not load that module."""
EDGES = (
    *((PLAN, SPRINT), (SPRINT, GATE), (GATE, FINALIZE), (GATE, FIX)),
    *((FIX, GATE), (FIX, PLAN), (FIX, FINALIZE), (FINALIZE, COMPLETED)),
)
"""No other change of phase is possible."""


class Step:
    """`phase` to change to ("" to stay), and what to tell the agent that is to go on ("" lets it end its turn)."""

    __slots__ = ("message", "phase")

    def __init__(self, phase: str = "", message: str = "") -> None:
        self.phase = phase
        self.message = message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and (self.phase, self.message) == (other.phase, other.message)

    def __repr__(self) -> str:
        return f"Step({self.phase!r}, {self.message!r})"

    __hash__ = None  # type: ignore[assignment]


def at_a_stop(state: State, counts: tuple[int, int, int], scenarios: bool) -> Step:
    """`counts` are PLAN.md's open, done and failed TODOs; `scenarios` says whether it wants any tried as a user."""
    match state.get("current_phase"):
        case "phase2-sprint":
            return _after_sprint(counts)
        case "phase3-gate":
            return _after_gates(state, counts, scenarios)
        case "phase4-fix":
            return _after_fix(state)
        case "phase5-finalize":
            return Step(message="Phase 5: write the learnings and the report, then complete the pipeline.")
        case _:
            return Step()  # a plan is approved by a person, or by the time that passes, never by a hook


def _after_sprint(counts: tuple[int, int, int]) -> Step:
    opened, done, failed = counts
    if opened:
        left = "1 TODO of PLAN.md is open." if opened == 1 else f"{opened} TODOs of PLAN.md are open."
        return Step(message=f"Phase 2: {left} Go on with what is ready.")
    if not done + failed:
        return Step(message="Phase 2: PLAN.md has no TODO that can be read. Mend its headings.")
    return Step(GATE, "Phase 2 is over: no TODO is open. Run the gates of Phase 3.")


def _after_gates(state: State, counts: tuple[int, int, int], scenarios: bool) -> Step:
    results = mapping(state.get("gate_results"))
    one, two, three = (results.get(f"gate{number}_passed") for number in (1, 2, 3))
    if False in (one, two, three):
        return Step(FIX, "A gate has failed. Phase 4: diagnose first, then fix.")
    light = state.get("pipeline") == SMALL  # its only gate is the first (G-13)
    scenarios = scenarios and not light
    reviewed = two is True or light or results.get("gate2_status") in NOT_PERFORMED
    if one is True and reviewed and (three is True or not scenarios):
        if counts[2]:
            failed, them = ("1 TODO has", "it") if counts[2] == 1 else (f"{counts[2]} TODOs have", "them")
            return Step(FIX, f"The gates pass, but {failed} failed. Phase 4: fix {them}.")
        return Step(FINALIZE, "Every gate passes. Phase 5: finalize.")
    evaluated = (one is True, reviewed, three is True or not scenarios)
    missing = [str(number) for number, ok in enumerate(evaluated, 1) if not ok]
    return Step(message=f"Phase 3: gate {' and '.join(missing)} still to be evaluated.")


def _after_fix(state: State) -> Step:
    count, most = state.get("fix_loop_count") or 0, state.get("max_fix_loops") or MAX_FIX_LOOPS
    if count >= most:
        return Step(FINALIZE, f"{count} fix loops are enough. Phase 5: finalize what there is, and say what is left.")
    return Step(message=f"Phase 4: fix loop {count + 1} of {most}. Fix, then run the gates again.")
