"""From phase to phase, as the edges lead (C-13, C-14, C-21, C-26, C-66). What a rule forbids is refused, and why."""

from __future__ import annotations

import os
import time

import controlling
import detecting
import store
from uam import artefacts, commands, graph, phases, plan, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    Told = tuple[list[str], int]
    Json = dict[str, Any]

SESSION = "CLAUDE_CODE_SESSION_ID"


def needed(project: str, *allowed: str) -> Json:
    """The state of the active pipeline, in one of these phases if any are named."""
    found = store.active(project)
    if found is None:
        raise ValueError("no pipeline of this plugin is active here; `uam status` tells more")
    if allowed and found["current_phase"] not in allowed:
        raise ValueError(f"the pipeline is in {found['current_phase']}, not in {' or '.join(allowed)}")
    return found


def start(project: str, given: argparse.Namespace) -> Told:
    before, problem = store.state_of(project)
    if problem:
        raise ValueError(f"state.json is not believed: {problem}; `uam cancel --force` forgets it")
    if state.active(before):
        _refuse_andons(before)
        _mine(project)
        return [f"{before.get('pipeline_id')} is active already, in {before['current_phase']}; nothing was begun."], 0
    begun = detecting.begin(project, given.pipeline, " ".join(given.feature), os.environ.get(SESSION, ""))
    return [f"{begun['pipeline_id']} has begun: {begun['pipeline']}, {begun['current_phase']}."], 0


def _refuse_andons(found: Json) -> None:
    if found.get("driver") not in store.OURS:
        raise ValueError(f"andon drives {found.get('pipeline_id')} here; `andon uam resume` goes on with it")


def _mine(project: str) -> None:
    session = os.environ.get(SESSION)
    if session:
        store.change(project, lambda before: {**before, "session_id": session})


def cancel(project: str, given: argparse.Namespace) -> Told:
    if given.force:
        if not os.path.exists(f"{project}/{artefacts.STATE_PATH}"):
            return ["There is no state here that could be forgotten."], 0
        with store.locked(project):
            store.write_json(project, artefacts.STATE_PATH, {})
        return ["The state is forgotten. PLAN.md and everything else stay."], 0
    needed(project)
    after = store.change(project, state.cancelled)
    return [f"Cancelled in {after.get('cancelled_from')}. `/uam:uam-resume` goes on there."], 0


def resume(project: str, given: argparse.Namespace) -> Told:
    before, problem = store.state_of(project)
    if state.active(before) or before.get("current_phase") == state.CANCELLED:
        _refuse_andons(before)
    if before.get("current_phase") != state.CANCELLED:
        if store.active(project) is not None:
            _mine(project)
            return [f"It is active, in {before['current_phase']}; it goes on in this session."], 0
        raise ValueError(problem or "there is no cancelled pipeline here")
    taken = {"driver": "plugin", "session_id": os.environ.get(SESSION, ""), "waiting_for": ""}
    after = store.change(project, lambda found: {**state.resumed(found), **taken})
    opened, done, failed = store.counts_of(project)
    told = (
        f"{after.get('pipeline_id')} goes on in {after['current_phase']}: {opened} open, {done} done, {failed} failed."
    )
    return [told, "What is checked off is not done again."], 0


def approve(project: str, given: argparse.Namespace) -> Told:
    """The commands of the plan are those that a person saw: others need approval again."""
    needed(project, state.PLAN)
    parsed = plan.parse(store.plan_of(project) or "")
    wrong = [repr(each) for each in (*parsed.problems, *graph.cycles(parsed), *parsed.unrunnable)]
    if wrong:
        return ["The plan cannot be approved:", *wrong], 2
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    approved = sorted(commands.frozen(parsed))
    kept = {"plan_approved": True, "plan_approved_at": now, "commands": approved}
    store.change(project, lambda before: controlling.entered({**before, **kept}, state.SPRINT))
    return [f"Approved {now}: {len(parsed.todos)} TODOs, {len(approved)} commands. Phase 2 begins."], 0


def phase(project: str, given: argparse.Namespace) -> Told:
    found = needed(project)
    here = found["current_phase"]
    if given.name == state.SPRINT:
        return approve(project, given)
    if (here, given.name) not in phases.EDGES:
        ways = ", ".join(after for before, after in phases.EDGES if before == here)
        raise ValueError(f"no edge leads from {here} to {given.name}; possible: {ways}")
    if (here, given.name) == (state.SPRINT, state.GATE) and store.counts_of(project)[0]:
        raise ValueError("TODOs are open")
    if given.name == state.FINALIZE and here == state.GATE:
        raise ValueError("whether the gates let it pass is decided when your turn ends, not here")
    if given.name == state.COMPLETED:
        raise ValueError("`uam complete` ends a pipeline")
    ended = 1 if here == state.FIX else 0
    count = found.get("fix_loop_count") or 0

    def changed(before: Json) -> Json:
        after = controlling.entered(before, given.name)
        after["fix_loop_count"] = count + ended
        if given.name == state.PLAN:
            after |= {"plan_approved": False, "plan_approved_at": None}
        return after

    store.change(project, changed)
    return [f"{here} → {given.name}"], 0


def wait(project: str, given: argparse.Namespace) -> Told:
    needed(project)
    store.change(project, lambda before: {**before, "waiting_for": given.question})
    return ["Your turn may end. Ask the person now; their next message goes on."], 0


def complete(project: str, given: argparse.Namespace) -> Told:
    """Phase 5 ends, with what was measured: a pipeline whose gates did not all pass is complete only in part."""
    found = needed(project, state.FINALIZE)
    parsed = plan.parse(store.plan_of(project) or "")
    if parsed.for_people and not given.confirmed:
        asked = "; ".join(parsed.for_people)
        raise ValueError(f"a person has to confirm first: {asked}. Ask (`uam wait`), then `uam complete --confirmed`")
    opened, done, failed = store.counts_of(project)
    gates = phases.at_a_stop({**found, "current_phase": state.GATE}, (opened, done, failed), parsed.needs_scenarios)
    whole = gates.phase == state.FINALIZE and not opened
    store.change(project, lambda before: {**before, "current_phase": state.COMPLETED, "partial": not whole})
    loops = found.get("fix_loop_count") or 0
    told = f"{done} TODOs done, {failed} failed, {opened} open; {loops} fix loops."
    return [f"Completed{'' if whole else ' IN PART'}: {told}", "Hooks keep out from now on."], 0
