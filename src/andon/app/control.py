"""What a person can do to a run that exists: stop it, resume it, fork it, answer it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from andon.app.outcome import Finished, execute
from andon.app.settings import checked_budget
from andon.app.start import freeze, payload
from andon.app.statefile import keep_broken_aside, status_of, strangers_keys
from andon.app.store import Store
from andon.app.workspace import RunWorkspace
from andon.domain.errors import UserError
from andon.domain.feature import branch_name, feature_name
from andon.domain.journal import Entry
from andon.domain.run import RunRow, Status
from andon.engine.holds import Hold
from andon.engine.runs import new_run_id
from andon.runtimes.registry import find
from andon.workspace.repository import Repository

Show = Callable[[Entry], None]
STOP_SECONDS = 60.0
TREE_CHANGES = ("result", "file_written", "merged")


def stop(store: Store, run: RunRow, show: Show) -> Status:
    """Stop a run: asks the process that executes it, or closes it here when nobody does. Returns how it stands."""
    status = store.status(run)
    if status.ended:
        return status
    store.holds.request_stop(run.id)
    if status is Status.INTERRUPTED:
        store.journal.listen(show)
        execute(store, run)
        return store.status(store.runs.get(run.id))
    deadline = time.monotonic() + STOP_SECONDS
    while store.lock(run.id).held_by_someone and time.monotonic() < deadline:
        time.sleep(0.1)
    return store.status(store.runs.get(run.id))


def resume(
    store: Store, run: RunRow, show: Show, budget: Mapping[str, Any] | None = None, scenario: Path | None = None
) -> Finished:
    """Go on. After a crash that is the same leg, replayed; after a stop or a failure a new leg from where it stood."""
    status = store.status(run)
    if status is Status.DONE:
        raise UserError(f"Run {run.id} is done", f"Its work is on branch {run.branch}.")
    if status in (Status.RUNNING, Status.WAITING):
        raise UserError(f"Run {run.id} is being executed by another process", f"`andon watch {run.id}` follows it.")
    if status is Status.INTERRUPTED and (budget or scenario):
        what = "scenario" if scenario else "budget"
        hint = f"Resume it without; or `andon stop {run.id}` first, then it can be resumed with another one."
        raise UserError(f"Run {run.id} was interrupted: it goes on with the {what} it was started with", hint)
    store.journal.listen(show)
    if status is Status.INTERRUPTED:
        _ask_again(store, run, show)
    else:
        run = _next_leg(store, run, budget, scenario)
    return execute(store, run)


def _ask_again(store: Store, run: RunRow, show: Show) -> None:
    """What a run asked before its process was gone it waits for still, and its journal does not say so twice. With all
    that followed: screens draw entries in their order, and would wait for those left out."""
    still_open = {hold.id for hold in store.holds.of_run(run.id) if hold.open}
    entries = store.journal.entries(run.id) if still_open else []
    asked = [entry.seq for entry in entries if entry.kind == "hold_opened" and entry.data["hold"] in still_open]
    for entry in entries:
        if asked and entry.seq >= asked[0]:
            show(entry)


def _next_leg(store: Store, run: RunRow, budget: Mapping[str, Any] | None, scenario: Path | None) -> RunRow:
    """A new leg of the same run, from a typed position: the status file and the files as they are now."""
    spec, leg = dict(run.spec), run.leg + 1
    if budget:
        spec["budget"] = checked_budget({**spec["budget"], **budget})
    if scenario is not None:
        spec |= _other_scenario(store, run, scenario.absolute(), leg)
    workspace = RunWorkspace.of(store.home, run)
    workspace.ensure(last_tree(run, store.journal.entries(run.id)))
    # A person may have worked in the folder meanwhile: what lies there now is what the run goes on with.
    tree = workspace.snapshot(f"leg-{leg}", run.created_at)
    told = keep_broken_aside(Path(run.repository))
    stood, spent = status_of(run), _spent(store, run)
    more = {"tree": tree, "resume": stood, "spent": spent, "extra": strangers_keys(Path(run.repository))}
    spec["payload"] = payload(run.created_at, run.feature, spec, **more)
    store.runs.update(run.id, leg=leg, spec=spec, status=str(Status.RUNNING), reason="", ended_at=None)
    if told:
        store.journal.append(run.id, f"{leg}.0.note", "warning", "prepare", {"text": told})
    return store.runs.get(run.id)


def _other_scenario(store: Store, run: RunRow, scenario: Path, leg: int) -> dict[str, str]:
    if run.spec["runtime"] != "scripted":
        raise UserError(f"Run {run.id} uses the runtime {run.spec['runtime']}", "Only the scripted one has a scenario.")
    find(run.spec["runtime"])(scenario)  # a broken file is told before anything changes
    return {"scenario": str(freeze(scenario, store.home.run(run.id), leg)), "scenario_source": str(scenario)}


def last_tree(run: RunRow, entries: Iterable[Entry]) -> str:
    """The tree after the last of these entries that changed it."""
    trees = [entry.data["tree"] for entry in entries if entry.kind in TREE_CHANGES and _of_the_run_itself(entry)]
    return str(trees[-1] if trees else run.spec["base_tree"])


def _of_the_run_itself(entry: Entry) -> bool:
    """A branch's tree is not the run's until it is merged."""
    return bool(entry.data["tree"]) and not entry.data.get("branch") and not entry.data.get("conflicts")


def _spent(store: Store, run: RunRow) -> dict[str, Any]:
    """What the run has used so far: a resumed run does not get its budget again."""
    ended = [entry for entry in store.journal.entries(run.id) if "spent" in entry.data]
    return dict(ended[-1].data["spent"]) if ended else {}


def fork(store: Store, run: RunRow, step: int, show: Show) -> Finished:
    """A new run that repeats `run` up to (not including) a step without doing anything again, then goes on."""
    entries = store.journal.entries(run.id)
    last = max((entry.place[1] for entry in entries if entry.place[0] == run.leg), default=0)
    if not 1 <= step <= last:
        raise UserError(f"Run {run.id} has steps 1 to {last}, not {step}", f"`andon logs {run.id}` numbers them.")
    shared = [entry for entry in entries if entry.place < (run.leg, step)]
    branch, new_id = _fork_branch(store, run), new_run_id()
    folder = store.home.run(new_id)
    folder.mkdir(parents=True, mode=0o700)
    spec = dict(run.spec) | {
        "worktree": str(folder / "worktree"),
        "fork": {"workflow": run.workflow, "step": step, "leg": run.leg},
    }
    values = {name: getattr(run, name) for name in ("pipeline", "task", "feature", "repository", "leg", "mode")}
    new = store.runs.create(new_id, values | {"branch": branch, "spec": spec, "forked_from": run.id})
    store.journal.adopt(shared, new_id)
    RunWorkspace.of(store.home, new).restore(last_tree(run, shared))
    store.journal.listen(show)
    return execute(store, new)


def _fork_branch(store: Store, run: RunRow) -> str:
    taken = {row.branch.removeprefix("feat/") for row in store.runs.newest(1000, run.repository)}
    repository = Repository.open(Path(run.repository))
    taken |= {branch.removeprefix("feat/") for branch in repository.branches()}
    branch = branch_name(feature_name(f"{run.feature} fork", taken))
    repository.refuse_obstructed(branch)
    return branch


def answer(store: Store, hold: Hold, text: str, by: str) -> Hold:
    """Answer a question. With options, only one of them (by name or number) will do; empty takes the default."""
    options = hold.question.options
    chosen = text.strip() or (hold.question.default or "")
    if not chosen:
        raise UserError("The question has no default: an answer is needed", _choices(options))
    if options and chosen not in options:
        if not (chosen.isdecimal() and 1 <= int(chosen) <= len(options)):
            raise UserError(f"`{chosen}` is not one of the answers", _choices(options))
        chosen = options[int(chosen) - 1]
    return store.holds.answer(hold.id, chosen, by)


def _choices(options: tuple[str, ...]) -> str:
    return "; ".join(f"{number} {option}" for number, option in enumerate(options, start=1))
