"""A run of its own engine on a small repository, for tests of single verbs and of endings."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from andon.app.checker import ProjectChecker
from andon.app.verifier import ProjectVerifier
from andon.app.workspace import RunWorkspace
from andon.domain.artefacts import STATE_FILES
from andon.engine.durable import Durable
from andon.engine.execution import Execution
from andon.engine.holds import Watcher
from andon.engine.run import DurableRun
from andon.engine.services import Services, Shared
from andon.ports import Memory
from andon.runtimes.agents import SupervisedAgents
from andon.runtimes.scripted import ScriptedRuntime
from andon.workspace.repository import Repository
from andon.workspace.sandbox import NoSandbox
from andon.workspace.store import Record
from andon.workspace.store import Store as GitStore

DEADLINE = 90.0
Pipeline = Callable[[DurableRun], Awaitable[dict[str, Any]]]


class Floor:
    """A run of its own engine on a small repository; agents play a scenario."""

    def __init__(self, store: Any, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.repository = folder / "project"
        self.repository.mkdir()
        for name, text in {"a.txt": "one\n", "b.txt": "two\n", "next.config.js": "", "package.json": "{}"}.items():
            (self.repository / name).write_text(text)
        for words in (["init", "-q"], ["add", "."], ["-c", "user.name=K", "-c", "user.email=k@x", "commit", "-qmx"]):
            subprocess.run(["git", *words], cwd=self.repository, check=True, capture_output=True, timeout=30)
        repository = Repository.open(self.repository)
        git = GitStore.open(folder / "repositories", repository)
        self.tree = folder / "tree"
        self.workspace = RunWorkspace(git, Record("r1", "main", str(self.tree), repository.head, STATE_FILES), "feat/x")
        self.budget: dict[str, float] = {}
        self.variables: dict[str, str] = {}
        self.memory: Memory | None = None
        self.clock: Callable[[], asyncio.AbstractEventLoop] | None = None
        """Whose time it is; the machine's unless another one is given."""
        self.deadline = DEADLINE
        self.watcher = Watcher(store.engine)
        self.watcher.start()

    def play(self, pipeline: Pipeline, *rules: dict[str, Any]) -> dict[str, Any]:
        (self.folder / "scenario.yaml").write_text(json.dumps({"scenario": 1, "rules": [*rules, {"reply": "Done."}]}))
        with asyncio.Runner(loop_factory=self.clock) as runner:
            return runner.run(asyncio.wait_for(self._play(pipeline), self.deadline))

    def end(self, pipeline: Any, *rules: dict[str, Any]) -> dict[str, Any]:
        """How a run of this pipeline ends, as the engine records it."""
        (self.folder / "scenario.yaml").write_text(json.dumps({"scenario": 1, "rules": [*rules, {"reply": "Done."}]}))
        return asyncio.run(asyncio.wait_for(self._play(None, Execution({"sample": pipeline})), DEADLINE))

    async def _play(self, pipeline: Pipeline | None, execution: Execution | None = None) -> dict[str, Any]:
        async def entry(workflow: str, payload: dict[str, Any]) -> dict[str, Any]:
            if execution is not None:
                execution.services = services
                return await execution(workflow, payload)
            assert pipeline is not None
            return await pipeline(DurableRun(services, "r1", 1, payload))

        durable = Durable(self.store.engine, "r1", self.folder / "home", entry)
        store = self.store
        shared = Shared(durable, store.journal, store.ledger, store.holds, self.watcher, store.runs, store.reviews)
        services = Services(
            shared=shared,
            folder=self.folder / "run",
            workspace=self.workspace,
            agents=SupervisedAgents(ScriptedRuntime(self.folder / "scenario.yaml"), NoSandbox(), 60.0),
            checker=(checker := ProjectChecker(self.folder / "home", NoSandbox(), trust_host=True)),
            verifier=ProjectVerifier(self.workspace, checker, shared.ledger.store.keep, given=lambda: self.variables),
            render=lambda work, form: ("", work.name),
            connectors={},
            variables=lambda: self.variables,
            memory=self.memory,
        )
        base = self.workspace.base
        await durable.start()
        try:
            given = {"created_at": time.time(), "budget": self.budget, "base": base, "tree": base}
            given |= {"pipeline": "sample", "request": {"task": "t"}}
            await durable.begin("r1.1", given)
            return await durable.result("r1.1")
        finally:
            await durable.close()

    def told(self, kind: str) -> list[Any]:
        return [entry.data for entry in self.store.journal.entries("r1") if entry.kind == kind]
