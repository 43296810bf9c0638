"""The state one run of `auto` carries from phase to phase, and how it words assignments and records where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from andon.domain.assignment import Assignment
from andon.domain.auto.act import Counters
from andon.domain.auto.artefacts import STATUS_PATH, plan_path, report_path, team_name
from andon.domain.auto.mode import Mode, Writes, teammate
from andon.domain.auto.options import Request
from andon.domain.auto.promotion import Promotion
from andon.domain.auto.qa import Failure
from andon.domain.auto.start import start_message
from andon.domain.auto.status import PdcaStatus, to_json
from andon.domain.goal import Goal
from andon.domain.language import Language, say
from andon.domain.limits import AutoLimits
from andon.domain.run import Status
from andon.domain.verdict import CheckResult
from andon.pipelines.auto.wording import word
from andon.ports import Run

LANGUAGE_NAMES = {Language.EN: "English", Language.KO: "Korean"}


@dataclass
class Cycle:
    run: Run
    request: Request
    feature: str
    language: Language
    limits: AutoLimits
    agent_seconds: float
    worktree: str = ""
    """Where `--worktree` put the files, for prompts to name (A-33). Without the option agents need no path."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Keys of strangers in the status file: written back with ours."""
    mode: Mode | None = None
    phase: int = 0
    counters: Counters = field(default_factory=Counters)
    history: tuple[Failure, ...] = ()
    promotions: tuple[Promotion, ...] = ()
    completed: tuple[int, ...] = ()
    build_failures: int = 0
    goals: tuple[Goal, ...] = ()
    """Frozen when the plan was approved."""
    results: tuple[CheckResult, ...] = ()
    """What the last Phase 4 measured."""
    built: CheckResult | None = None
    """The build as the Phase 3 gate measured it."""
    tidied: str = ""
    """The tree in which nothing was found, or left, that an agent forgot."""
    verdict: str = ""
    direction: str = ""
    """What a person said when they resumed the run, until a teammate that plans or writes code has been told."""
    warnings: tuple[str, ...] = ()

    @property
    def team(self) -> str:
        return team_name(self.feature)

    @property
    def plan_path(self) -> str:
        return plan_path(self.feature)

    @property
    def report_path(self) -> str:
        return report_path(self.feature)

    def place(self, path: str) -> str:
        """A path of the workspace as prompts name it: with `--worktree` below that, else as it is."""
        return f"{self.worktree}/{path}" if self.worktree else path

    def say(self, key: str, **values: object) -> str:
        """A fixed message in the run's language."""
        return say(self.language, key, **values)

    def word(self, key: str, **values: object) -> str:
        """Any other text for people, in the run's language."""
        return word(self.language, key, **values)

    def assignment(self, name: str, prompt: str, document: str = "", **values: str) -> Assignment:
        """Work for a teammate of that name, with the type, tier and permission its place on the team has."""
        options = self.request.options
        mate = teammate(name, self.mode or Mode.LIGHT, opus=options.opus, eco=options.eco)
        writes = {Writes.NOTHING: (), Writes.DOCUMENT: (document,), Writes.CODE: (".",)}[mate.writes]
        common = {"task": self.request.task, "language": LANGUAGE_NAMES[self.language]}
        common["bounds"] = f"Work only below `{self.worktree}`. " if self.worktree else ""
        paths = {"plan_path": self.place(self.plan_path), "report_path": self.place(self.report_path)}
        return Assignment(
            direction=self._direction_for(mate.writes, document),
            role=mate.type,
            name=mate.name,
            prompt=f"auto/{prompt}",
            tier=mate.tier,
            values=common | paths | values,
            writes=writes,
            message=start_message(name, self.language),
            seconds=self.agent_seconds,
        )

    def _direction_for(self, writes: Writes, document: str) -> str:
        """Told once: to the first who writes code, or any document but the report."""
        if writes is Writes.NOTHING or document == self.report_path:
            return ""
        direction, self.direction = self.direction, ""
        return direction

    async def warn(self, text: str) -> None:
        self.warnings = (*self.warnings, text)
        await self.run.say("warning", text=text)

    async def notify(self, text: str) -> None:
        """Something a person should know now."""
        await self.run.say("user_notified", text=text)

    def promoted(self, promotion: Promotion) -> None:
        self.mode = promotion.after
        self.promotions = (*self.promotions, promotion)

    def count(self, counters: Counters) -> None:
        self.counters = counters

    def finished(self, phase: int) -> None:
        self.completed = tuple(sorted({*self.completed, phase}))

    async def record(self, status: Status = Status.RUNNING, reason: str = "") -> None:
        """Write docs/.pdca-status.json: where the run stands, enough to resume from (A-142, A-155)."""
        if self.request.options.dry_run:
            return  # a dry run writes nothing, least of all into the person's checkout (G-01)
        document = PdcaStatus(
            feature=self.feature,
            phase=self.phase,
            status=status,
            task=self.request.task,
            run=self.run.id,
            mode=self.mode,
            promotions=self.promotions,
            phases_completed=self.completed,
            counters=self.counters,
            build_failures=self.build_failures,
            qa_cycle=1 if self.phase >= 4 else 0,
            failures=self.history,
            exit_reason=reason,
            extra=self.extra,
        )
        await self.run.write(STATUS_PATH, to_json(document), state=True)
