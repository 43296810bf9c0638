"""Cancelling and resuming the pipeline of a checkout: a run of andon through its run, another by its state file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andon.app.closing import close
from andon.app.outcome import Finished
from andon.app.queries import open_store
from andon.app.resuming import Otherwise, Show
from andon.app.resuming import resume as resume_run
from andon.app.starting import user_name
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.uam import cancel, clear
from andon.app.uam_files import UAM, read_state, state_of, write_state
from andon.domain.errors import UserError
from andon.domain.run import RunRow, Status
from andon.domain.uam import state
from andon.workspace.repository import Repository


def cancel_here(folder: Path, environment: Mapping[str, str], *, force: bool) -> dict[str, Any]:
    """The state afterwards."""
    root = Repository.open(folder.absolute()).root
    store = open_store(environment)
    run = _run_here(store, root)
    if run and not store.status(run).ended:
        stop(store, run, lambda entry: None)
        run = store.runs.get(run.id)
    if force:
        if run and store.status(run) not in (Status.DONE, Status.CLOSED):
            close(store, run, user_name(environment))
        clear(root)
        return {}
    told = state_of(run) if run and store.status(run).ended else {}
    return told if told.get("cancelled_from") else cancel(root)


def resume_here(folder: Path, environment: Mapping[str, str], show: Show, direction: str | None) -> Finished:
    root = Repository.open(folder.absolute()).root
    store = open_store(environment)
    run = _run_here(store, root)
    if run is None:
        found, _ = read_state(root)
        if state.resumed(found) != found:
            write_state(root, state.resumed(found))
            hint = "Its phase is active again: go on in that session, or take it over with `andon uam adopt`."
            raise UserError("This pipeline belongs to a session of the plugin, not to andon", hint)
        raise UserError("There is no pipeline here to resume", '`andon uam "task"` starts one.')
    return resume_run(store, run, show, Otherwise(None, None, direction, user_name(environment)))


def _run_here(store: Store, root: Path) -> RunRow | None:
    """The run that the checkout's state names, or the newest one of UAM here."""
    named = read_state(root)[0]
    if named.get("current_phase") and not named.get("run"):
        return None  # a session's
    known = store.runs.rows([str(named.get("run") or "")])
    there = [row for row in known.values() if row.pipeline == UAM and row.repository == str(root)]
    return next(iter([*there, *store.runs.newest(1, str(root), UAM)]), None)
