"""Starting `auto`: from a person's words to a run in execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from andon.app.history import forecast_ground
from andon.app.hosting import host
from andon.app.outcome import Finished
from andon.app.settings import Settings
from andon.app.starting import (
    Commission,
    Ground,
    Show,
    StartOptions,
    begin,
    make,
    recorded_of,
    refuse_dirty,
    runtimes_of,
)
from andon.app.statefile import refuse_unwritable
from andon.domain.auto.options import Action, Request, parse, refuse_unavailable
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.pipelines.auto.request import request_to_json
from andon.workspace.repository import Repository

if TYPE_CHECKING:
    from andon.runtimes.scenario import Recorded


def start_auto(options: StartOptions, environment: Mapping[str, str], show: Show) -> Finished:
    """Start a run, and execute it in this process."""
    recorded = recorded_of(options, "auto")
    options, commission = _commissioned(options, recorded)
    return begin(options, environment, show, commission, recorded)


def host_auto(options: StartOptions, environment: Mapping[str, str]) -> RunRow:
    """Start a run that goes on in the background."""
    options, commission = _commissioned(options, None)
    store, run = make(options, environment, commission)
    host(store, run)
    return run


def _commissioned(options: StartOptions, recorded: Recorded | None) -> tuple[StartOptions, Commission]:
    """Everything that can be wrong is found before anything is changed (A-05, A-30)."""
    request = checked_request(options.words)
    if recorded and request.action is Action.DISCOVER:
        options = replace(options, words=(*takewhile(lambda word: word != "--", options.words), *recorded.words))
        request = checked_request(options.words)
    if request.action is not Action.RUN:
        raise UserError("Say what to do", 'For example: andon auto "Add a --version flag to the command line"')

    def more(ground: Ground) -> dict[str, Any]:
        return {"forecast": forecast_ground(ground.store, ground.runtimes) if request.options.dry_run else {}}

    commission = Commission(
        pipeline="auto",
        task=request.task,
        title=request.task or _without_task(request),
        request=request_to_json(request),
        worktree=request.options.worktree,
        more=more,
    )
    return options, commission


def checked_request(words: tuple[str, ...]) -> Request:
    """What the words ask for. Options that cannot be had are refused before anything else is looked at."""
    request = parse(words)
    refuse_unavailable(request.options)
    return request


def obstacle_to(
    repository: Repository, options: StartOptions, settings: Settings, environment: Mapping[str, str]
) -> UserError | None:
    """What would keep a run from starting here and now, as far as a look can tell."""
    try:
        refuse_dirty(repository, options)
        refuse_unwritable(repository)
        runtimes_of(settings, environment)
    except UserError as problem:
        return problem
    return None


def _without_task(request: Request) -> str:
    """What a run that only reads mail is called."""
    return f"--gmail {(request.options.gmail and request.options.gmail.query) or 'unread'}"
