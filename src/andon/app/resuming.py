"""Going on with a run: the same leg after a crash, a new one after a stop or a failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from andon.app.legs import (
    accepted,
    approved,
    by_hand,
    calls,
    checkpoint,
    last_tree,
    refuse_unless_at_rest,
    series,
    sessions,
    spent,
    talk,
    team,
    undelivered,
    warnings,
)
from andon.app.outcome import Finished, execute
from andon.app.settings import checked_budget
from andon.app.starting import freeze, payload
from andon.app.statefile import AREAS, keep_broken_aside, status_of, strangers_keys
from andon.app.store import Store
from andon.app.workspace import RunWorkspace
from andon.domain.budget import Spent, raised
from andon.domain.errors import UserError
from andon.domain.journal import Entry
from andon.domain.run import TASK, TEAM, RunRow, Status
from andon.runtimes.registry import find
from andon.runtimes.setup import Setup

Show = Callable[[Entry], None]
MOST_DIRECTION = 20_000
"""Characters of a direction: as many as of a task, and all of them reach the prompt."""


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What a person wants to be different from here on."""

    budget: Mapping[str, Any] | None = None
    scenario: Path | None = None
    direction: str | None = None
    by: str = ""

    @property
    def what(self) -> str:
        """In a word, for a refusal; empty when nothing is."""
        given = {"direction": self.direction is not None, "scenario": self.scenario, "budget": self.budget}
        return next((word for word, value in given.items() if value), "")


def resume(
    store: Store, run: RunRow, show: Show, otherwise: Otherwise, again: Callable[[RunRow], None] = lambda run: None
) -> Finished:
    """Go on, in this process. `again` is told the run whose leg goes on: the journal names only one that begins."""
    store.journal.listen(show)
    ready = ready_to_go_on(store, run, otherwise)
    if store.status(ready) is Status.INTERRUPTED and ready.leg == run.leg:
        again(ready)
        _ask_again(store, run, show)
    return execute(store, ready)


def ready_to_go_on(
    store: Store, run: RunRow, otherwise: Otherwise, end: Callable[[Store, RunRow], object] = execute
) -> RunRow:
    """After a crash that is the same leg, replayed; after a stop or a failure a new leg from where it stood.

    A leg whose process was gone before it had stopped is ended first, by `end`: the stop was meant for that leg alone.
    """
    refuse_unless_at_rest(store, run)
    if store.status(run) is Status.INTERRUPTED and store.holds.stop_requested(run.id):
        end(store, run)
        run = store.runs.get(run.id)
    if otherwise.direction is not None:
        _refuse_unusable(otherwise.direction)
    if store.status(run) is not Status.INTERRUPTED:
        return next_leg(store, run, otherwise)
    if otherwise.what:
        hint = f"Resume it without; or `andon stop {run.id}` first, then it can be resumed with another one."
        raise UserError(f"Run {run.id} was interrupted: it goes on with the {otherwise.what} it was started with", hint)
    return run


def _refuse_unusable(direction: str) -> None:
    if not direction.strip():
        raise UserError("The direction says nothing", 'For example: --direction "Keep the old signature, and test it"')
    if len(direction) > MOST_DIRECTION:
        told = f"The direction has {len(direction)} characters, at most {MOST_DIRECTION} reach a prompt"
        raise UserError(told, "Say it in fewer words, or put it into a file of the worktree and name that.")


def _ask_again(store: Store, run: RunRow, show: Show) -> None:
    """What a run asked before its process was gone it waits for still, and its journal does not say so twice. With all
    that followed: screens draw entries in their order, and would wait for those left out."""
    still_open = {hold.id for hold in store.holds.of_run(run.id) if hold.open}
    entries = store.journal.entries(run.id) if still_open else []
    asked = [entry.seq for entry in entries if entry.kind == "hold_opened" and entry.data["hold"] in still_open]
    for entry in entries:
        if asked and entry.seq >= asked[0]:
            show(entry)


def next_leg(store: Store, run: RunRow, otherwise: Otherwise, message: Mapping[str, str] | None = None) -> RunRow:
    """A new leg of the same run, from a typed position: the status file and the files as they are now. `message` is
    what a person says next in a conversation."""
    spec, leg, entries = dict(run.spec), run.leg + 1, store.journal.entries(run.id)
    if otherwise.budget:
        limits = checked_budget({**spec["budget"], **otherwise.budget})
        if problem := raised({name: limits[name] for name in otherwise.budget}, Spent(**spent(entries))):
            raise UserError(problem, "Name a higher one.")
        spec["budget"] = limits
    if otherwise.scenario is not None:
        spec |= _other_scenario(store, run, otherwise.scenario.absolute(), leg)
    workspace = RunWorkspace.again(store.home, run, last_tree(run, entries))
    # A person may have worked in the folder meanwhile: what lies there now is what the run goes on with.
    tree = workspace.snapshot(f"leg-{leg}", run.created_at)
    told = keep_broken_aside(Path(run.repository))
    direction = (otherwise.direction or "").strip() or undelivered(entries)
    stood = _with_branches(run, workspace, status_of(run), leg)
    stood |= checkpoint(entries) if run.pipeline == TASK else {}
    more = {"tree": tree, "resume": stood, "spent": spent(entries), "accepted": accepted(entries)}
    more |= {"extra": strangers_keys(Path(run.repository)), "direction": direction}
    more |= {"began_at": time.time(), "warnings": warnings(entries), "by_hand": by_hand(entries)}
    more |= {"team": [asdict(each) for each in team(entries)], "series": series(entries), "approved": approved(entries)}
    if run.pipeline in (TASK, TEAM):  # whose agents are who they were
        more |= {"calls": calls(entries), "sessions": sessions(entries)}
    if run.pipeline == TASK:
        more |= talk(entries, message)
    spec["payload"] = payload(run.created_at, run.feature, spec, **more)
    store.runs.update(run.id, leg=leg, spec=spec, status=str(Status.RUNNING), reason="", ended_at=None)
    if told:
        store.journal.append(run.id, f"{leg}.0.note", "warning", "prepare", {"text": told})
    if otherwise.direction:
        said = {"text": direction, "by": otherwise.by}
        store.journal.append(run.id, f"{leg}.0.directed", "directed", "prepare", said)
    return store.runs.get(run.id)


def _with_branches(run: RunRow, workspace: RunWorkspace, stood: dict[str, Any], leg: int) -> dict[str, Any]:
    """Where the run stood, with parallel implementers' folders as they are now: a person may have worked there too."""
    areas = list[dict[str, Any]]()
    key = AREAS[run.pipeline]
    for area in stood.get(key, ()):
        if Path(f"{workspace.folder}-{area['name']}").is_dir():
            tree = workspace.beside(area["name"]).snapshot(f"leg-{leg}-{area['name']}", run.created_at)
            area = {**area, "tree": tree, "done": area["done"] and tree == area["tree"]}
        areas.append(area)
    return {**stood, key: areas} if areas else stood


def _other_scenario(store: Store, run: RunRow, scenario: Path, leg: int) -> dict[str, str]:
    if run.spec["runtime"] != "scripted":
        raise UserError(f"Run {run.id} uses the runtime {run.spec['runtime']}", "Only the scripted one has a scenario.")
    find(run.spec["runtime"])(Setup(scenario=scenario))  # a broken file is told before anything changes
    return {"scenario": str(freeze(scenario, store.home.run(run.id), leg)), "scenario_source": str(scenario)}
