"""The state one run of `auto` carries from phase to phase, and how it words assignments and records where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from andon.domain.assignment import Assignment
from andon.domain.auto.act import Counters
from andon.domain.auto.artefacts import STATUS_PATH, check_path, design_path, plan_path, report_path, team_name
from andon.domain.auto.findings import OpenFinding
from andon.domain.auto.mode import Mode, Writes, teammate
from andon.domain.auto.options import Request
from andon.domain.auto.promotion import Promotion
from andon.domain.auto.qa import Failure
from andon.domain.auto.start import start_message
from andon.domain.auto.status import AreaState, PdcaStatus, moment, to_json
from andon.domain.auto.times import Times
from andon.domain.goal import Goal
from andon.domain.language import Language, say
from andon.domain.limits import AutoLimits
from andon.domain.order import Tier
from andon.domain.run import Status
from andon.domain.verdict import CheckResult
from andon.pipelines.auto.wording import word
from andon.ports import Run

LANGUAGE_NAMES = {Language.EN: "English", Language.KO: "Korean"}


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judges of Phase 4 said last."""

    verifier: str = ""
    """APPROVE, REJECT, or nothing when it was not asked."""
    reason: str = ""
    gap: float | None = None
    gap_report: str = ""
    quality: tuple[str, ...] = ()
    """Findings, the worst first."""
    critical: int = 0
    broken: tuple[OpenFinding, ...] = ()
    """Rules that andon itself found broken in the diff."""


