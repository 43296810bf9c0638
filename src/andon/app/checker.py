"""The checker of a run: project detection, environments and the inspector, behind the port the engine knows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from andon import processes
from andon.checks.comparing import compared
from andon.checks.environment import Environment, Environments, NotPrepared
from andon.checks.further_goals import plan_further_goals
from andon.checks.goals import plan_goals
from andon.checks.machine import Machine
from andon.checks.measure import Inspector
from andon.checks.project import detect, traits_of
from andon.checks.results.channel import read_reports
from andon.domain.goal import Goal
from andon.domain.order import Toolbox
from andon.domain.testing import TestReport
from andon.domain.verdict import CheckResult
from andon.ports import Prepared, Sandbox

CANCEL_SECONDS = 20.0


class ProjectChecker:
    """Implements ports.Checker."""

    def __init__(
        self,
        home: Path,
        sandbox: Sandbox,
        trust_host: bool,
        interactive_command: str = "",
        environment: Mapping[str, Any] | None = None,
    ) -> None:
        """`environment`: a person's settings of what checks run with; the tree's own hold where they say nothing."""
        self._interactive_command = interactive_command
        self._environments = Environments(home, sandbox, trust_host, given=environment or {})
        self._inspector = Inspector(sandbox, self._environments, trust_host)

    def goals(self, copy: Path, custom: str | None, interactive: bool) -> tuple[Goal, ...]:
        return plan_goals(
            detect(copy),
            custom=custom,
            interactive=interactive,
            machine=Machine.of(),
            interactive_command=self._interactive_command,
        )

    def traits(self, copy: Path) -> frozenset[str]:
        return traits_of(detect(copy))

    def further_goals(self, copy: Path) -> tuple[Goal, ...]:
        return plan_further_goals(detect(copy))

    async def prepare(self, copy: Path, scratch: Path) -> Prepared:
        project = await asyncio.to_thread(detect, copy)
        made = await self._environments.prepare(copy, project, scratch)
        if isinstance(made, NotPrepared):
            return Prepared("", asdict(made), problem=made.reason, fix=made.fix_command)
        return Prepared(made.digest, asdict(made))

    def toolbox(self, prepared: Prepared) -> Toolbox:
        made = _environment(prepared)
        if isinstance(made, NotPrepared):
            return Toolbox()
        return Toolbox(made.paths, made.variables, made.readable, made.python_path, made.linked)

    async def measure(
        self, goal: Goal, tree: str, copy: Path, scratch: Path, prepared: Prepared, git: Path | None, seconds: float
    ) -> tuple[CheckResult, bytes]:
        scratch.mkdir(parents=True, exist_ok=True)
        environment = _environment(prepared)
        result = await self._inspector.measure(
            goal, tree, copy, scratch, environment, str(git) if git else None, seconds
        )
        output = scratch / "output"
        return result, output.read_bytes() if output.is_file() else b""

    def report(self, scratch: Path) -> TestReport | None:
        return read_reports(scratch)

    def compare(self, goal: Goal, before: CheckResult, old: str, now: CheckResult, new: str) -> CheckResult:
        return compared(goal, before, old, now, new)

    async def cancel(self, scratch: Path) -> None:
        folders = processes.numbered(scratch)
        for folder in folders:
            processes.cancel(folder)
        for folder in folders:
            await processes.cancelled(folder, CANCEL_SECONDS)


def _environment(prepared: Prepared) -> Environment | NotPrepared:
    """Back from JSON, where tuples have become lists."""
    data: dict[str, Any] = {key: _tuples(value) for key, value in prepared.data.items()}
    if prepared.problem:
        return NotPrepared(**data) if data else NotPrepared(prepared.problem, prepared.fix)
    return Environment(**data)


def _tuples(value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        return value
    return tuple(_tuples(each) for each in cast("list[Any]", value))
