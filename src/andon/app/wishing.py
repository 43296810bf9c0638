"""Tasks that are not started yet: drafts, and a queue in which each waits until its repository is free."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from andon.app.folders import Folders
from andon.app.settings import checked_budget
from andon.app.starting import StartOptions
from andon.app.store import Store
from andon.app.tasks import Wish as TaskWish
from andon.app.tasks import start_task
from andon.domain.errors import UserError
from andon.domain.journal import Entry
from andon.domain.run import RunRow, Status
from andon.domain.tasks.phases import TaskType
from andon.domain.uam.words import FULL, SMALL
from andon.engine.database import locked
from andon.engine.runs import new_run_id
from andon.engine.wishes import Wish, WishState

DOORS = ("task", "auto", "uam")
MOST_CHARACTERS = 20_000
WORKING = 4
"""Runs that work at the same time. One that waits for a person does not count."""


def submit(store: Store, wish: Wish) -> Wish:
    """Keep it, as a draft or to be started when its turn comes."""
    if not wish.text.strip():
        raise UserError("Say what is to be done", "A sentence is enough: what should be different afterwards?")
    if len(wish.text) > MOST_CHARACTERS:
        raise UserError(f"The text has {len(wish.text)} characters, at most {MOST_CHARACTERS} reach a prompt")
    if wish.door not in DOORS:
        raise UserError(f"There is no way to work called {wish.door}", f"One of {', '.join(DOORS)}.")
    if (type := wish.options.get("type")) and type not in list(TaskType):
        raise UserError(f"There is no kind of task called {type}", f"One of {', '.join(TaskType)}.")
    if not wish.repository.strip():
        raise UserError("Say in which repository", "The path of its folder on this machine.")
    # Its repository is a path of this machine, on which others that share the database must not start it.
    return store.wishes.add(replace(wish, options={**wish.options, "machine": store.machine.id}))


def new_wish(text: str, repository: str, by: str, door: str = "task", draft: bool = False, **options: Any) -> Wish:
    state = WishState.DRAFT if draft else WishState.PENDING
    kept = {name: value for name, value in options.items() if value not in (None, "", {})}
    return Wish(new_run_id(), state, door, text, str(Path(repository).expanduser()), by, time.time(), kept)


def start_waiting(store: Store, environment: Mapping[str, str], folders: Folders) -> list[RunRow]:
    """Start what may start now: the oldest first, one for each repository. One process at a time does. What an admin
    did not write is started in folders where others may work too."""
    if not any(_is_of_here(store, wish) for wish in store.wishes.waiting()):
        return []
    with locked(store.home.root / "web" / "queue.lock"):
        return _start_waiting(store, environment, folders)


def _start_waiting(store: Store, environment: Mapping[str, str], folders: Folders) -> list[RunRow]:
    started = list[RunRow]()
    unfinished = [run for run in store.runs.unfinished() if not store.elsewhere(run)]
    working = [run for run in unfinished if store.status(run) is Status.RUNNING]
    for wish in store.wishes.waiting():
        if not _is_of_here(store, wish):
            continue
        if wish.state is WishState.STARTING:  # by a process that is gone: only one does this at a time
            store.wishes.move(wish.id, WishState.STARTING, WishState.DRAFT, problem="Its start was interrupted.")
        if wish.state is not WishState.PENDING or len(working) + len(started) >= WORKING or busy_with(store, wish):
            continue
        if store.wishes.move(wish.id, WishState.PENDING, WishState.STARTING) and (
            run := start(store, wish, environment, folders)
        ):
            started.append(run)
    return started


def busy_with(store: Store, wish: Wish) -> RunRow | None:
    """The run for which it waits."""
    if wish.options.get("type") in (TaskType.CREATE_APP, TaskType.WORKFLOW) and wish.options.get("into"):
        return None
    return next((run for run in store.runs.unfinished(wish.repository) if not store.elsewhere(run)), None)


def _is_of_here(store: Store, wish: Wish) -> bool:
    return not store.shared or wish.options.get("machine", store.machine.id) == store.machine.id


def start(store: Store, wish: Wish, environment: Mapping[str, str], folders: Folders) -> RunRow | None:
    """Start one that is claimed. What is in the way is kept with it: it is a draft again then."""
    try:
        # Links may have changed while it waited.
        run = _started(wish if wish.options.get("anywhere") else _checked(wish, folders), environment)
    except (UserError, OSError) as problem:
        told = f"{problem.message} {problem.hint}".strip() if isinstance(problem, UserError) else str(problem)
        store.wishes.move(wish.id, WishState.STARTING, WishState.DRAFT, problem=told)
        return None
    store.wishes.move(wish.id, WishState.STARTING, WishState.STARTED, run=run.id, problem="")
    return run


def _checked(wish: Wish, folders: Folders) -> Wish:
    named = {name: folders.checked(str(wish.options[name])) for name in ("into", "scenario") if wish.options.get(name)}
    options = {**wish.options, **{name: str(path) for name, path in named.items()}}
    return replace(wish, repository=str(folders.checked(wish.repository)), options=options)


def _started(wish: Wish, environment: Mapping[str, str]) -> RunRow:
    from andon.app.start import start_auto
    from andon.app.uam import Wish as UamWish
    from andon.app.uam import start_uam

    chosen = wish.options
    settings = {name: chosen.get(name) for name in ("runtime", "scenario", "language")}
    options = StartOptions(
        words=(wish.door, "--", wish.text) if wish.door == "task" else ("--", wish.text),
        repository=Path(wish.repository),
        allow_dirty=bool(chosen.get("allow_dirty")),
        settings={**settings, "budget": checked_budget({"money": chosen.get("money")}) if chosen.get("money") else {}},
        background=True,
    )
    if wish.door == "auto":
        return start_auto(options, environment, _unseen).run
    if wish.door == "uam":
        kind = SMALL if chosen.get("small") else FULL
        return start_uam(options, UamWish(wish.text, kind), environment, _unseen).run
    type, into = chosen.get("type"), chosen.get("into")
    wanted = TaskWish(
        wish.text,
        TaskType(type) if type else None,
        chosen.get("inputs"),
        Path(str(into)).expanduser() if into else None,
    )
    return start_task(options, wanted, environment, _unseen).run


def _unseen(entry: Entry) -> None:
    """Nobody looks on here: screens read the journal."""


def drop(store: Store, id: str) -> None:
    """It is not wanted any more."""
    if not store.wishes.drop(id):
        wish = store.wishes.get(id)
        raise UserError(f"Task {id} has been started", f"`andon stop {wish.run}` stops it.")


def queue(store: Store, id: str) -> Wish:
    """A draft, to be started when its turn comes."""
    if not store.wishes.move(id, WishState.DRAFT, WishState.PENDING, problem=""):
        raise UserError(f"Task {id} is no draft")
    return store.wishes.get(id)


def runtime_names() -> tuple[str, ...]:
    """Who can be asked to work."""
    from andon.runtimes.registry import names

    return names()
