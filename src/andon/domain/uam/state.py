"""`.uam/state.json`: its form, what makes a pipeline active, what PLAN.md knows better (C-03, C-85, C-86)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    State = dict[str, Any]

PLAN, SPRINT, GATE, FIX, FINALIZE, COMPLETED = (
    "phase1-plan",
    "phase2-sprint",
    "phase3-gate",
    "phase4-fix",
    "phase5-finalize",
    "completed",
)
CANCELLED = "cancelled"
PHASES = (PLAN, SPRINT, GATE, FIX, FINALIZE, COMPLETED)
ACTIVE = PHASES[:-1]
MAX_FIX_LOOPS = 10
MAX_TOKENS = 500_000
MAX_ITERATION_TOKENS = 80_000
NOT_JSON, NOT_AN_OBJECT = "not JSON", "not an object"
UNREADABLE = (NOT_JSON, NOT_AN_OBJECT)
"""Nobody can say whether a pipeline is active. A phase that does not exist is none."""


def fresh(pipeline_id: str, started_at: str) -> State:
    """The state of a pipeline that begins."""
    return {
        "pipeline_id": pipeline_id,
        "current_phase": PLAN,
        "started_at": started_at,
        "plan_approved": False,
        "plan_approved_at": None,
        "sprint_status": {"total_todos": 0, "completed_todos": 0, "in_progress_todos": 0, "failed_todos": 0},
        "gate_results": {"gate1_passed": None, "gate2_passed": None, "gate3_passed": None},
        "fix_loop_count": 0,
        "max_fix_loops": MAX_FIX_LOOPS,
        "cost": {"total_tokens": 0, "max_total_tokens": MAX_TOKENS, "estimated_usd": 0.0},
        "convergence": {
            "pass_rate_history": [],
            "stagnation_window": 3,
            "min_improvement": 0.05,
            "regression_threshold": -0.10,
        },
    }


def read(text: str, loads: Callable[[str], Any] | None = None) -> tuple[State, str]:
    """The state, and why it is not believed ("" when it is). One that cannot be read is empty: nothing is active
    then, and nobody is kept from anything (C-90). `loads` reads JSON where the module `json` is too slow to load."""
    if loads is None:
        from json import loads
    try:
        value: Any = loads(text)
    except (ValueError, RecursionError):
        return {}, NOT_JSON
    if not isinstance(value, dict):
        return {}, NOT_AN_OBJECT
    state = mapping(value)
    phase = state.get("current_phase")
    if phase is not None and phase not in (*PHASES, CANCELLED):
        return {}, f"there is no phase {phase!r}"
    return state, ""


def mapping(value: Any) -> State:
    """A part of a state, or nothing where somebody wrote something else."""
    found: State = value
    return found if isinstance(value, dict) else {}


def listing(value: Any) -> list[Any]:
    found: list[Any] = value
    return found if isinstance(value, list) else []


def active(state: State) -> bool:
    return state.get("current_phase") in ACTIVE


def counted(state: State, counts: tuple[int, int, int]) -> State:
    """With the numbers of PLAN.md, which wins: open, done, failed."""
    opened, done, failed = counts
    before = mapping(state.get("sprint_status"))
    under_way = before.get("in_progress_todos")
    under_way = min(under_way, opened) if isinstance(under_way, int) and under_way > 0 else 0
    sprint = {"total_todos": opened + done + failed, "completed_todos": done, "in_progress_todos": under_way}
    return {**state, "sprint_status": {**before, **sprint, "failed_todos": failed}}


def cancelled(state: State) -> State:
    """Inactive for hooks, and resumable at its phase (X-28)."""
    return {**state, "current_phase": CANCELLED, "cancelled_from": state["current_phase"]} if active(state) else state


def resumed(state: State) -> State:
    before = state.get("cancelled_from")
    if state.get("current_phase") != CANCELLED or before not in ACTIVE:
        return state
    return {key: value for key, value in {**state, "current_phase": before}.items() if key != "cancelled_from"}
