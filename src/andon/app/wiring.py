"""The composition root: which concrete workspace, sandbox, runtime and checker a run gets. Only here are they named."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from andon import connect, processes
from andon.app.checker import ProjectChecker
from andon.app.given_secrets import given
from andon.app.learned import learnings_of
from andon.app.recording import RunRecorder
from andon.app.runtime_settings import made
from andon.app.sandboxes import needed_sandbox
from andon.app.store import Store
from andon.app.team_memory import team_memory_of
from andon.app.team_servers import servers_of_run
from andon.app.verifier import ProjectVerifier
from andon.app.workspace import RunWorkspace
from andon.domain.limits import AutoLimits
from andon.domain.run import RunRow
from andon.engine.services import Services, Shared
from andon.memory.learnings import Learnings
from andon.ports import CallResult, Sandbox
from andon.roles.library import render
from andon.runtimes.agents import SupervisedAgents
from andon.runtimes.by_role import RuntimeByRole

GH_SECONDS = 15.0


class Wiring:
    def __init__(self, store: Store, environment: Mapping[str, str] | None = None) -> None:
        self._store = store
        self.environment = environment if environment is not None else os.environ

    def services(self, shared: Shared, run_id: str) -> Services:
        row = self._store.runs.get(run_id)
        folder = self._store.home.run(run_id)
        sandbox = needed_sandbox(self._store.home, bool(row.spec["trust_host"]))
        visible = bool(row.spec["request"]["options"]["worktree"])
        linked = (str(row.spec["claude"]),) if row.spec.get("claude") else ()
        workspace = RunWorkspace.of(self._store.home, row)
        checker = self.checker(row, sandbox)
        runtime = self._runtime(row)
        return Services(
            shared=shared,
            folder=folder,
            workspace=workspace,
            agents=SupervisedAgents(
                runtime,
                sandbox,
                float(row.spec["lease_seconds"]),
                linked,
                self._secrets(row),
                self._store.redaction.raw,
            ),
            checker=checker,
            verifier=ProjectVerifier(workspace, checker, self._store.keep, given=self._secrets(row)),
            render=partial(render, limits=AutoLimits(**row.spec.get("limits", {}))),
            recorder=RunRecorder(self._store, row, runtime.told) if row.spec.get("record") else None,
            memory=self._memory(row),
            team_memory=team_memory_of(row, self.environment, self._store.redaction.text),
            visible=(row.spec["worktree"], *row.spec.get("worktrees_before", ())) if visible else (),
            variables=self._secrets(row),
            connectors={
                "gh": lambda words: self.gh(words, Path(row.repository)),
                **{name: partial(self._outside, name) for name in connect.SERVICES},
            },
        )

    def _memory(self, row: RunRow) -> Learnings | None:
        """Runs that were started without it neither ask nor tell, whatever settings say now."""
        if not row.spec.get("learnings"):
            return None
        return learnings_of(self._store.home, Path(row.repository), self._store.redaction)

    def _secrets(self, row: RunRow) -> Callable[[], Mapping[str, str]]:
        """What people gave to this task, as it is when an order begins; nothing that is written then has it."""

        def read() -> Mapping[str, str]:
            found = given(self._store.home, row.id)
            self._store.redaction.add(found.values())
            return found

        return read

    def checker(self, row: RunRow, sandbox: Sandbox) -> ProjectChecker:
        interactive = row.spec.get("interactive_command") or ""
        return ProjectChecker(self._store.home.root, sandbox, bool(row.spec["trust_host"]), interactive)

    def _runtime(self, row: RunRow) -> RuntimeByRole:
        servers = servers_of_run(row, self.environment, self._store.redaction)
        return made(row.spec, row.spec["scenario"], self.environment, servers)

    def gh(self, words: tuple[str, ...], repository: Path) -> CallResult:
        """GitHub's own program, if it is there. Its absence is visible, never an error (E-22)."""
        program = shutil.which("gh", path=self.environment.get("PATH"))
        if program is None:
            return CallResult(available=False, output="gh is not installed")
        done = processes.run([program, *words], cwd=repository, env=self.environment, seconds=GH_SECONDS)
        said = (done.stdout or done.stderr).decode("utf-8", "replace").strip()
        return CallResult(available=True, code=done.code, output=self._store.redaction.text(said))

    def _outside(self, service: str, words: tuple[str, ...]) -> CallResult:
        found = connect.call(service, words, self.environment)
        return replace(found, output=self._store.redaction.text(found.output))