@dataclass
class Cycle:
    run: Run
    request: Request
    feature: str
    language: Language
    limits: AutoLimits
    times: Times
    role_tiers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tiers that a person chose for single roles."""
    worktree: str = ""
    """Where `--worktree` put the files, for prompts to name (A-33). Without the option agents need no path."""
    forerunners: tuple[str, ...] = ()
    """Such folders of the runs this one was forked from: documents it shares with them may name those."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Keys of strangers in the status file: written back with ours."""
    accepted: Mapping[str, str] = field(default_factory=dict[str, str])
    """Findings a person accepts, by id, with the reason."""
    plan: str = ""
    design: str = ""
    """Empty when there is none: in LIGHT, and in what was LIGHT until after Phase 2."""
    forecast: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What `--dry-run` estimates with: prices, and what finished runs used."""
    prices_dated: str = ""
    """As of when the prices are from which money is reckoned that no program tells."""
    mode: Mode | None = None
    phase: int = 0
    counters: Counters = field(default_factory=Counters)
    history: tuple[Failure, ...] = ()
    promotions: tuple[Promotion, ...] = ()
    completed: tuple[int, ...] = ()
    build_failures: int = 0
    iteration: int = 0
    """Verifications the implementation has used."""
    first_iteration: int = 1
    """Where the count begins in this leg (A-144)."""
    used_before: int = 0
    """Verifications that earlier legs had used, for the implementer to know."""
    skipped: frozenset[int] = frozenset()
    """Phases a person chose to leave out (`--interactive`)."""
    implementation: str = ""
    """in_progress, completed or failed."""
    remaining: tuple[str, ...] = ()
    """What the last verification found wanting."""
    areas: tuple[AreaState, ...] = ()
    """How far parallel implementers are whose work is not merged yet."""
    merged: bool = False
    """Their work has come together: what is left to do on it is one implementer's."""
    forced_plan: bool = False
    """Approved by force after the last round (A-55): its gates stop it no more."""
    qa_cycle: int = 0
    goals: tuple[Goal, ...] = ()
    """Frozen when the plan was approved."""
    present_goals: tuple[Goal, ...] = ()
    """The same for the files as they are: with what has come since, such as the first tests."""
    known: tuple[CheckResult, ...] = ()
    """The newest result of each goal, for as long as the tree it was measured on is the present one."""
    at_base: Mapping[Goal, CheckResult] = field(default_factory=dict[Goal, CheckResult])
    """What linter and type checker say of the base, where that had to be known."""
    results: tuple[CheckResult, ...] = ()
    """What the last QA cycle measured."""
    further: tuple[CheckResult, ...] = ()
    """End-to-end tests and coverage."""
    further_goals: tuple[Goal, ...] = ()
    """End-to-end tests and coverage, frozen likewise."""
    e2e_fixes: int = 0
    judged: Judged = field(default_factory=Judged)
    architect: str = ""
    """What the architect's gate of Phase 3 said last: APPROVE, REJECT, or nothing when it was not asked in this leg."""
    tidied: str = ""
    """The tree in which nothing was found, or left, that an agent forgot."""
    by_hand: tuple[str, ...] = ()
    """Whose files a person has changed since the last leg, or accepted findings of: those of these branches, and of the
    run itself, which has no name. That is measured before anybody works."""
    direction: str = ""
    """What a person said when they resumed the run, until a teammate that plans or writes code has been told."""
    warnings: tuple[str, ...] = ()
    reported: bool = False
    earlier_report: str = ""
    """The report that an earlier leg left behind."""
    open_findings: tuple[OpenFinding, ...] = ()
    """What keeps the run from being done, should it end now."""
    context: str = ""
    """What `--slack` and `--gmail` found out before Phase 1, worded for prompts (A-133, A-138)."""
    learnings: str = ""
    """What earlier runs taught that is to the point, worded for the planner."""

    @property
    def team(self) -> str:
        return team_name(self.feature)

    @property
    def plan_path(self) -> str:
        return plan_path(self.feature)

    @property
    def design_path(self) -> str:
        return design_path(self.feature)

    @property
    def report_path(self) -> str:
        return report_path(self.feature)

    @property
    def documents(self) -> tuple[str, ...]:
        """What work is judged by and told in: nobody's to change but whose order is to write it."""
        return (self.plan_path, self.design_path, check_path(self.feature), self.report_path)

    @property
    def known_now(self) -> tuple[CheckResult, ...]:
        """What is known of the present tree."""
        return tuple(result for result in self.known if result.tree == self.run.tree)

    @property
    def declared(self) -> str:
        """The document that says what will be changed: the design, or the plan where there is none."""
        return self.design or self.plan

    def place(self, path: str) -> str:
        """A path of the workspace as prompts name it: with `--worktree` below that, else as it is."""
        return f"{self.worktree}/{path}" if self.worktree else path

    async def read(self, path: str) -> str:
        """A document as rules read it: with paths relative to the workspace, whatever prompts called them (A-33)."""
        text = await self.run.read(path) or ""
        for folder in filter(None, (self.worktree, *self.forerunners)):
            text = text.replace(f"{folder}/", "")
        return text

    def say(self, key: str, **values: object) -> str:
        """A fixed message in the run's language."""
        return say(self.language, key, **values)

    def word(self, key: str, **values: object) -> str:
        """Any other text for people, in the run's language."""
        return word(self.language, key, **values)

    def assignment(
        self,
        name: str,
        prompt: str,
        document: str = "",
        *,
        agent_type: str = "",
        branch: str = "",
        **values: str,
    ) -> Assignment:
        """Work for a teammate of that name, with the type, tier and permission its place on the team has.

        `agent_type` is the type a fixer's domain asks for, `branch` that of a parallel implementer.
        """
        options = self.request.options
        mate = teammate(name, self.mode or Mode.LIGHT, opus=options.opus, eco=options.eco, agent_type=agent_type)
        writes = {Writes.NOTHING: (), Writes.DOCUMENT: (document,), Writes.CODE: (".",)}[mate.writes]
        return Assignment(
            direction=self._direction_for(mate.writes, document),
            role=mate.type,
            name=mate.name,
            prompt=f"auto/{prompt}",
            tier=Tier(self.role_tiers.get(mate.type, mate.tier)),
            values=self._common(f"{self.worktree}-{branch}" if branch and self.worktree else self.worktree) | values,
            writes=writes,
            keeps=tuple(path for path in (*self.documents, STATUS_PATH) if path not in writes),
            message=start_message(name, self.language),
            seconds=self.times.of(mate),
        )

    def _common(self, worktree: str) -> dict[str, str]:
        """What every prompt may name."""
        place = f"{worktree}/" if worktree else ""
        design = f"{place}{self.design_path}"
        return {
            "task": self.request.task,
            "context": self.context,
            "language": LANGUAGE_NAMES[self.language],
            "bounds": f"Work only below `{worktree}`. " if worktree else "",
            "plan_path": f"{place}{self.plan_path}",
            "design_path": design,
            "design_clause": f", design: `{design}`" if self.design else "",
            "report_path": f"{place}{self.report_path}",
        }

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

    def accepts(self, *findings: OpenFinding) -> bool:
        """Whether a person accepts all of these; of nothing there is nothing to accept."""
        return bool(findings) and all(finding.id in self.accepted for finding in findings)

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
            qa_cycle=self.qa_cycle,
            failures=self.history,
            iteration=self.iteration,
            implementation=self.implementation,
            remaining_issues=self.remaining,
            areas=self.areas,
            merged=self.merged,
            skipped=tuple(sorted(self.skipped)),
            exit_reason=reason,
            updated_at=moment(self.run.moved_at),
            extra=self.extra,
        )
        await self.run.write(STATUS_PATH, to_json(document), state=True)
