"""How a pipeline stands, as lines for a person: phase, TODOs, gates, convergence (C-12). Reads values, changes none."""

from __future__ import annotations

from . import convergence, phases, plan
from .state import (
    ACTIVE,
    CANCELLED,
    COMPLETED,
    FINALIZE,
    FIX,
    GATE,
    MAX_FIX_LOOPS,
    MAX_TOKENS,
    PLAN,
    SPRINT,
    listing,
    mapping,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    State = dict[str, Any]

TITLES = {
    PLAN: "Quick Plan",
    SPRINT: "MVP Sprint",
    GATE: "Quality Gate",
    FIX: "Fix Loop",
    FINALIZE: "Finalize",
}
_LABEL = 12
_GATES = {True: "passed", False: "FAILED", None: "not evaluated"}


def dashboard(state: State, problem: str, plan_text: str | None) -> list[str]:
    """`problem` is why the state was not believed ("" when it was), `plan_text` is PLAN.md, None when there is none."""
    if problem:
        return [_row("State", f"state.json is not believed: {problem}"), *_plan(state, plan_text)]
    if not state.get("current_phase"):
        return ["No pipeline is active here."]
    return [
        _row("Pipeline", str(state.get("pipeline_id") or "without a name")),
        _row("Phase", _phase(state)),
        *_plan(state, plan_text),
        _row("Gates", _gates(state, plan_text)),
        _row("Fix loops", f"{_number(state, 'fix_loop_count')} of {_number(state, 'max_fix_loops') or MAX_FIX_LOOPS}"),
        _row("Pass rates", _rates(state)),
        _row("Tokens", _tokens(state)),
    ]


def _row(name: str, value: str) -> str:
    return f"{name:<{_LABEL}} {value}"


def _phase(state: State) -> str:
    phase = state["current_phase"]
    if phase == CANCELLED:
        return f"cancelled in {state.get('cancelled_from') or 'no phase'}; resume goes on there"
    if phase == COMPLETED:
        partial = state.get("partial")
        return f"completed in part{f': {partial}' if isinstance(partial, str) else ''}" if partial else "completed"
    approved = state.get("plan_approved_at")
    told = f", plan approved {approved}" if state.get("plan_approved") and approved else ""
    most = 3 if state.get("pipeline") == phases.SMALL else len(ACTIVE)
    return f"{phase} ({min(ACTIVE.index(phase) + 1, most)} of {most}: {TITLES[phase]}){told}"


def _plan(state: State, text: str | None) -> list[str]:
    if text is None:
        return [_row("TODOs", "there is no PLAN.md yet")]
    parsed = plan.parse(text)
    opened, done, failed = plan.counts(text)
    under_way = min(_number(mapping(state.get("sprint_status")), "in_progress_todos"), opened)
    head = f"{done}/{opened + done + failed} done, {under_way} in progress, {failed} failed"
    todos = [_row("", f"[{todo.state}] TODO {todo.number}: {todo.title}") for todo in parsed.todos]
    return [_row("TODOs", head), *todos, *(_row("PLAN.md", repr(each)) for each in parsed.problems)]


def _gates(state: State, text: str | None) -> str:
    results = mapping(state.get("gate_results"))
    values = (results.get(f"gate{number}_passed") for number in (1, 2, 3))
    told = {number: _GATES[value if isinstance(value, bool) else None] for number, value in enumerate(values, 1)}
    status = results.get("gate2_status")
    if results.get("gate2_passed") is None and status in phases.NOT_PERFORMED:
        told[2] = f"not performed ({status})"
    if results.get("gate3_passed") is None and text is not None and not plan.parse(text).needs_scenarios:
        told[3] = "not required"
    if state.get("pipeline") == phases.SMALL:  # it has one gate (C-17)
        told |= {number: "not required" for number in (2, 3) if results.get(f"gate{number}_passed") is None}
    return ", ".join(f"{number} {value}" for number, value in told.items())


def _rates(state: State) -> str:
    found = listing(mapping(state.get("convergence")).get("pass_rate_history"))
    rates = [float(rate) for rate in found if isinstance(rate, int | float)]
    if not rates:
        return "none yet"
    return f"{' → '.join(f'{round(100 * rate)}%' for rate in rates)} ({convergence.trend(rates)})"


def _tokens(state: State) -> str:
    cost = mapping(state.get("cost"))
    money = cost.get("estimated_usd")
    told = f", about ${money:.2f}" if isinstance(money, int | float) and money else ""
    return f"{_number(cost, 'total_tokens'):,} of {_number(cost, 'max_total_tokens') or MAX_TOKENS:,}{told}"


def _number(values: State, name: str) -> int:
    value = values.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
