"""Stop: a turn does not end while the phase has work left, and a phase that is over becomes the next (C-78 to C-82)."""

from __future__ import annotations

import store
from uam import phases, plan, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

MOST = 7
"""Blocks in a row without any progress. Claude Code gives up at 8, and then the session's last word is lost."""
NO_GATES = {"gate1_passed": None, "gate2_passed": None, "gate3_passed": None}


def answer(event: Json, project: str) -> Json | None:
    found = store.active(project)
    if found is None or not _is_its_session(found, event) or event.get("background_tasks"):
        return None  # an agent that still works brings the session back by itself
    if found.get("waiting_for"):
        return None  # for a person
    text = store.plan_of(project)
    counts = (0, 0, 0) if text is None else plan.counts(text)
    step = phases.at_a_stop(found, counts, text is not None and plan.parse(text).needs_scenarios)
    if not step.message:
        return None
    after = store.change(project, lambda before: _moved(state.counted(before, counts), found, step.phase, event))
    if not step.phase and after["stops"]["count"] > MOST:
        return {"systemMessage": f"UAM rests: {MOST} reminders changed nothing. {step.message} Say how to go on."}
    return {"decision": "block", "reason": f"UAM: {_told(found, step)}"}


def _is_its_session(found: Json, event: Json) -> bool:
    """A second session in the same project is nobody's business, unless nobody knows whose the pipeline is."""
    return found.get("session_id") in (None, "", event.get("session_id"))


def _told(found: Json, step: phases.Step) -> str:
    if found.get("pipeline") == "bugfix" and not step.phase:
        most = found.get("max_fix_loops")
        told = f"Bugfix: attempt {(found.get('fix_loop_count') or 0) + 1} of {most}."
        return f"{told} Let a worker fix it, then measure with `uam attempt`."
    return step.message


def _moved(before: Json, seen: Json, phase: str, event: Json) -> Json:
    if before.get("current_phase") != seen.get("current_phase"):
        return {**before, "stops": _stops(before, event)}  # another session was quicker
    after = entered(before, phase) if phase else before
    return {**after, "stops": _stops(after, event)}


def entered(before: Json, phase: str) -> Json:
    """The state in another phase. Gates are evaluated anew whenever their phase begins (C-50)."""
    after = {**before, "current_phase": phase}
    if phase == state.GATE:
        after["gate_results"] = dict(NO_GATES)
    return after


def _stops(after: Json, event: Json) -> Json:
    """How often in a row, and whether anything has moved since."""
    sprint, gates = state.mapping(after.get("sprint_status")), state.mapping(after.get("gate_results"))
    mark = [after.get("current_phase"), after.get("fix_loop_count"), sprint, gates]
    last = state.mapping(after.get("stops"))
    same = event.get("stop_hook_active") and last.get("mark") == mark
    count = last.get("count", 0) if same else 0
    return {"count": count + 1, "mark": mark}
