"""Forking: a new run that shares the beginning of another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from andon.app.legs import last_tree, refuse_elsewhere
from andon.app.outcome import Finished, execute
from andon.app.store import Store
from andon.app.uam_files import UAM, turn_back
from andon.app.workspace import RunWorkspace
from andon.domain.errors import UserError
from andon.domain.feature import branch_name, feature_name
from andon.domain.journal import Entry
from andon.domain.run import RunRow
from andon.engine.runs import new_run_id
from andon.workspace.repository import Repository
from andon.workspace.worktree import refuse_unusable

Show = Callable[[Entry], None]
Place = tuple[int, int]
"""(leg, step)."""
_PLACE = re.compile(r"(?:(\d{1,6})\.)?(\d{1,9})")


def fork(store: Store, run: RunRow, step: str, show: Show, begun: Callable[[RunRow], None]) -> Finished:
    """A new run that repeats `run` up to (not including) a step without doing anything again, then goes on.

    A step is named as `andon logs` numbers it: of the newest leg, or `leg.step`. `begun` is told the new run before
    anybody works on it.
    """
    refuse_elsewhere(store, run)
    entries = store.journal.entries(run.id)
    place = _place(run, step, entries)
    shared = [entry for entry in entries if entry.place < place]
    branch, new_id = _fork_branch(store, run), new_run_id()
    folder = store.home.run(new_id)
    visible, before = bool(run.spec["request"]["options"]["worktree"]), Path(run.spec["worktree"])
    worktree = before.with_name(branch.removeprefix("feat/")) if visible else folder / "worktree"
    refuse_unusable(worktree)
    folder.mkdir(parents=True, mode=0o700)
    spec = dict(run.spec) | {
        "worktree": str(worktree),
        "worktrees_before": [str(before), *run.spec.get("worktrees_before", ())],
        "fork": {"workflow": f"{run.id}.{place[0]}", "step": place[1], "leg": place[0]},
    }
    for of_the_other_run in ("closed", "record", "replay"):
        spec.pop(of_the_other_run, None)
    values = {name: getattr(run, name) for name in ("pipeline", "task", "feature", "repository", "mode")}
    values |= {"branch": branch, "spec": spec, "forked_from": run.id, "leg": place[0]}
    new = store.runs.create(new_id, values)
    store.journal.adopt(shared, new_id)
    RunWorkspace.of(store.home, new).restore(last_tree(run, shared))
    if run.pipeline == UAM:
        turn_back(run, shared)
    begun(new)
    store.journal.listen(show)
    return execute(store, new)


def _place(run: RunRow, step: str, entries: Sequence[Entry]) -> Place:
    named = _PLACE.fullmatch(step.strip())
    steps = {leg: max((e.place[1] for e in entries if e.place[0] == leg), default=0) for leg in _legs(run, entries)}
    if named is None:
        raise UserError(f"`{step}` is no step", f"`andon logs {run.id}` numbers them{_range(steps, run.leg)}.")
    leg, number = int(named[1] or run.leg), int(named[2])
    if leg not in steps:
        told = f"Run {run.id} has no leg {leg}, only {', '.join(str(each) for each in steps)}"
        raise UserError(told, f"`andon logs {run.id}` numbers the steps{_range(steps, run.leg)}.")
    if not 1 <= number <= steps[leg]:
        of_leg = f" of leg {leg}" if len(steps) > 1 else ""
        raise UserError(
            f"Run {run.id} has steps 1 to {steps[leg]}{of_leg}, not {number}", f"`andon logs {run.id}` numbers them."
        )
    return leg, number


def _legs(run: RunRow, entries: Sequence[Entry]) -> list[int]:
    """Those that have begun: what people do after the last one is filed under the next."""
    return sorted({entry.place[0] for entry in entries if 1 <= entry.place[0] <= run.leg} or {run.leg})


def _range(steps: dict[int, int], leg: int) -> str:
    return f", 1 to {steps[leg]}" if len(steps) == 1 else f", 1.1 to {leg}.{steps[leg]}"


def _fork_branch(store: Store, run: RunRow) -> str:
    taken = {row.branch.removeprefix("feat/") for row in store.runs.newest(1000, run.repository)}
    repository = Repository.open(Path(run.repository))
    taken |= {branch.removeprefix("feat/") for branch in repository.branches()}
    branch = branch_name(feature_name(f"{run.feature} fork", taken))
    repository.refuse_obstructed(branch)
    return branch
