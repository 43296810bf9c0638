"""What the benchmarks stand on: a data folder, sample repositories, and runs executed here instead of by `andon auto`.

Needs `RECORDER.install()` first (see recording.py); that is why bench.py imports it only in its main function.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import andon.app.starting
from andon.app.demo import make_sample
from andon.app.outcome import Finished
from andon.app.standing import standing_of
from andon.app.start import start_auto
from andon.app.starting import StartOptions
from andon.app.store import Store
from andon.app.wiring import Wiring
from andon.domain.run import Ending, RunRow, Status
from andon.engine.durable import Durable
from andon.engine.execution import Execution, Pipeline
from andon.engine.holds import Watcher
from andon.engine.services import Shared

SCENARIO = Path(__file__).with_name("scenario.yaml")
SCRIPTED = {"runtime": "scripted", "scenario": str(SCENARIO)}
TASK = "Add first"


@dataclass(frozen=True, slots=True)
class Created:
    """A run as `andon auto` makes it, before anyone executes it."""

    store: Store
    row: RunRow
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ground:
    scratch: Path
    home: Path
    """andon's data folder. One that is kept has the environments of the checks ready the next time."""

    @property
    def environment(self) -> dict[str, str]:
        """This process's, without what it says about andon itself."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ANDON_")}
        return kept | {"ANDON_HOME": str(self.home)}

    def create_run(self, settings: Mapping[str, str] = SCRIPTED, variables: Mapping[str, str] | None = None) -> Created:
        """On a fresh copy of the sample repository: a second run on one would find the first one's branch."""
        options = StartOptions((TASK,), make_sample(self.scratch), settings=settings)
        return self.created(lambda environment: start_auto(options, environment, lambda entry: None), variables)

    def created(
        self, start: Callable[[Mapping[str, str]], Finished], variables: Mapping[str, str] | None = None
    ) -> Created:
        """The run that `start` makes, before it is executed."""
        made: list[Created] = []

        def put_off(store: Store, run: RunRow) -> Finished:
            made.append(Created(store, run, environment))
            return Finished(run, Ending(Status.WAITING, "", ""), standing_of(store, run))

        environment = {**self.environment, **(variables or {})}
        execute, andon.app.starting.execute = andon.app.starting.execute, put_off
        try:
            start(environment)
        finally:
            andon.app.starting.execute = execute
        return made[0]


@asynccontextmanager
async def started(created: Created, pipelines: Mapping[str, Pipeline]) -> AsyncGenerator[Durable]:
    """The engine as `app.execute` starts it, past all that is start-up: launched, sandbox probed, workspace there."""
    store = created.store
    watcher = Watcher(store.engine)
    execution = Execution(pipelines)
    durable = Durable(store.engine, created.row.id, store.home.root, execution)
    shared = Shared(durable, store.journal, store.ledger, store.holds, watcher, store.runs, store.reviews)
    execution.services = Wiring(store, created.environment).services(shared, created.row.id)
    watcher.start()
    await durable.start()
    try:
        yield durable
    finally:
        watcher.close()
        await durable.close()


def payload(created: Created, pipeline: str) -> dict[str, Any]:
    return dict(created.row.spec["payload"]) | {"pipeline": pipeline}
