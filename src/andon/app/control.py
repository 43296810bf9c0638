"""What a person can do to a run that exists: stop it, resume it, fork it, answer it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from andon.app.start import Finished, execute, payload
from andon.app.store import Store
from andon.app.workspace import RunWorkspace
from andon.domain.auto.artefacts import STATUS_PATH
from andon.domain.errors import UserError
from andon.domain.feature import branch_name, feature_name
from andon.domain.journal import Entry
from andon.domain.run import RunRow, Status
from andon.engine.holds import Hold
from andon.engine.runs import new_run_id
from andon.workspace.files import read_contained
from andon.workspace.repository import Repository

Show = Callable[[Entry], None]
STOP_SECONDS = 60.0


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


def resume(store: Store, run: RunRow, show: Show, budget: Mapping[str, Any] | None = None) -> Finished:
    """Go on. After a crash that is the same leg, replayed; after a stop or a failure a new leg from where it stood."""
    status = store.status(run)
    if status is Status.DONE:
        raise UserError(f"Run {run.id} is done", f"Its work is on branch {run.branch}.")
    if status in (Status.RUNNING, Status.WAITING):
        raise UserError(f"Run {run.id} is being executed by another process", f"`andon watch {run.id}` follows it.")
    if status is not Status.INTERRUPTED:
        run = _next_leg(store, run, budget)
    store.journal.listen(show)
    return execute(store, run)


def _next_leg(store: Store, run: RunRow, budget: Mapping[str, Any] | None) -> RunRow:
    """A new leg of the same run, from a typed position: the status file and the files as they are now."""
    spec = dict(run.spec)
    if budget:
        spec["budget"] = {**spec["budget"], **budget}
    workspace = RunWorkspace.of(store.home, run)
    workspace.ensure(last_tree(run, store.journal.entries(run.id)))
    # A person may have worked in the folder meanwhile: what lies there now is what the run goes on with.
    tree = workspace.snapshot(f"leg-{run.leg + 1}", run.created_at)
    spec["payload"] = payload(
        run.created_at, run.feature, spec, tree=tree, resume=_status_file(run), spent=_spent(store, run)
    )
    store.runs.update(run.id, leg=run.leg + 1, spec=spec, status=str(Status.RUNNING), reason="", ended_at=None)
    return store.runs.get(run.id)


def last_tree(run: RunRow, entries: Iterable[Entry]) -> str:
    """The tree after the last of these entries that changed it."""
    trees = [entry.data["tree"] for entry in entries if entry.kind in ("result", "file_written") and entry.data["tree"]]
    return str(trees[-1] if trees else run.spec["base_tree"])


def _spent(store: Store, run: RunRow) -> dict[str, Any]:
    """What the run has used so far: a resumed run does not get its budget again."""
    ended = [entry for entry in store.journal.entries(run.id) if "spent" in entry.data]
    return dict(ended[-1].data["spent"]) if ended else {}


def _status_file(run: RunRow) -> dict[str, Any]:
    """The person's copy of the status file counts, because they may have edited it; a broken one is kept aside."""
    checkout = Path(run.repository)
    for folder in (checkout, Path(run.spec["worktree"])):
        try:
            found = json.loads(read_contained(folder, STATUS_PATH))
        except (OSError, UserError):
            continue
        except ValueError:
            aside = folder / f"{STATUS_PATH}.broken-{int(time.time())}"
            shutil.copyfile(folder / STATUS_PATH, aside)
            continue
        if isinstance(found, dict) and cast("dict[str, Any]", found).get("run") == run.id:
            return cast("dict[str, Any]", found)
    return {"primaryFeature": run.feature, "phaseNumber": 1, "run": run.id}


def fork(store: Store, run: RunRow, step: int, show: Show) -> Finished:
    """A new run that repeats `run` up to (not including) a step without doing anything again, then goes on."""
    entries = store.journal.entries(run.id)
    last = max((entry.place[1] for entry in entries if entry.place[0] == run.leg), default=0)
    if not 1 <= step <= last:
        raise UserError(f"Run {run.id} has steps 1 to {last}, not {step}", f"`andon logs {run.id}` numbers them.")
    shared = [entry for entry in entries if entry.place < (run.leg, step)]
    new_id = new_run_id()
    folder = store.home.run(new_id)
    folder.mkdir(parents=True, mode=0o700)
    spec = dict(run.spec) | {
        "worktree": str(folder / "worktree"),
        "fork": {"workflow": run.workflow, "step": step, "leg": run.leg},
    }
    values = {name: getattr(run, name) for name in ("pipeline", "task", "feature", "repository", "leg", "mode")}
    new = store.runs.create(new_id, values | {"branch": _fork_branch(store, run), "spec": spec, "forked_from": run.id})
    store.journal.adopt(shared, new_id)
    RunWorkspace.of(store.home, new).restore(last_tree(run, shared))
    store.journal.listen(show)
    return execute(store, new)


def _fork_branch(store: Store, run: RunRow) -> str:
    taken = {row.branch.removeprefix("feat/") for row in store.runs.newest(1000, run.repository)}
    taken |= {branch.removeprefix("feat/") for branch in Repository.open(Path(run.repository)).branches()}
    return branch_name(feature_name(f"{run.feature} fork", taken))


def answer(store: Store, hold: Hold, text: str, by: str) -> Hold:
    """Answer a question. With options, only one of them (by name or number) will do; empty takes the default."""
    options = hold.question.options
    chosen = text.strip() or (hold.question.default or "")
    if options and chosen not in options:
        if not (chosen.isdigit() and 1 <= int(chosen) <= len(options)):
            raise UserError(f"`{chosen}` is not one of: {', '.join(options)}")
        chosen = options[int(chosen) - 1]
    return store.holds.answer(hold.id, chosen, by)
